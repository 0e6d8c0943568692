"""Small lattices for tests, and all their paths by plain enumeration."""

import random

import numpy as np
from numpy.typing import NDArray

from nlmt.io.lattice import Lattice, Path, arrange

WORDS = ["a", "b", "c", "d", "<s>", "é", "x|y"]
NAMES = [("LM0", 1), ("TM0", 2)]
WEIGHTS = {"LM0": [0.5], "TM0": [0.3, -0.2]}
# One path, in HTK's format.
SLF = """UTTERANCE=Sentence_3
VERSION=1.1
NODES=3
LINKS=2
start=0
end=2
# LM0
x1scale=0.5
I=0
J=0 S=0 E=1 W=a x1=-2
J=1 S=1 E=2 W=!NULL
"""


def random_lattice(seed: int, nodes: int = 6, arcs: int = 12, sentence: int = 0) -> Lattice:
    """A lattice of up to as many nodes and arcs; four source words, phrases of 0 to 3 words."""
    rng = random.Random(seed)  # noqa: S311
    ends = [sorted(rng.sample(range(nodes), 2)) for _ in range(arcs)] + [[0, nodes - 1]]
    starts, to = (np.array(column, np.int32) for column in zip(*ends, strict=True))
    order, place, left = arrange(nodes, starts, to, 0, nodes - 1)
    phrases = [[rng.randrange(4) for _ in range(rng.randrange(4))] for _ in range(4)]
    spans = [sorted(rng.sample(range(5), 2)) for _ in phrases]
    points = [[(0, t) for t in range(len(words)) if rng.random() < 0.5] for words in phrases]
    flat = [point for some in points for point in some]
    features = np.round(np.random.default_rng(seed).normal(size=(len(order), 3)), 2)
    features[:, 2] = 1.5
    return Lattice(
        sentence,
        WORDS,
        np.array([4, 5, 6, 6], np.int32),
        left,
        place[starts[order]],
        place[to[order]],
        np.array([rng.randrange(4) for _ in order], np.int32),
        features.astype(np.float32),
        NAMES,
        WEIGHTS,
        np.cumsum([0, *map(len, phrases)]),
        np.array([w for words in phrases for w in words], np.int32),
        np.array(spans, np.int32),
        np.cumsum([0, *map(len, points)]),
        np.array(flat, np.int32).reshape(-1, 2),
    )


def path_features(lattice: Lattice, path: Path) -> NDArray[np.float64]:
    """Sums of the feature values of the arcs of a path."""
    values: NDArray[np.float64] = lattice.features[path.arcs].astype(np.float64).sum(axis=0)
    return values


def path_alignment(lattice: Lattice, path: Path) -> str:
    """Aligned source and target words of a path's translation, `0-0 2-1`."""
    points: list[str] = []
    done = 0
    for phrase in lattice.phrase[path.arcs]:
        begin, end = lattice.point_offsets[phrase : phrase + 2]
        first = lattice.spans[phrase, 0]
        points += [f"{first + s}-{done + t}" for s, t in lattice.points[begin:end]]
        done += len(lattice.phrase_words(phrase))
    return " ".join(points)


def all_paths(lattice: Lattice) -> list[Path]:
    """Every path, the best first."""
    scores = lattice.scores()
    open_paths: list[tuple[int, list[int]]] = [(0, [])]
    found = []
    while open_paths:
        node, arcs = open_paths.pop()
        if node == lattice.nodes - 1:
            found.append(Path(np.array(arcs, np.int32), float(scores[arcs].sum())))
        open_paths += [
            (int(lattice.to_node[a]), [*arcs, int(a)])
            for a in np.flatnonzero(lattice.from_node == node)
        ]
    return sorted(found, key=lambda path: -path.score)


def contents(lattice: Lattice) -> list[object]:
    """What a lattice says, whatever the numbers of its words and phrases."""
    arcs = []
    for a in range(len(lattice)):
        p = lattice.phrase[a]
        points = lattice.points[lattice.point_offsets[p] : lattice.point_offsets[p + 1]]
        arcs.append(
            (
                int(lattice.from_node[a]),
                int(lattice.to_node[a]),
                lattice.phrase_words(p),
                lattice.spans[p].tolist(),
                points.tolist(),
                lattice.features[a].tolist(),
            )
        )
    source = [lattice.words[w] for w in lattice.source]
    return [lattice.sentence, source, lattice.nodes, arcs, lattice.feature_names]
