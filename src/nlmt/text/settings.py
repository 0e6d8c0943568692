"""The key `text` of the configuration."""

from typing import Annotated

from pydantic import AfterValidator

from nlmt.errors import InputError
from nlmt.settings import NameIn, Settings, setting
from nlmt.text.casing import Casing
from nlmt.text.pieces import SENTENCEPIECE
from nlmt.text.segmenters import SEGMENTERS
from nlmt.text.tokenise import check_segmenter
from nlmt.text.tokenisers import TOKENISERS


def _check_segmenters(segmenters: dict[str, str]) -> dict[str, str]:
    """Refuse segmenters of other languages."""
    for language, segmenter in segmenters.items():
        try:
            check_segmenter(language, segmenter)
        except InputError as error:
            raise ValueError(str(error)) from error
    return segmenters


class PreparationSettings(Settings):
    """Settings for the preparation of text."""

    max_length: int = setting(
        80,
        "Longest training sentence on either side; longer pairs are dropped.",
        ge=1,
        unit="tokens",
        source="Baltescu and Blunsom 2015, section 3",
    )
    share: float = setting(
        1.0,
        "Share of the sentences of all training text to learn from, of the bitext and of further "
        "text alike, for curves over the size of the text. Shares are nested. Give each a `task`. "
        "Models of casing and of pieces, and training parts in `held_out`, have the whole text.",
        gt=0,
        le=1,
    )
    tokeniser: Annotated[str, NameIn(TOKENISERS)] = setting(
        "fast",
        "Tokeniser by the rules of Moses' scripts: `sacremoses`, that library itself, or `fast`, "
        "with the same output in a tenth of the time, but for accents and vowel signs that follow "
        "their letters (marks), which it does not part from them.",
    )
    segmenter: Annotated[
        dict[str, Annotated[str, NameIn(SEGMENTERS, others=(SENTENCEPIECE,))]],
        AfterValidator(_check_segmenters),
    ] = setting(
        {"zh": "jieba", "ja": "mecab"},
        "Segmenters by language. For languages written without spaces: `jieba` (Chinese), `mecab` "
        "(Japanese), or `characters`, each of which is a token; the last is used for languages "
        "that are not listed. For others: `sentencepiece`, which divides words into pieces.",
        examples=[{"zh": "characters"}],
    )
    casing: Casing = setting(
        "lower",
        "Case of the words that systems learn: `lower`; `keep`, as written; or `truecase`, where "
        "the first word of a sentence loses a capital that it has not inside sentences "
        "(docs/translate.md).",
        source="Moses' train-truecaser.perl",
    )
    pieces: int = setting(
        8000,
        "Largest number of different pieces of a language with the segmenter `sentencepiece`.",
        ge=100,
    )
    shards: int = setting(
        1,
        "Number of parts of the training text to prepare as separate jobs, for example on a "
        "cluster; the prepared text does not depend on it.",
        ge=1,
        le=1000,
    )
