"""Bilingual tuples: the units of n-gram-based translation, extracted and written as words."""

from nlmt.tuples.attachment import attach_unlinked
from nlmt.tuples.extraction import extract_tuples, tuples_of_nbest
from nlmt.tuples.tokens import split_token
from nlmt.tuples.unfolding import Sentences, encode, unfold

__all__ = [
    "Sentences",
    "attach_unlinked",
    "encode",
    "extract_tuples",
    "split_token",
    "tuples_of_nbest",
    "unfold",
]
