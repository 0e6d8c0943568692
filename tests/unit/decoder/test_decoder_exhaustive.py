"""The whole search space of short sentences, enumerated by a decoder written for the purpose."""

import gzip
import itertools
import math
import random
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path

import kenlm
import numpy as np
import pytest
from decoder_neural import make_neural

from nlmt.decoder import Decoder, NbestRequest, SearchOptions
from nlmt.neural import NeuralLM

WORDS = ["le", "chien", "noir", "dort", "ici"]
TARGET = ["the", "dog", "black", "sleeps", "here", "for", "my", "."]


# Natural-log score of a sentence's words, `</s>` included.
Score = Callable[[tuple[str, ...]], float]


@dataclass(frozen=True)
class World:
    """A random model: phrase pair to probabilities, and to reordering probabilities."""

    folder: Path
    phrases: dict[tuple[str, str], list[float]]
    reordering: dict[tuple[str, str], list[float]]
    kind: str  # of reordering
    weights: dict[str, list[float]]
    lms: dict[str, tuple[str, Score]]  # by label: the feature's line, and what it says


ORIENTATIONS = {"msd": 3, "mslr": 4, "monotonicity": 2, "leftright": 2}


def directions(kind: str) -> list[str]:
    return ["backward", "forward"] if "bidirectional" in kind else [kind.split("-")[2]]


def ngram_lm(path: Path) -> Score:
    model = kenlm.Model(str(path))
    return lambda words: math.log(10) * model.score(" ".join(words), bos=True, eos=True)


def neural_lm(model: NeuralLM, scores: str) -> Score:
    model.normalised = scores == "normalised"

    @cache
    def score(words: tuple[str, ...]) -> float:
        ids = model.lookup(words)
        return float(model.score_sentences(ids, np.array([0, len(ids)]))[0])

    return score


def make_lms(folder: Path, golden: Path, labels: Sequence[str]) -> dict[str, tuple[str, Score]]:
    (folder / "bigram.arpa").write_text(BIGRAM)
    paths = {"LM0": golden / "model" / "lm.arpa.gz", "LM1": folder / "bigram.arpa"}
    words = [*TARGET[:-2], "ici"]  # some words of the table it does not know
    neural: dict[str, tuple[dict[str, object], str]] = {
        "NLM0": ({"order": 3}, "normalised"),
        "NLM1": ({"order": 4, "output": "full"}, "unnormalised"),
        "NLM2": ({"order": 2, "hidden": [5]}, "normalised"),
    }
    result = {}
    for label in labels:
        if label in paths:
            result[label] = (f"KENLM name={label} path={paths[label]}", ngram_lm(paths[label]))
            continue
        settings, scores = neural[label]
        model = make_neural(folder / label, words, **settings)
        line = f"NeuralLM name={label} path={folder / label} scores={scores}"
        result[label] = (line, neural_lm(model, scores))
    return result


def make_world(folder: Path, kind: str, seed: int, lms: dict[str, tuple[str, Score]]) -> World:
    rng = random.Random(seed)  # noqa: S311
    sources = [*WORDS[:-1], "le chien", "chien noir", "noir dort", "le chien noir"]
    phrases, reordering = {}, {}
    width = ORIENTATIONS[kind.split("-")[1]] * len(directions(kind))
    for source in sources:
        for _ in range(rng.randint(1, 3)):
            words = rng.choices(TARGET, k=rng.randint(1, 4))
            pair = (source, " ".join(words))
            phrases[pair] = [rng.choice([0.0, rng.random(), rng.random()]) for _ in range(2)]
            if rng.random() < 0.8:  # some have no reordering scores
                reordering[pair] = [rng.random() for _ in range(width)]
    values = len(directions(kind)) if "collapseff" in kind else width
    weights = {
        "UnknownWordPenalty0": [1.0],
        "WordPenalty0": [rng.uniform(-1, 1)],
        "PhrasePenalty0": [rng.uniform(-1, 1)],
        "TranslationModel0": [rng.random(), rng.random()],
        "LexicalReordering0": [rng.random() for _ in range(values)],
        "Distortion0": [rng.random()],
        **{label: [rng.random()] for label in lms},
    }
    world = World(folder, phrases, reordering, kind, weights, lms)
    write_world(world, width, values)
    return world


BIGRAM = """\\data\\
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


def write_world(world: World, width: int, values: int) -> None:
    lines = [
        f"{source} ||| {target} ||| {' '.join(map(repr, scores))} ||| 0-0 ||| 1 1 1 ||| |||\n"
        for (source, target), scores in world.phrases.items()  # not sorted: any order will do
    ]
    with gzip.open(world.folder / "table.gz", "wt") as table:
        table.writelines(lines)
    with (world.folder / "reordering").open("w") as reordering:
        for (source, target), scores in world.reordering.items():
            reordering.write(f"{source} ||| {target} ||| {' '.join(map(repr, scores))}\n")
    weights = "".join(
        f"{label}= {' '.join(map(repr, values))}\n" for label, values in world.weights.items()
    )
    lms = "\n".join(line for line, _ in world.lms.values())
    (world.folder / "moses.ini").write_text(
        f"""[feature]
UnknownWordPenalty
WordPenalty
PhrasePenalty
PhraseDictionaryMemory name=TranslationModel0 num-features=2 path={world.folder}/table.gz
LexicalReordering name=LexicalReordering0 num-features={values} type={world.kind} \
path={world.folder}/reordering
Distortion
{lms}

[weight]
{weights}"""
    )


def log(probability: float) -> float:
    return max(math.log(probability), -100.0) if probability > 0 else -100.0


def orientation(kind: str, previous: tuple[int, int] | None, span: tuple[int, int]) -> int:
    """Moses' orientation classes; spans are [begin, end)."""
    before, after = previous or (0, 0), span
    adjacent = after[0] == before[1]
    swapped = previous is not None and before[0] == after[1]
    ahead = after[0] >= before[1]
    model = kind.split("-")[1]
    if model == "leftright":
        return 0 if ahead else 1
    if model == "monotonicity":
        return 0 if adjacent else 1
    if adjacent:
        return 0
    if swapped:
        return 1
    return 2 if model == "msd" or ahead else 3


Step = tuple[tuple[int, int], str | None]


def derivations(world: World, tokens: list[str], limit: int) -> Iterator[list[Step]]:
    """Every order and segmentation that the distortion limit allows."""

    def spans() -> Iterator[Step]:
        for begin in range(len(tokens)):
            known = False
            for end in range(begin + 1, len(tokens) + 1):
                source = " ".join(tokens[begin:end])
                for known_source, target in world.phrases:
                    if known_source == source:
                        known = known or end == begin + 1
                        yield (begin, end), target
            if not known:
                yield (begin, begin + 1), None

    options = list(spans())

    def extend(done: list[Step], covered: set[int]) -> Iterator[list[Step]]:
        if len(covered) == len(tokens):
            yield done
            return
        gap = min(set(range(len(tokens))) - covered)
        last = done[-1][0][1] if done else 0
        for (begin, end), target in options:
            span = set(range(begin, end))
            if span & covered or (limit >= 0 and abs(begin - last) > limit):
                continue
            if begin != gap and limit >= 0 and abs(end - gap) > limit:
                continue
            yield from extend([*done, ((begin, end), target)], covered | span)

    yield from extend([], set())


def score(world: World, tokens: list[str], steps: list[Step]) -> float:
    """Model score of a derivation, feature by feature."""
    words, total = [], 0.0
    previous: tuple[tuple[int, int], tuple[str, str]] | None = None
    kind, weights = world.kind, world.weights
    classes = ORIENTATIONS[kind.split("-")[1]]
    for span, target in steps:
        source = " ".join(tokens[span[0] : span[1]])
        surface = source if target is None else target
        words += surface.split()
        total += weights["PhrasePenalty0"][0] - weights["WordPenalty0"][0] * len(surface.split())
        total -= weights["Distortion0"][0] * abs(span[0] - (previous[0][1] if previous else 0))
        if target is None:
            total -= 100
        else:
            for weight, probability in zip(
                weights["TranslationModel0"], world.phrases[source, target], strict=True
            ):
                total += weight * log(probability)
        way = orientation(kind, previous[0] if previous else None, span)
        for number, direction in enumerate(directions(kind)):
            pair = (source, surface) if direction == "backward" else previous and previous[1]
            if pair in world.reordering:
                at = number * classes + way
                value = number if "collapseff" in kind else at
                total += weights["LexicalReordering0"][value] * log(world.reordering[pair][at])
        previous = (span, (source, surface))
    for label, (_, lm) in world.lms.items():
        total += weights[label][0] * lm(tuple(words))
    return total


KINDS = [
    "wbe-msd-bidirectional-fe-allff",
    "wbe-mslr-bidirectional-fe-allff",
    "phrase-monotonicity-forward-fe",
    "wbe-leftright-backward-fe",
    "wbe-msd-bidirectional-fe-collapseff",
]


LMS = ["LM0", "LM1"]
MIXES = [(kind, LMS) for kind in KINDS] + [
    (KINDS[0], labels) for labels in (["NLM0"], ["NLM1", "NLM0"], ["LM1", "NLM2"], [])
]


@pytest.mark.parametrize(("kind", "labels"), MIXES, ids=str)
@pytest.mark.parametrize("cube_pruning", [False, True])
def test_finds_every_derivation(
    kind: str,
    labels: list[str],
    cube_pruning: bool,
    tmp_path: Path,
    golden: Path,
) -> None:
    lms = make_lms(tmp_path, golden, labels)
    world = make_world(tmp_path, kind, KINDS.index(kind), lms)
    decoder = Decoder(tmp_path / "moses.ini")
    sentences = [["le", "chien", "noir", "dort"], ["ici", "le", "chien"], ["chien"] * 3]
    for tokens, limit in itertools.product(sentences, (-1, 0, 1, 2, 6)):
        decoder.search = SearchOptions(
            cube_pruning=cube_pruning,
            stack=10**6,
            pop_limit=10**6,
            beam_threshold=0.0,
            distortion_limit=limit,
        )
        expected: dict[str, list[float]] = {}
        for steps in derivations(world, tokens, limit):
            surface = " ".join(
                " ".join(tokens[b:e]) if target is None else target for (b, e), target in steps
            )
            expected.setdefault(surface, []).append(score(world, tokens, steps))
        for distinct in (False, True):
            path = tmp_path / "list"
            request = NbestRequest(path, 10**6, distinct=distinct)
            (best,) = decoder.decode([" ".join(tokens)], nbest=request)
            found: dict[str, list[float]] = {}
            totals = []
            for line in path.read_text().splitlines():
                _, surface, _, total = line.split(" ||| ")
                found.setdefault(surface.strip(), []).append(float(total))
                totals.append(float(total))
            assert totals == sorted(totals, reverse=True)
            assert found.keys() == expected.keys()
            for surface, scores in expected.items():
                wanted = sorted(scores, reverse=True)[: 1 if distinct else None]
                assert found[surface] == pytest.approx(wanted, abs=2e-3, rel=1e-5)
            top = max(map(max, expected.values()))
            assert best.score == pytest.approx(top, abs=1e-3, rel=1e-5)
