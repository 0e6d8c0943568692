"""The hypotheses on which weights are tuned: features and statistics, each hypothesis once."""

from collections.abc import Collection, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from nlmt.errors import InputError
from nlmt.io.nbest import NbestList
from nlmt.tuning import _mert
from nlmt.tuning.feature_names import select_left_out
from nlmt.tuning.objective import DEFAULT_OBJECTIVE, Objective

_TOO_LARGE = 1e30  # the compiled optimiser takes less


@dataclass(frozen=True, eq=False)
class Pool:
    """Hypotheses of a tuning set, grouped by sentence; N of them, with F feature values each.

    Attributes:
        sentence: (N,) number of the sentence, never falling.
        features: (N, F).
        statistics: (N, W) statistics of the objective.
        names: label and number of values of the features; empty if they have no names.
        objective: of tuning.
    """

    sentence: NDArray[np.int32]
    features: NDArray[np.float64]
    statistics: NDArray[np.int32]
    names: list[tuple[str, int]]
    objective: Objective = DEFAULT_OBJECTIVE

    def __len__(self) -> int:
        """Number of hypotheses."""
        return len(self.sentence)

    def merge(self, others: Sequence["Pool"]) -> "Pool":
        """This pool followed by others; of hypotheses with equal features only the first.

        A decoder cannot choose between such hypotheses by its weights, so an optimiser must not.

        Raises:
            InputError: other features, or another objective.
        """
        pools = [self, *others]
        for other in others:
            if other.objective != self.objective:
                raise InputError(
                    f"hypotheses for {self.objective.name} and for {other.objective.name}"
                )
            if other.names != self.names or other.features.shape[1] != self.features.shape[1]:
                raise InputError(
                    f"the features of n-best lists differ: {_describe(self)}; {_describe(other)}"
                )
        sentence = np.concatenate([pool.sentence for pool in pools])
        features = np.concatenate([pool.features for pool in pools])
        statistics = np.concatenate([pool.statistics for pool in pools])
        kept = _mert.distinct(sentence, features)
        kept = kept[np.argsort(sentence[kept], kind="stable")]
        return Pool(sentence[kept], features[kept], statistics[kept], self.names, self.objective)

    def spreads(self, features: NDArray[np.float64]) -> NDArray[np.float64]:
        """Mean range (F,) of each feature (N, F) within a sentence."""
        starts = self.offsets()[:-1]
        distances = np.maximum.reduceat(features, starts) - np.minimum.reduceat(features, starts)
        return np.asarray(distances.mean(axis=0))

    def offsets(self) -> NDArray[np.int64]:
        """Offsets of each sentence's first hypothesis, then N (sentences + 1,)."""
        starts = np.flatnonzero(np.diff(self.sentence, prepend=-1))
        return np.append(starts, len(self)).astype(np.int64)

    def best_rows(self, weights: NDArray[np.float64]) -> NDArray[np.int64]:
        """Row (sentences,) of the best hypothesis of each sentence with weights (F,)."""
        return self.offsets()[:-1] + self.lists().winners(weights)

    def lists(self) -> _mert.Lists:
        """The pool as the compiled optimiser takes it."""
        return _mert.Lists(self.features, self.offsets(), self.statistics, self.objective.name)


def pool_of_nbest(
    nbest: NbestList,
    references: Sequence[Sequence[str]],
    *,
    objective: Objective = DEFAULT_OBJECTIVE,
    left_out: Collection[str] = (),
    threads: int = 1,
) -> Pool:
    """The pool of an n-best list's hypotheses, each once.

    The list's sentence numbers count the lines of the references from 0. Features that are
    `left_out` are set to 0, as weights cannot distinguish hypotheses that differ only in them.

    Raises:
        InputError: a sentence of the list has no reference; a score that is too large to tune on; a
            feature to leave out that is missing.
    """
    statistics = objective.metric.nbest_statistics(nbest, references, threads=threads)
    large = np.flatnonzero((np.abs(nbest.features) >= _TOO_LARGE).any(axis=1))
    if large.size:
        line = None if nbest.path is None else nbest.first_line + int(large[0])
        raise InputError(f"a score of {_TOO_LARGE:g} or more", path=nbest.path, line=line)
    names = list(nbest.feature_names)
    features = nbest.features
    if left_out:
        features = np.where(select_left_out(names, left_out), 0.0, features)
    return Pool(nbest.sentence, features, statistics, names, objective).merge([])


def _describe(pool: Pool) -> str:
    named = " ".join(f"{label}:{width}" for label, width in pool.names)
    return named or f"{pool.features.shape[1]} values"
