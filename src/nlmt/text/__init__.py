"""Preparation of text as by Moses' scripts: normalise, tokenise, lower-case, clean."""

from nlmt.text.casing import Casing, Truecaser, begins_small, capitalise
from nlmt.text.detokenise import Detokeniser
from nlmt.text.gather import gather_text, prepare_monolingual
from nlmt.text.pieces import (
    SENTENCEPIECE,
    Pieces,
    join_pieces,
    read_words,
    train_pieces,
    words_with,
)
from nlmt.text.prepare import gather_shards, prepare_bitext
from nlmt.text.sample import Sample, share_of
from nlmt.text.statistics import TextSize, join_sizes, read_size, read_sizes, write_sizes
from nlmt.text.tokenise import (
    LANGUAGES,
    Tokenisation,
    Tokeniser,
    check_language,
    tokenise_lines,
    warn_of_general_rules,
)

__all__ = [
    "LANGUAGES",
    "SENTENCEPIECE",
    "Casing",
    "Detokeniser",
    "Pieces",
    "Sample",
    "TextSize",
    "Tokenisation",
    "Tokeniser",
    "Truecaser",
    "begins_small",
    "capitalise",
    "check_language",
    "gather_shards",
    "gather_text",
    "join_pieces",
    "join_sizes",
    "prepare_bitext",
    "prepare_monolingual",
    "read_size",
    "read_sizes",
    "read_words",
    "share_of",
    "tokenise_lines",
    "train_pieces",
    "warn_of_general_rules",
    "words_with",
    "write_sizes",
]
