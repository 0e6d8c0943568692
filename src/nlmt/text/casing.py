"""The case of words: kept, lowered, or that which a sentence's first word has inside sentences.

As Moses' truecaser: of a sentence's words only the first one loses its capital, where it usually
has none.
"""

from collections import Counter
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Literal

from nlmt.errors import InputError
from nlmt.io.files import read_lines, write_lines

Casing = Literal["lower", "keep", "truecase"]

_ENDS = frozenset(".!?")  # after these tokens a sentence begins


class Truecaser:
    """Gives the first word of a sentence the case that it usually has inside sentences."""

    def __init__(self, words: Iterable[str]) -> None:
        """Take the usual form of each word."""
        self._usual = {word.lower(): word for word in words}

    @classmethod
    def train(cls, lines: Iterable[str]) -> "Truecaser":
        """Learn from tokenised lines with their case.

        The usual form of a word is the most frequent one inside sentences, of equally frequent ones
        the first in code-point order; of a word that only begins sentences, the one without a
        capital.
        """
        inside: Counter[str] = Counter()
        first: set[str] = set()
        for line in lines:
            words = line.split()
            begins = set(_beginnings(words))
            first.update(words[place] for place in begins)
            inside.update(word for place, word in enumerate(words) if place not in begins)
        small = sorted(word.lower() if word[1:].islower() else word for word in first)
        # Of equal words the last one stays.
        return cls([*small, *sorted(sorted(inside, reverse=True), key=inside.__getitem__)])

    @classmethod
    def load(cls, path: Path | str) -> "Truecaser":
        """Read the words that `write` wrote."""
        words = list(read_lines(path))
        for number, word in enumerate(words, start=1):
            if word.split() != [word]:
                hint = "a truecaser has one: give casing/<language>.gz of a pair"
                raise InputError("not one word", path=path, line=number, hint=hint)
        return cls(words)

    def write(self, path: Path | str) -> None:
        """Write the usual form of each word, one a line."""
        write_lines(path, sorted(self._usual.values()))

    def __call__(self, line: str) -> str:
        """A tokenised line in which sentences begin as their first word usually is."""
        words = line.split()
        for place in _beginnings(words):
            words[place] = self._usual.get(words[place].lower(), words[place])
        return " ".join(words)


def capitalise(line: str, *, first: bool = True) -> str:
    """A tokenised line whose sentences, or all but the first one, begin with capitals."""
    words = line.split()
    for place in list(_beginnings(words))[0 if first else 1 :]:
        words[place] = words[place][0].title() + words[place][1:]
    return " ".join(words)


def begins_small(text: str) -> bool:
    """Whether the first letter of a text is a small one."""
    return next((letter.islower() for letter in text if letter.isalpha()), False)


def _beginnings(words: list[str]) -> Iterator[int]:
    """Places of the first word with a letter of each sentence in a line."""
    waiting = True
    for place, word in enumerate(words):
        if word in _ENDS:
            waiting = True
        elif waiting and any(map(str.isalpha, word)):
            waiting = False
            yield place
