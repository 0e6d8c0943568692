"""The metrics of reports, for tokenised and for detokenised text."""

import logging
from importlib.util import find_spec

from nlmt.errors import InputError
from nlmt.evaluation.bleu import Bleu
from nlmt.evaluation.chrf import Chrf
from nlmt.evaluation.metric import Metric
from nlmt.evaluation.ter import Ter
from nlmt.evaluation.ter_bleu import TerBleu

# For tokenised, lower-cased text.
BLEU, TER, CHRF = Bleu(), Ter(), Chrf()
TER_BLEU = TerBleu(TER, BLEU)
TOKENISED: tuple[Metric, ...] = (BLEU, TER, CHRF, TER_BLEU)
_CASED = Bleu(lowercase=False), Ter(lowercase=False)
TOKENISED_CASED: tuple[Metric, ...] = (*_CASED, Chrf(lowercase=False), TerBleu(*_CASED[::-1]))

# SacreBLEU's default tokenisers for these languages; `13a` for others.
_TOKENISERS = {"zh": "zh", "ja": "ja-mecab"}
_MECAB = ("MeCab", "ipadic")  # required by `ja-mecab`


def detokenised_metrics(language: str, *, lowercase: bool = True) -> tuple[Metric, ...]:
    """BLEU, TER, chrF and (TER - BLEU) / 2 for text that is not tokenised.

    BLEU uses sacreBLEU's tokenisation for the language. For Japanese this needs MeCab; if it is not
    installed (extra `segmenters`) each character is a token. The signature shows which.

    Args:
        language: of the text, an ISO 639-1 code.
        lowercase: whether case is ignored, as for translations that are all lower-case.

    Raises:
        InputError: the language is empty.
    """
    if not language:
        raise InputError("no language")
    tokenize = _TOKENISERS.get(language, "13a")
    if tokenize == "ja-mecab" and not all(map(find_spec, _MECAB)):
        logging.warning(
            "BLEU of characters: sacreBLEU's ja-mecab needs `pip install nlmt[segmenters]`"
        )
        tokenize = "char"
    bleu, ter = Bleu(lowercase, tokenize), Ter(lowercase, normalized=True)
    return (bleu, ter, Chrf(lowercase), TerBleu(ter, bleu))
