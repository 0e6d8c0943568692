"""A decoder that does nothing but enumerate, and sums each feature from its definition.

Slow and plain on purpose: the other one is held against it.
"""

import math
from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
from decoder_worlds import Reordering, Table, Values, Words, World


@dataclass(frozen=True)
class Option:
    """A translation of the source words [begin, end); of no table where the word is unknown."""

    begin: int
    end: int
    source: Words
    target: Words
    table: Table | None


@dataclass(frozen=True)
class Derivation:
    """A translation as a line of an n-best list tells it."""

    words: str
    segmentation: str
    alignment: str
    values: Values
    total: float


def floored_log(probability: float) -> float:
    """Moses' logarithm of what stands in a table, which it reads in single precision."""
    read = float(np.float32(probability))
    return max(math.log(read), -100.0) if read > 0 else -100.0


def _orientation(kind: str, previous: Option | None, option: Option) -> int:
    """Number of the orientation class, by the spans of two phrases translated in a row."""
    begin, end = (previous.begin, previous.end) if previous else (0, 0)
    ahead = option.begin >= end
    model = kind.split("-")[1]
    if model == "leftright":
        return 0 if ahead else 1
    if option.begin == end:
        return 0
    if model == "monotonicity":
        return 1
    if previous and option.end == begin:
        return 1
    return 3 if model == "mslr" and ahead else 2


class Oracle:
    """All translations of one sentence."""

    def __init__(
        self, world: World, tokens: Words, *, limit: int = -1, drop: bool = False, most: int = 0
    ) -> None:
        """Collect the options.

        Args:
            world: the model.
            tokens: the sentence.
            limit: of distortion; -1: none.
            drop: leave out unknown words without digits.
            most: options a source span; 0: all.
        """
        self.world, self.tokens, self.limit = world, tokens, limit
        self.near_tie = False  # whether a limit on options cut between two of nearly equal score
        self.options: list[Option] = []
        for begin in range(len(tokens)):
            for end in range(begin + 1, len(tokens) + 1):
                self.options += self._of_span(begin, end, drop, most)

    def _of_span(self, begin: int, end: int, drop: bool, most: int) -> list[Option]:
        source = self.tokens[begin:end]
        found: list[Option] = []
        for table in self.world.tables:
            own = [
                Option(begin, end, source, target, table)
                for known, target in table.pairs
                if known == source
            ]
            found += self._best(own, table.limit)
        if not found and end == begin + 1:
            keep = not drop or any(c.isdigit() for c in source[0])
            return [Option(begin, end, source, source if keep else (), None)]
        return self._best(found, most)

    def _best(self, options: list[Option], count: int) -> list[Option]:
        if not count or len(options) <= count:
            return options
        ranked = sorted(options, key=self._promise, reverse=True)
        gap = self._promise(ranked[count - 1]) - self._promise(ranked[count])
        self.near_tie = self.near_tie or gap < 1e-3
        return ranked[:count]

    def _promise(self, option: Option) -> float:
        """What a phrase scores by itself, with language models that know no context."""
        values = self._own_values(option)
        score = sum(self._dot(label, own) for label, own in values.items())
        for label, lm in self.world.lms.items():
            score += self._dot(label, [lm.isolated(option.target)])
        return score

    def _dot(self, label: str, values: list[float]) -> float:
        weights = self.world.weights[label]
        return sum(w * v for w, v in zip(weights, values, strict=True))

    def _own_values(self, option: Option) -> Values:
        """Features that look at nothing but the phrase."""
        values: Values = {}
        if "WordPenalty" in self.world.singles:
            values["WordPenalty0"] = [-len(option.target)]
        if "PhrasePenalty" in self.world.singles:
            values["PhrasePenalty0"] = [1]
        if option.table is None:
            values["UnknownWordPenalty0"] = [-100]
        else:
            scores, _ = option.table.pairs[option.source, option.target]
            values[option.table.label] = [floored_log(score) for score in scores]
        return values

    def orders(self) -> Iterator[list[Option]]:
        """Every choice and order of options that the distortion limit allows.

        The next phrase begins within the limit of where the last one ended; from its own end, the
        first gap is within the limit, unless the phrase begins at that gap.
        """

        def extend(done: list[Option], covered: frozenset[int]) -> Iterator[list[Option]]:
            if len(covered) == len(self.tokens):
                yield done
                return
            gap = min(i for i in range(len(self.tokens)) if i not in covered)
            last = done[-1].end if done else 0
            for option in self.options:
                span = frozenset(range(option.begin, option.end))
                if span & covered:
                    continue
                if self.limit >= 0 and (
                    abs(option.begin - last) > self.limit
                    or (option.begin != gap and abs(option.end - gap) > self.limit)
                ):
                    continue
                yield from extend([*done, option], covered | span)

        return extend([], frozenset())

    def derivations(self) -> list[Derivation]:
        """All translations with all their features."""
        return [self._derivation(steps) for steps in self.orders()]

    def _derivation(self, steps: list[Option]) -> Derivation:
        values = {label: [0.0] * len(weights) for label, weights in self.world.weights.items()}
        segments, points = [], []
        words: list[str] = []
        previous: Option | None = None
        for option in steps:
            for label, own in self._own_values(option).items():
                values[label] = [a + b for a, b in zip(values[label], own, strict=True)]
            if "Distortion" in self.world.singles:
                values["Distortion0"][0] -= abs(option.begin - (previous.end if previous else 0))
            for table in self.world.reorderings:
                self._add_reordering(table, previous, option, values[table.label])
            begin, length = len(words), len(option.target)
            segments.append(f"{_span(option.begin, option.end)}={_span(begin, begin + length)}")
            aligned = [(0, 0)] * length
            if option.table is not None:
                aligned = option.table.pairs[option.source, option.target][1]
            points += [f"{option.begin + s}-{begin + t}" for s, t in aligned]
            words += option.target
            previous = option
        for label, lm in self.world.lms.items():
            values[label][0] += lm.score(tuple(words))
        total = sum(self._dot(label, own) for label, own in values.items())
        return Derivation(" ".join(words), " ".join(segments), " ".join(points), values, total)

    def _add_reordering(
        self, table: Reordering, previous: Option | None, option: Option, values: list[float]
    ) -> None:
        at = _orientation(table.kind, previous, option)
        for number, direction in enumerate(table.directions):
            looked_up = option if direction == "backward" else previous
            if looked_up is None or looked_up.table is None:
                continue
            scores = table.scores.get(table.key(looked_up.source, looked_up.target))
            if scores is not None:
                place = number * table.classes + at
                values[number if "collapseff" in table.kind else place] += floored_log(
                    scores[place]
                )


def _span(begin: int, end: int) -> str:
    return f"{begin}-{end - 1}" if end - begin > 1 else f"{begin}"
