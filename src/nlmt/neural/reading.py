"""From texts to numbers: words are counted, then looked up, in bounded memory."""

import tempfile
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from nlmt.errors import InputError
from nlmt.io.files import check_file
from nlmt.neural import _text
from nlmt.neural.data import END_ID, Corpus, smallest
from nlmt.vocabulary import Vocabulary

# Different words that are counted in memory, some 60 bytes each; those beyond are sorted on disk.
MOST_WORDS = 4_000_000
# Ids that are in memory at the same time while a text is read.
BLOCK = 1 << 20


@dataclass(frozen=True)
class Size:
    """How long a text is: sentences, and words without `</s>`."""

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
    """The words of a text, `</s>` after each sentence, some sentences at a time."""
    reader = _text.TextReader(str(check_file(path)), list(vocabulary.words))
    while len(block := reader.read(BLOCK)):
        yield block


def read_corpus(path: Path | str, vocabulary: Vocabulary, *, at_least: int) -> Corpus:
    """Read a text of one sentence a line into memory.

    Raises:
        InputError: fewer than `at_least` sentences with words, or an unreadable file.
    """
    blocks = [smallest(block, len(vocabulary)) for block in read_blocks(path, vocabulary)]
    stream = np.concatenate([*blocks, smallest(np.zeros(0, np.int32), len(vocabulary))])
    begins = np.concatenate([[0], np.flatnonzero(stream == END_ID) + 1])
    corpus = Corpus(stream, begins)
    check_length(corpus, path, at_least)
    return corpus


def check_length(corpus: Corpus, path: Path | str, at_least: int) -> None:
    """Refuse a text of fewer than `at_least` sentences with words."""
    filled = corpus.filled(at_least)
    if filled < at_least:
        what = f"{filled} sentences with words, at least {at_least} are needed"
        raise InputError(what, path=path, hint="give a longer text, one sentence a line")
