"""Texts of a sentence a line, plain or gzip: words counted and numbered (cpp/neural/data/texts.h).

A damaged file is an InputError with its line.
"""

import numpy as np
from numpy.typing import NDArray

class WordCounts:
    def __init__(self, folder: str, most: int) -> None:
        """Count words; more than `most` different ones go to temporary files in `folder`."""

    def read(self, path: str) -> tuple[int, int]:
        """Count the words of a text; return its numbers of sentences and words."""

    def finish(self, least: int) -> list[tuple[str, int]]:
        """Words that occur at least so often, unordered; nothing can be read afterwards."""

class TextReader:
    def __init__(self, path: str, words: list[str]) -> None:
        """Number the words of a text: word i has number i; `<unk>`, `<s>` and `</s>` come first."""

    def read(self, least: int) -> NDArray[np.int32]:
        """Whole sentences, each followed by `</s>`, until there are `least` ids; empty at the end.

        Marks of sentences that stand in the text are `<unk>`.
        """

def tally(stream: NDArray[np.int32] | NDArray[np.uint16], counts: NDArray[np.int64]) -> None:
    """Add to `counts` (V,) how often each id occurs; one beyond the vocabulary is a ValueError."""
