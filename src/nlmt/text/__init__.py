"""Text as Moses' scripts make it: normalised, tokenised, lower-cased, cleaned."""

from nlmt.text.detokenise import Detokeniser
from nlmt.text.prepare import PreparedBitext, prepare_bitext
from nlmt.text.restrict import bitext_vocabulary, restrict_vocabulary
from nlmt.text.tokenise import LANGUAGES, PIPE, Tokeniser, check_language, tokenise_lines

__all__ = [
    "LANGUAGES",
    "PIPE",
    "Detokeniser",
    "PreparedBitext",
    "Tokeniser",
    "bitext_vocabulary",
    "check_language",
    "prepare_bitext",
    "restrict_vocabulary",
    "tokenise_lines",
]
