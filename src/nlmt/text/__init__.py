"""Text as Moses' scripts make it: normalised, tokenised, lower-cased, cleaned."""

from nlmt.text.detokenise import Detokeniser
from nlmt.text.prepare import PreparedBitext, prepare_bitext
from nlmt.text.restrict import frequent_words, restrict_vocabulary
from nlmt.text.sample import Sample, sample_lines
from nlmt.text.tokenise import LANGUAGES, PIPE, Tokeniser, check_language, tokenise_lines

__all__ = [
    "LANGUAGES",
    "PIPE",
    "Detokeniser",
    "PreparedBitext",
    "Sample",
    "Tokeniser",
    "check_language",
    "frequent_words",
    "prepare_bitext",
    "restrict_vocabulary",
    "sample_lines",
    "tokenise_lines",
]
