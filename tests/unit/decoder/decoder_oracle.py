"""A decoder that does nothing but enumerate, and sums each feature from its definition.

Slow and plain on purpose: the other one is held against it. Worlds are random models small enough
for every segmentation, order and choice of options of a short sentence to be written down.
"""

import gzip
import math
import random
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from pathlib import Path

import kenlm

SOURCE = ["le", "chien", "noir", "dort"]
UNKNOWN = ["ici", "7"]
TARGET = ["the", "dog", "black", "sleeps", ".", "for"]
ORIENTATIONS = {"msd": 3, "mslr": 4, "monotonicity": 2, "leftright": 2}
BIGRAMS = """\\data\\
ngram 1=6
ngram 2=3

\\1-grams:
-2\t<unk>\t0
-99\t<s>\t-0.3
-0.9\t</s>\t0
-0.7\tthe\t-0.25
-1.1\tdog\t-0.5
-0.8\t.\t-0.1

\\2-grams:
-0.2\t<s> the
-0.3\tthe dog
-0.4\t. </s>

\\end\\
"""

Words = tuple[str, ...]
Values = dict[str, list[float]]  # of each feature


@dataclass(frozen=True)
class Table:
    """A phrase table: source and target to probabilities and alignment, in the file's order."""

    label: str
    limit: int  # translations a source phrase; 0: all
    pairs: dict[tuple[Words, Words], tuple[list[float], list[tuple[int, int]]]]


@dataclass(frozen=True)
class Reordering:
    """A reordering table: source and target (or source alone) to probabilities."""

    label: str
    kind: str  # wbe-msd-bidirectional-fe ...
    scores: dict[tuple[Words, ...], list[float]]

    @property
    def directions(self) -> list[str]:
        """Which come first in a line."""
        named = self.kind.split("-")[2]
        return ["backward", "forward"] if named == "bidirectional" else [named]

    @property
    def classes(self) -> int:
        """Orientations that are told apart."""
        return ORIENTATIONS[self.kind.split("-")[1]]

    @property
    def width(self) -> int:
        """Values of the feature."""
        return len(self.directions) * (1 if "collapseff" in self.kind else self.classes)

    def key(self, source: Words, target: Words) -> tuple[Words, ...]:
        """What a phrase pair is looked up by."""
        return (source,) if "f" in self.kind.split("-") else (source, target)


@dataclass(frozen=True)
class World:
    """A model."""

    tables: list[Table]
    reorderings: list[Reordering]
    lms: dict[str, Path]
    singles: list[str]  # WordPenalty ..., those that are there
    weights: Values


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
    """Moses' logarithm of what stands in a table."""
    return max(math.log(probability), -100.0) if probability > 0 else -100.0


def random_world(rng: random.Random, lms: list[Path], *, table_limit: bool = False) -> World:
    """A model with every feature there or not there, and weights of either sign or zero."""
    tables = [_random_table(rng, f"TM{i}", table_limit) for i in range(rng.choice([1, 1, 2, 3]))]
    pairs = [pair for table in tables for pair in table.pairs]
    reorderings = [_random_reordering(rng, f"LR{i}", pairs) for i in range(rng.randint(0, 2))]
    singles = ["UnknownWordPenalty", "WordPenalty", "PhrasePenalty", "Distortion"]
    singles = [kind for kind in singles if kind.startswith("Unknown") or rng.random() < 0.8]
    models = {f"LM{i}": rng.choice(lms) for i in range(rng.randint(0, 2))}
    widths = {f"{kind}0": 1 for kind in singles} | dict.fromkeys(models, 1)
    widths |= {t.label: len(next(iter(t.pairs.values()))[0]) for t in tables}
    widths |= {r.label: r.width for r in reorderings}
    sign = rng.choice([0, 1, -1])  # all weights alike, or each its own
    weights = {
        label: [rng.choice([sign or 1, sign or -1, sign]) * rng.random() for _ in range(width)]
        for label, width in widths.items()
    }
    return World(tables, reorderings, models, singles, weights)


def _random_table(rng: random.Random, label: str, limited: bool) -> Table:
    sources = [(word,) for word in SOURCE] + [("le", "chien"), ("chien", "noir"), tuple(SOURCE[:3])]
    width = rng.randint(1, 3)
    pairs = {}
    for source in rng.sample(sources, k=rng.randint(2, len(sources))):
        for _ in range(rng.choice([1, 1, 2])):
            target = tuple(rng.choices(TARGET, k=rng.randint(1, 3)))
            scores = [rng.choice([0.0, rng.random(), rng.random()]) for _ in range(width)]
            points = [(s, t) for s in range(len(source)) for t in range(len(target))]
            pairs[source, target] = (
                scores,
                sorted(rng.sample(points, k=rng.randint(0, 2) % len(points))),
            )
    return Table(label, rng.randint(1, 2) if limited else 0, pairs)


def _random_reordering(
    rng: random.Random, label: str, pairs: list[tuple[Words, Words]]
) -> Reordering:
    parts = [
        rng.choice(["wbe", "phrase"]),
        rng.choice(list(ORIENTATIONS)),
        rng.choice(["bidirectional", "forward", "backward"]),
        rng.choice(["fe", "f"]),
        *rng.choice([[], ["allff"], ["collapseff"]]),
    ]
    table = Reordering(label, "-".join(parts), {})
    width = table.classes * len(table.directions)
    for pair in pairs:
        if rng.random() < 0.8:  # some have no scores
            table.scores.setdefault(table.key(*pair), [rng.random() for _ in range(width)])
    return table


def write_world(world: World, folder: Path, rng: random.Random) -> Path:
    """Write tables, reordering tables and moses.ini, lines in any order; returns the last."""
    features = list(world.singles)
    for table in world.tables:
        lines = [
            f"{' '.join(source)} ||| {' '.join(target)} ||| {' '.join(map(repr, scores))} ||| "
            f"{' '.join(f'{s}-{t}' for s, t in points)} ||| 1 1 1\n"
            for (source, target), (scores, points) in table.pairs.items()
        ]
        with gzip.open(folder / f"{table.label}.gz", "wt") as file:
            file.writelines(lines)
        features.append(
            f"PhraseDictionaryMemory name={table.label} num-features="
            f"{len(world.weights[table.label])} path={folder}/{table.label} "
            f"table-limit={table.limit}"
        )
    for table in world.reorderings:
        lines = [
            f"{' ||| '.join(map(' '.join, key))} ||| {' '.join(map(repr, scores))}\n"
            for key, scores in table.scores.items()
        ]
        rng.shuffle(lines)
        (folder / table.label).write_text("".join(lines))
        features.append(
            f"LexicalReordering name={table.label} num-features={table.width} type={table.kind} "
            f"path={folder}/{table.label}"
        )
    features += [f"KENLM name={label} path={path}" for label, path in world.lms.items()]
    rng.shuffle(features)
    weights = [f"{label}= {' '.join(map(repr, w))}" for label, w in world.weights.items()]
    (folder / "moses.ini").write_text(
        "\n".join(["[feature]", *features, "[weight]", *weights, ""]), encoding="utf-8"
    )
    return folder / "moses.ini"


@cache
def _lm(path: Path) -> kenlm.Model:
    return kenlm.Model(str(path))


@cache
def _lm_score(path: Path, words: Words, whole: bool) -> float:
    """Natural-log score of a sentence, or of words without any context."""
    model = _lm(path)
    if whole:
        return math.log(10) * model.score(" ".join(words), bos=True, eos=True)
    state, after, total = kenlm.State(), kenlm.State(), 0.0
    model.NullContextWrite(state)
    for word in words:
        total += model.BaseScore(state, word, after)
        state, after = after, state
    return math.log(10) * total


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
    return 2 if model == "msd" or ahead else 3


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
        ranked = sorted(options, key=self._promise, reverse=True)
        if not count or len(ranked) <= count:
            return ranked
        gap = self._promise(ranked[count - 1]) - self._promise(ranked[count])
        self.near_tie = self.near_tie or gap < 1e-3
        return ranked[:count]

    def _promise(self, option: Option) -> float:
        """What a phrase scores by itself, with language models that know no context."""
        values = self._own_values(option)
        score = sum(self._dot(label, own) for label, own in values.items())
        for label, path in self.world.lms.items():
            score += self._dot(label, [_lm_score(path, option.target, False)])
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
        for label, path in self.world.lms.items():
            values[label][0] += _lm_score(path, tuple(words), True)
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
