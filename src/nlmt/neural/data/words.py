"""Words of texts counted, then looked up, in bounded memory."""

import tempfile
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from nlmt.io.files import check_file
from nlmt.neural import _text
from nlmt.vocabulary import Vocabulary

# Different words that are counted in memory, some 60 bytes each; further ones are sorted on disk.
MOST_WORDS = 4_000_000
# Ids held in memory while a text is read.
BLOCK = 1 << 20


@dataclass(frozen=True)
class Size:
    """The length of a text: sentences, and words without `</s>`."""

    sentences: int
    words: int


def count_texts(
    paths: Sequence[Path | str], least: int = 1
) -> tuple[Counter[str], tuple[Size, ...]]:
    """The words that occur at least so often in texts of one sentence a line, and their sizes.

    Raises:
        InputError: no such file, broken UTF-8, or a damaged gzip stream.
    """
    counts = _text.WordCounts(tempfile.gettempdir(), MOST_WORDS)
    sizes = tuple(Size(*counts.read(str(check_file(path)))) for path in paths)
    return Counter(dict(counts.finish(least))), sizes


def read_blocks(path: Path | str, vocabulary: Vocabulary) -> Iterator[NDArray[np.int32]]:
    """The words of a text in blocks of whole sentences, `</s>` after each sentence."""
    reader = _text.TextReader(str(check_file(path)), list(vocabulary.words))
    while len(block := reader.read(BLOCK)):
        yield block
