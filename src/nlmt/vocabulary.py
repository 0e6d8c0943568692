"""Vocabularies of models: words and their ids."""

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from nlmt.errors import InputError
from nlmt.io.fields import split_fields
from nlmt.io.files import read_lines, write_lines

UNKNOWN, BEGIN, END = "<unk>", "<s>", "</s>"
SPECIAL = (UNKNOWN, BEGIN, END)


@dataclass(frozen=True)
class Vocabulary:
    """Distinct words; the id of a word is its index. The first three are special symbols.

    Attributes:
        words: `<unk>`, `<s>`, `</s>`, then the words of the text.
    """

    words: tuple[str, ...]

    def __post_init__(self) -> None:
        if self.words[: len(SPECIAL)] != SPECIAL:
            raise ValueError(f"a vocabulary begins with {' '.join(SPECIAL)}")
        if len(self._ids) != len(self.words) - 2:
            raise ValueError("a word occurs twice in the vocabulary")

    @classmethod
    def from_counts(cls, counts: Counter[str], min_count: int = 1) -> "Vocabulary":
        """The words that occur at least `min_count` times: falling counts, then code points."""
        kept = [
            word for word, count in counts.items() if count >= min_count and word not in SPECIAL
        ]
        return cls((*SPECIAL, *sorted(kept, key=lambda word: (-counts[word], word))))

    @classmethod
    def load(cls, path: Path | str) -> "Vocabulary":
        """Read a file with one word per line.

        Raises:
            InputError: no such file, or not one of `save`.
        """
        try:
            return cls(tuple(read_lines(path)))
        except InputError:
            raise
        except ValueError as error:
            raise InputError(str(error), path=path, hint="it belongs to another model") from error

    def save(self, path: Path | str) -> None:
        """Write one word per line."""
        write_lines(path, self.words)

    def __len__(self) -> int:
        return len(self.words)

    @cached_property
    def _ids(self) -> dict[str, int]:
        """Id of each word for texts, in which `<s>` and `</s>` are unknown words."""
        ids = {word: number for number, word in enumerate(self.words)}
        del ids[BEGIN], ids[END]
        return ids

    @property
    def unknown(self) -> int:
        """Id of `<unk>`."""
        return 0

    @property
    def begin(self) -> int:
        """Id of `<s>`."""
        return 1

    @property
    def end(self) -> int:
        """Id of `</s>`."""
        return 2

    def lookup(self, words: Sequence[str]) -> NDArray[np.int32]:
        """Ids of `words`; words outside the vocabulary have the id of `<unk>`."""
        ids = self._ids
        return np.array([ids.get(word, 0) for word in words], dtype=np.int32)


def split_lines(lines: Iterable[str]) -> tuple[list[str], NDArray[np.int64]]:
    """The words of all lines, and where those of each line begin among them (lines + 1,)."""
    words: list[str] = []
    offsets = [0]
    for line in lines:
        words.extend(split_fields(line))
        offsets.append(len(words))
    return words, np.array(offsets, np.int64)


def count_words(lines: Iterable[str]) -> Counter[str]:
    """Number of occurrences of each word."""
    counts: Counter[str] = Counter()
    for line in lines:
        counts.update(split_fields(line))
    return counts
