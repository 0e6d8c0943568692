"""Cases: answers of ours held against those of the program whose answers they should be."""

import re
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from operator import eq
from typing import TypeVar

from nlmt.errors import InputError

Answer = TypeVar("Answer")
# Differences that stay, by a pattern that all of the difference matches.
EXPLAINED: dict[str, str] = {
    r".*\[[^]]*-inf.*ours \[[^n]*": "no probability (-inf) is that of an unknown word, 1e-100",
    "'another value'.*one value expected.*": "two values of a setting; Moses takes the first",
    "'weights twice'.*": "two sets of weights; Moses takes the last",
    "'a setting twice'.*": "a setting twice, which Moses takes for language models alone",
}


@dataclass
class Case:
    """Answers compared with those of a program.

    Attributes:
        program: with its version.
        what: which answers.
        compared: number of answers.
        refused: inputs that the program itself refuses, of which nothing is asked.
        differences: the input, the program's answer and ours.
        explained: number of differences by reason.
    """

    program: str
    what: str
    compared: int = 0
    refused: int = 0
    differences: list[str] = field(default_factory=list)
    explained: dict[str, int] = field(default_factory=dict)

    def hold(
        self,
        given: object,
        theirs: Callable[[], Answer],
        ours: Callable[[], Answer],
        same: Callable[[Answer, Answer], bool] = eq,
    ) -> None:
        """Compare the answers to an input; a refusal of ours alone is a difference."""
        self.compared += 1
        try:
            expected = theirs()
        except Exception:  # a program refuses in many ways
            self.refused += 1
            return
        try:
            found = ours()
        except InputError as error:
            self._differ(f"{given!r}: {expected!r}, but we refuse it: {error}")
            return
        except Exception as error:
            self._differ(f"{given!r}: {expected!r}, but we fail: {error!r}")
            return
        if not same(expected, found):
            self._differ(f"{given!r}: {expected!r}, ours {found!r}")

    def compare(self, given: object, theirs: Answer, ours: Answer) -> None:
        """Compare answers that are there already."""
        self.hold(given, lambda: theirs, lambda: ours)

    def _differ(self, difference: str) -> None:
        for pattern, reason in EXPLAINED.items():
            if re.fullmatch(pattern, difference, re.DOTALL):
                self.explained[reason] = self.explained.get(reason, 0) + 1
                return
        self.differences.append(difference)


CASES: dict[tuple[str, str], Case] = {}


@contextmanager
def held(program: str, what: str) -> Iterator[Case]:
    """A row of the table, new or begun; fails at its end if there are new differences."""
    case = CASES.setdefault((program, what), Case(program, what))
    before = len(case.differences)
    yield case
    new = case.differences[before:]
    assert not new, "\n".join([f"{what}: {len(new)} differences", *new[:10]])
