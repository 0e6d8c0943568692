"""Lattice MERT (Macherey et al. 2008): line searches over all paths of the lattices.

Along a line through the weights only few paths of a lattice ever win, and they are found exactly,
however many paths there are. They become a pool on which n-best MERT works; lines through the
weights that it finds show further paths, until it foresees no gain over what the last weights
really reach. There the pool knows all that the lattices know of these lines.
"""

from collections.abc import Collection, Iterable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from itertools import islice

import numpy as np
from numpy.typing import NDArray

from nlmt.errors import InputError
from nlmt.io.lattice import Lattice
from nlmt.io.lattice_file import LatticeFile
from nlmt.io.nbest import NbestList
from nlmt.tuning import _mert
from nlmt.tuning.folding import select
from nlmt.tuning.mert import Tuned
from nlmt.tuning.objective import OBJECTIVES, Objective
from nlmt.tuning.optimise import feature_spreads, normalise, optimise
from nlmt.tuning.pool import Pool, pool_of_nbest

# Rounds at most; each adds paths that no weights seen before have shown.
MAX_ROUNDS = 20
# Directions of lines besides those along the features.
RANDOM_DIRECTIONS = 20
# Of the objective: weights foreseen to be better by less end the search.
_GAIN = 1e-5
_BATCH = 32  # lattices in memory at a time, for each thread

Lattices = Sequence[Lattice] | LatticeFile
Names = Sequence[tuple[str, int]]


def lattice_mert(
    lattices: Lattices,
    references: Sequence[Sequence[str]],
    starts: Sequence[NDArray[np.float64]],
    *,
    known: Pool | None = None,
    objective: Objective = OBJECTIVES["bleu"],
    tuned: Collection[str] = (),
    runs: int = 1,
    restarts: int = 20,
    seed: int = 1,
    threads: int = 1,
) -> tuple[Tuned, Pool]:
    """Tune weights on lattices.

    Args:
        lattices: one for each sentence, gone through once a round; their numbers count the lines
            of the references from 0.
        references: one or more sets of lines.
        starts: (F,) points to start from, one weight for each of `tunable_features`.
        known: paths of other lattices of the same sentences, such as those of earlier decoder runs.
        objective: what to tune for.
        tuned: labels of the features to tune, as in `optimise`.
        runs: of each MERT; the mean of their weights is taken.
        restarts: random starting points of each MERT.
        seed: the same seed gives the same weights.
        threads: the result does not depend on it.

    Returns:
        the weights and what they reach on all paths of the lattices; the paths found, with `known`.

    Raises:
        InputError: no lattices, other features or two lattices of a sentence, a sentence without
            reference, weights that do not fit.
    """
    names = _common_features(lattices)
    width = sum(count for _, count in names)
    if not starts:
        raise InputError("nowhere to start", hint="give initial weights")
    for start in starts:
        if start.shape != (width,):
            raise InputError(f"{len(start)} weights, but the lattices have {width} features")
    lines = _axes(names, tuned, starts[0])
    pool, points, drawn = known, list(starts), lines[:0]
    best = Tuned(normalise(starts[0]), -np.inf)
    for _ in range(MAX_ROUNDS):
        nbest = winning_paths(lattices, points, np.concatenate([lines, drawn]), threads=threads)
        found = pool_of_nbest(nbest, references, objective=objective, threads=threads)
        pool = pool.merge([found]) if pool else found
        reached = pool.lists().value(points[0])
        if reached > best.value:
            best = Tuned(points[0], reached)
        foreseen = optimise(
            pool, [best.weights, *starts],
            tuned=tuned, runs=runs, restarts=restarts, seed=seed, threads=threads,
        )  # fmt: skip
        if foreseen.value <= best.value + _GAIN:
            break
        points, drawn = [foreseen.weights], _random_lines(pool, lines, seed)
    assert pool is not None, "MAX_ROUNDS is at least 1"
    return best, pool


def tunable_features(names: Names) -> list[tuple[str, int]]:
    """Labels and widths of the features of lattices that n-best lists have, and tuning changes.

    As for Moses the penalty of unknown words is none: all translations have as many.
    """
    return [(label, width) for label, width in names if not _is_fixed(label)]


def winning_paths(
    lattices: Iterable[Lattice],
    points: Sequence[NDArray[np.float64]],
    directions: NDArray[np.float64],
    *,
    threads: int = 1,
) -> NbestList:
    """The paths of each lattice that win somewhere on the lines through points along directions.

    Args:
        lattices: of the same features.
        points: (F,) weights of the tunable features.
        directions: (D, F).
        threads: the result does not depend on it.

    Returns:
        an n-best list, in which every path stands once.
    """
    through = np.array(points, np.float64)
    directions = np.ascontiguousarray(directions, np.float64)

    def find(
        lattice: Lattice,
    ) -> tuple[NDArray[np.float64], NDArray[np.int32], NDArray[np.int64]]:
        return _mert.winning_paths(
            lattice.nodes, lattice.from_node, lattice.to_node, lattice.phrase,
            _tunable_columns(lattice), lattice.word_offsets, lattice.word_ids, through, directions,
        )  # fmt: skip

    vocabulary: dict[str, int] = {}
    words: Sequence[str] | None = None
    places = np.zeros(0, np.int32)
    names: Names = []
    sentence, features, ids, lengths = [], [], [], []
    with ThreadPoolExecutor(threads) as pool:
        for batch in _batches(lattices, _BATCH * threads):
            for lattice, (sums, path_words, offsets) in zip(
                batch, pool.map(find, batch), strict=True
            ):
                if lattice.words is not words:  # those of one file share their vocabulary
                    words = lattice.words
                    places = np.array(
                        [vocabulary.setdefault(word, len(vocabulary)) for word in words], np.int32
                    )
                names = tunable_features(lattice.feature_names)
                sentence.append(np.full(len(sums), lattice.sentence, np.int32))
                features.append(sums)
                ids.append(places[path_words])
                lengths.append(np.diff(offsets))
    total = np.concatenate(lengths)
    return NbestList(
        np.concatenate(sentence),
        list(vocabulary),
        np.concatenate(ids),
        np.concatenate([[0], np.cumsum(total)]).astype(np.int64),
        np.concatenate(features),
        list(names),
        np.zeros(len(total)),
    )


def _common_features(lattices: Iterable[Lattice]) -> list[tuple[str, int]]:
    """The tunable features; checks that all lattices have the same, each sentence one lattice."""
    names: list[tuple[str, int]] | None = None
    sentences: set[int] = set()
    for lattice in lattices:
        names = lattice.feature_names if names is None else names
        if lattice.sentence in sentences:
            raise InputError(f"two lattices of sentence {lattice.sentence}")
        if lattice.feature_names != names:
            raise InputError(f"the lattice of sentence {lattice.sentence} has other features")
        sentences.add(lattice.sentence)
    if names is None:
        raise InputError("no lattices to tune on")
    return tunable_features(names)


def _is_fixed(label: str) -> bool:
    return label.startswith("UnknownWordPenalty")


def _tunable_columns(lattice: Lattice) -> NDArray[np.float32]:
    fixed = [_is_fixed(label) for label, width in lattice.feature_names for _ in range(width)]
    return np.ascontiguousarray(lattice.features[:, ~np.array(fixed, bool)])


def _axes(names: Names, tuned: Collection[str], start: NDArray[np.float64]) -> NDArray[np.float64]:
    """(D, F) directions along the tuned features, and along all others together."""
    mask = select(names, tuned)
    rest = [] if mask.all() else [np.where(mask, 0.0, start)]
    return np.concatenate([np.eye(len(mask))[mask], *(row[None] for row in rest)])


def _random_lines(pool: Pool, lines: NDArray[np.float64], seed: int) -> NDArray[np.float64]:
    """Directions in the space of `lines`, along which every part changes the scores as much."""
    along = np.stack([np.einsum("nf,f->n", pool.features, line) for line in lines], axis=1)
    spreads = feature_spreads(pool, along)
    scale = np.where(spreads > 0, 1 / np.maximum(spreads, 1e-12), 0.0)
    random = np.random.Generator(np.random.PCG64(seed))
    shares = random.uniform(-1, 1, (RANDOM_DIRECTIONS, len(lines))) * scale
    return np.asarray(np.einsum("dn,nf->df", shares, lines))


def _batches(lattices: Iterable[Lattice], size: int) -> Iterator[list[Lattice]]:
    rest = iter(lattices)
    while batch := list(islice(rest, size)):
        yield batch
