"""Random models, small enough for all translations of a short sentence to be written down."""

import gzip
import math
import random
from collections.abc import Callable
from dataclasses import dataclass
from functools import cache
from pathlib import Path

import kenlm
import numpy as np

from nlmt.neural import NeuralLM

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
class LanguageModel:
    """A language model: its line of moses.ini, without the name, and natural-log scores."""

    line: str
    score: Callable[[Words], float]  # of a sentence, </s> included
    isolated: Callable[[Words], float]  # of words without context, as far as the order reaches


@dataclass(frozen=True)
class World:
    """A model."""

    tables: list[Table]
    reorderings: list[Reordering]
    lms: dict[str, LanguageModel]
    singles: list[str]  # WordPenalty ..., those that are there
    weights: Values


def ngram_model(path: Path) -> LanguageModel:
    """A KenLM model, by KenLM's own Python."""
    model = kenlm.Model(str(path), kenlm.Config())

    @cache
    def score(words: Words) -> float:
        return math.log(10) * model.score(" ".join(words), bos=True, eos=True)

    @cache
    def isolated(words: Words) -> float:
        state, after, total = kenlm.State(), kenlm.State(), 0.0
        model.NullContextWrite(state)
        for word in words:
            total += model.BaseScore(state, word, after)
            state, after = after, state
        return math.log(10) * total

    return LanguageModel(f"KENLM path={path}", score, isolated)


def neural_model(path: Path, model: NeuralLM, scores: str) -> LanguageModel:
    """A neural model, by the library's scores of sentences."""
    model.normalised = scores == "normalised"

    @cache
    def score(words: Words) -> float:
        ids = model.lookup(words)
        return float(model.score_sentences(ids, np.array([0, len(ids)]))[0])

    def isolated(words: Words) -> float:
        raise NotImplementedError("limits on options are tried with n-gram models")

    return LanguageModel(f"NeuralLM path={path} scores={scores}", score, isolated)


def random_world(
    rng: random.Random, lms: list[LanguageModel], *, table_limit: bool = False
) -> World:
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
            # One without words leaves the source words out.
            target = tuple(rng.choices(TARGET, k=rng.choice([0, 1, 1, 2, 2, 3, 3])))
            scores = [rng.choice([0.0, rng.random(), rng.random()]) for _ in range(width)]
            points = [(s, t) for s in range(len(source)) for t in range(len(target))]
            pairs[source, target] = (
                scores,
                sorted(rng.sample(points, k=rng.randint(0, 2) % max(len(points), 1))),
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
    features += [f"{lm.line} name={label}" for label, lm in world.lms.items()]
    rng.shuffle(features)
    weights = [f"{label}= {' '.join(map(repr, w))}" for label, w in world.weights.items()]
    (folder / "moses.ini").write_text(
        "\n".join(["[feature]", *features, "[weight]", *weights, ""]), encoding="utf-8"
    )
    return folder / "moses.ini"
