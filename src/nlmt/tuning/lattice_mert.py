"""Lattice MERT (Macherey et al. 2008): line searches over all paths of the lattices.

Along a line through the weights only few paths of a lattice ever win, and they are found exactly,
however many paths there are. They become a pool on which n-best MERT works; lines through the
weights that it finds show further paths, until those through the last weights show none. There the
pool knows all that the lattices know: on these lines both have the same best weights.
"""

import random
from collections.abc import Sequence
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

from nlmt.errors import InputError
from nlmt.io.lattice import Lattice, Path
from nlmt.io.lattice_text import split_fields
from nlmt.io.nbest import NbestList
from nlmt.tuning import _mert
from nlmt.tuning.mert import Tuned, mert
from nlmt.tuning.objective import OBJECTIVES, Objective
from nlmt.tuning.pool import pool_of_nbest

# Rounds at most; each adds paths that no weights seen before have shown.
MAX_ROUNDS = 20


def lattice_mert(
    lattices: Sequence[Lattice],
    references: Sequence[Sequence[str]],
    starts: Sequence[NDArray[np.float64]],
    *,
    objective: Objective = OBJECTIVES["bleu"],
    restarts: int = 20,
    seed: int = 1,
    threads: int = 1,
) -> Tuned:
    """Tune weights on lattices.

    Args:
        lattices: one for each sentence; their numbers count the lines of the references from 0.
        references: one or more sets of lines.
        starts: (F,) points to start from.
        objective: what to tune for.
        restarts: random points to start from besides, uniform between 0 and 1.
        seed: the same seed gives the same weights.
        threads: the result does not depend on it.

    Raises:
        InputError: no lattices, other features or two lattices of a sentence, a sentence without
            reference, weights that do not fit.
    """
    ordered = sorted(lattices, key=lambda lattice: lattice.sentence)
    if not ordered:
        raise InputError("no lattices to tune on")
    names = ordered[0].feature_names
    for before, after in pairwise(ordered):
        if before.sentence == after.sentence:
            raise InputError(f"two lattices of sentence {after.sentence}")
        if after.feature_names != names:
            raise InputError(f"the lattice of sentence {after.sentence} has other features")
    width = sum(count for _, count in names)
    for start in starts:
        if start.shape != (width,):
            raise InputError(f"{len(start)} weights, but the lattices have {width} features")
    uniform = random.Random(seed).random  # noqa: S311 - no secret; the same everywhere
    drawn = [np.array([uniform() for _ in range(width)]) for _ in range(restarts)]
    points, pool = [*starts, *drawn], None
    for _ in range(MAX_ROUNDS):
        nbest = winning_paths(ordered, points)
        found = pool_of_nbest(nbest, references, objective=objective, threads=threads)
        merged = pool.merge([found]) if pool else found
        if pool and len(merged) == len(pool):
            break
        pool = merged
        tuned = mert(pool, points, restarts=0, seed=seed, threads=threads)
        points = [tuned.weights, *starts]
    return tuned


def winning_paths(lattices: Sequence[Lattice], points: Sequence[NDArray[np.float64]]) -> NbestList:
    """The paths of each lattice that win somewhere on the lines through points along the features.

    Args:
        lattices: sorted by their sentences.
        points: (F,) weights.

    Returns:
        an n-best list, in which every path stands once.
    """
    vocabulary: dict[str, int] = {}
    sentence: list[int] = []
    words: list[list[int]] = []
    features: list[NDArray[np.float64]] = []
    for lattice in lattices:
        values = lattice.features.astype(np.float64)
        paths: dict[bytes, NDArray[np.int32]] = {}
        for point in points:
            arcs, offsets = _mert.lattice_paths(
                lattice.nodes,
                lattice.from_node,
                lattice.to_node,
                values,
                np.ascontiguousarray(point, np.float64),
                np.eye(values.shape[1]),
            )
            for begin, end in pairwise(offsets.tolist()):
                paths.setdefault(arcs[begin:end].tobytes(), arcs[begin:end])
        for path in paths.values():
            text = split_fields(lattice.text(Path(path, 0.0)))
            words.append([vocabulary.setdefault(word, len(vocabulary)) for word in text])
            features.append(values[path].sum(axis=0))
        sentence += [lattice.sentence] * len(paths)
    return NbestList(
        np.array(sentence, np.int32),
        list(vocabulary),
        np.array([word for row in words for word in row], np.int32),
        np.cumsum([0, *map(len, words)]).astype(np.int64),
        np.array(features),
        lattices[0].feature_names,
        np.zeros(len(sentence)),
    )
