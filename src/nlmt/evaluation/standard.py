"""The metrics of reports: of tokenised text, and of text without tokenisation."""

from nlmt.errors import InputError
from nlmt.evaluation.bleu import Bleu
from nlmt.evaluation.chrf import Chrf
from nlmt.evaluation.metric import Metric
from nlmt.evaluation.ter import Ter
from nlmt.evaluation.ter_bleu import TerBleu

# Of tokenised, lower-cased text.
BLEU, TER, CHRF = Bleu(), Ter(), Chrf()
TER_BLEU = TerBleu(TER, BLEU)
TOKENISED: tuple[Metric, ...] = (BLEU, TER, CHRF, TER_BLEU)

_OWN_TOKENISERS = {"zh": "zh", "ja": "char"}  # ja-mecab needs a dictionary that is not installed


def detokenised_metrics(language: str, *, lowercase: bool = True) -> tuple[Metric, ...]:
    """BLEU, TER, chrF and (TER - BLEU) / 2 of text that is not tokenised.

    BLEU and TER use sacreBLEU's tokenisations.

    Args:
        language: of the text, an ISO 639-1 code.
        lowercase: whether case is ignored, as for translations that are all lower-case.

    Raises:
        InputError: the language is empty.
    """
    if not language:
        raise InputError("no language")
    tokenize = _OWN_TOKENISERS.get(language, "13a")
    bleu, ter = Bleu(lowercase, tokenize), Ter(lowercase, normalized=True)
    return (bleu, ter, Chrf(lowercase), TerBleu(ter, bleu))
