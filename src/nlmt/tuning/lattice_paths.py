"""The paths of lattices that win somewhere along lines through the weights, as an n-best list."""

from collections.abc import Collection, Iterable, Sequence
from concurrent.futures import ThreadPoolExecutor

import numpy as np
from numpy.typing import NDArray

from nlmt.chunks import in_chunks
from nlmt.errors import InputError
from nlmt.io.lattice import Lattice, tunable_columns, tunable_features
from nlmt.io.nbest import NbestList
from nlmt.tuning import _mert
from nlmt.tuning.feature_names import Names, select_left_out

_BATCH = 32  # lattices in memory at a time, per thread


def common_features(
    lattices: Iterable[Lattice], references: Sequence[Sequence[str]]
) -> list[tuple[str, int]]:
    """The tunable features that all lattices have.

    Raises:
        InputError: no lattices, two of one sentence, one without a reference, or differing
            features.
    """
    names: list[tuple[str, int]] | None = None
    sentences: set[int] = set()
    lines = min(map(len, references), default=0)
    for lattice in lattices:
        names = lattice.feature_names if names is None else names
        if lattice.sentence in sentences:
            raise InputError(f"two lattices of sentence {lattice.sentence}")
        if not 0 <= lattice.sentence < lines:
            raise InputError(f"no reference for sentence {lattice.sentence} of the lattices")
        if lattice.feature_names != names:
            raise InputError(f"the lattice of sentence {lattice.sentence} has other features")
        sentences.add(lattice.sentence)
    if names is None:
        raise InputError("no lattices to tune on")
    return tunable_features(names)


def check_starts(
    names: Names, starts: Sequence[NDArray[np.float64]], left_out: Collection[str]
) -> list[NDArray[np.float64]]:
    """The starts, with 0 for the features that are left out.

    Raises:
        InputError: no start, or one with a wrong number of weights.
    """
    width = sum(count for _, count in names)
    if not starts:
        raise InputError("no point to start from", hint="give initial weights")
    for start in starts:
        if start.shape != (width,):
            raise InputError(f"{len(start)} weights, but the lattices have {width} features")
    dropped = select_left_out(names, left_out)
    return [np.where(dropped, 0.0, start) for start in starts]


def winning_paths(
    lattices: Iterable[Lattice],
    points: Sequence[NDArray[np.float64]],
    directions: NDArray[np.float64],
    *,
    threads: int = 1,
) -> NbestList:
    """The paths of each lattice that win somewhere on the lines through points along directions.

    `points` are weights (F,) of the tunable features, `directions` has the shape (D, F).

    Returns:
        an n-best list, in which every path occurs once.
    """
    through = np.array(points, np.float64)
    directions = np.ascontiguousarray(directions, np.float64)

    def find(lattice: Lattice) -> _Paths:
        return _mert.winning_paths(
            lattice.nodes, lattice.from_node, lattice.to_node, lattice.phrase,
            tunable_values(lattice), lattice.word_offsets, lattice.word_ids, through, directions,
        )  # fmt: skip

    made = ListBuilder()
    with ThreadPoolExecutor(threads) as pool:
        for batch in in_chunks(lattices, _BATCH * threads):
            for lattice, paths in zip(batch, pool.map(find, batch), strict=True):
                made.add(lattice, paths)
    return made.nbest()


# (paths, F) sums of features; words of all paths; (paths + 1,) where the words of each path begin
_Paths = tuple[NDArray[np.float64], NDArray[np.int32], NDArray[np.int64]]


class ListBuilder:
    """Joins paths of lattices, whose vocabularies differ, in one n-best list."""

    def __init__(self) -> None:
        self._vocabulary: dict[str, int] = {}
        self._words: Sequence[str] | None = None
        self._places = np.zeros(0, np.int32)
        self._names: Names = []
        self._sentence: list[NDArray[np.int32]] = []
        self._features: list[NDArray[np.float64]] = []
        self._ids: list[NDArray[np.int32]] = []
        self._lengths: list[NDArray[np.int64]] = []

    def add(self, lattice: Lattice, paths: _Paths) -> None:
        """Add the paths of one lattice."""
        sums, words, offsets = paths
        if lattice.words is not self._words:  # lattices of one file share their vocabulary
            self._words = lattice.words
            numbers = [self._vocabulary.setdefault(w, len(self._vocabulary)) for w in lattice.words]
            self._places = np.array(numbers, np.int32)
        self._names = tunable_features(lattice.feature_names)
        self._sentence.append(np.full(len(sums), lattice.sentence, np.int32))
        self._features.append(sums)
        self._ids.append(self._places[words])
        self._lengths.append(np.diff(offsets))

    def nbest(self) -> NbestList:
        """All paths."""
        lengths = np.concatenate(self._lengths)
        return NbestList(
            np.concatenate(self._sentence),
            list(self._vocabulary),
            np.concatenate(self._ids),
            np.concatenate([[0], np.cumsum(lengths)]).astype(np.int64),
            np.concatenate(self._features),
            list(self._names),
            np.zeros(len(lengths)),
        )


def tunable_values(lattice: Lattice) -> NDArray[np.float32]:
    """Values (A, F) of the arcs' tunable features."""
    return np.ascontiguousarray(lattice.features[:, tunable_columns(lattice.feature_names)])
