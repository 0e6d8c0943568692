"""The classes of a class n-gram model's words, and the words' probabilities in them."""

import math
import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path

from nlmt.errors import InputError
from nlmt.io.fields import split_fields
from nlmt.io.files import read_lines, write_lines
from nlmt.vocabulary import SPECIAL, UNKNOWN

HEADER = "word\tclass\tlog_probability"
HINT = "it is damaged: train the model again"
# Tolerance of the sum of a class's probabilities, whose logarithms have ten digits.
TOLERANCE = 1e-6
_CLASS = re.compile("[0-9]{1,9}")


@dataclass(frozen=True)
class Member:
    """A word in its class.

    `name` is the number of the class, `log_p` the natural logarithm of the word's probability in
    it.
    """

    name: str
    log_p: float


@dataclass(frozen=True)
class ClassTable:
    """Words in classes; the probabilities of a class sum to 1.

    Attributes:
        members: class and probability of each word, in the order of the file.
    """

    members: Mapping[str, Member]

    @classmethod
    def estimate(cls, class_of: Mapping[str, int], counts: Counter[str]) -> "ClassTable":
        """The relative frequencies of the words of a text in their classes (Brown et al. 1992).

        Args:
            class_of: of words; missing ones belong to a further class.
            counts: of the words of the text, all above 0; `<unk>` is in no class.
        """
        further = max(class_of.values(), default=-1) + 1
        words = sorted(set(counts).difference(SPECIAL), key=lambda word: (-counts[word], word))
        numbers = {word: class_of.get(word, further) for word in words}
        totals: Counter[int] = Counter()
        for word, number in numbers.items():
            totals[number] += counts[word]
        return cls(
            {
                word: Member(str(number), math.log(counts[word] / totals[number]))
                for word, number in numbers.items()
            }
        )

    @classmethod
    def read(cls, path: Path) -> "ClassTable":
        """Read a table that `write` wrote.

        Raises:
            InputError: another file, or a damaged one.
        """
        members: dict[str, Member] = {}
        for line, row in enumerate(read_lines(path), start=1):
            if line == 1:
                if row != HEADER:
                    raise InputError(f"the first line is not {HEADER!r}", path=path, line=1)
                continue
            word, *fields = row.split("\t")
            member = _member(fields)
            if member is None or word in members or word in SPECIAL or not word:
                what = f"not a word, class and logarithm of a probability: {row!r}"
                raise InputError(what, path=path, line=line, hint=HINT)
            members[word] = member
        if not members:
            raise InputError("no words", path=path, hint=HINT)
        table = cls(members)
        for name, mass in table.masses().items():
            if abs(mass - 1) > TOLERANCE:
                what = f"the probabilities of the words of class {name} sum to {mass:.7g}"
                raise InputError(what, path=path, hint=HINT)
        return table

    def write(self, path: Path) -> None:
        """Write one line per word: word, class and logarithm, separated by tabs."""
        rows = (f"{word}\t{m.name}\t{m.log_p:.10g}" for word, m in self.members.items())
        write_lines(path, [HEADER, *rows])

    def masses(self) -> dict[str, float]:
        """Sum of the probabilities of the words of each class."""
        found: dict[str, float] = {}
        for member in self.members.values():
            found[member.name] = found.get(member.name, 0.0) + math.exp(member.log_p)
        return found

    def class_lines(self, lines: Iterable[str]) -> Iterator[str]:
        """Lines of a text with each word replaced by its class's name; `<unk>` for other words."""
        for line in lines:
            members = map(self.members.get, split_fields(line))
            yield " ".join([UNKNOWN if member is None else member.name for member in members])


def _member(fields: list[str]) -> Member | None:
    """Class and probability of a word, from the fields of a line."""
    if len(fields) != 2 or _CLASS.fullmatch(fields[0]) is None:
        return None
    try:
        log_p = float(fields[1])
    except ValueError:
        return None
    return Member(fields[0], log_p) if math.isfinite(log_p) and log_p <= 0 else None
