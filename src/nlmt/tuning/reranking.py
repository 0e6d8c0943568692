"""Weights for reranking: optimised once over rescored n-best lists or lattices."""

import logging
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from nlmt.errors import InputError
from nlmt.io.nbest import NbestList, flatten_weights
from nlmt.io.weights import name_weights
from nlmt.tuning.lattice_mert import Lattices, lattice_mert, tunable_features
from nlmt.tuning.objective import get_objective
from nlmt.tuning.optimise import optimise
from nlmt.tuning.pool import pool_of_nbest

logger = logging.getLogger(__name__)


@dataclass(frozen=True)
class RerankingOptions:
    """How to tune weights for reranking.

    Attributes:
        objective: `bleu`, `ter`, `ter-bleu` or `chrf`.
        method: `mert`, `pro`, `mira` or `trust-region`.
        tuned: labels or kinds of the features to tune, as in `optimise`; the others keep the
            proportions of the decoder's weights and are tuned as one. Empty: all features.
        runs: optimisations, the mean of whose weights is taken.
        restarts: random starting points of MERT.
        seed: the same seed gives the same weights.
    """

    objective: str = "bleu"
    method: str = "mert"
    tuned: Collection[str] = ()
    runs: int = 1
    restarts: int = 20
    seed: int = 1

    def __post_init__(self) -> None:
        get_objective(self.objective)  # an unknown one is named before any list is read


def tune_reranking(
    nbests: Sequence[NbestList],
    references: Sequence[Sequence[str]],
    initial: Mapping[str, Sequence[float]],
    options: RerankingOptions,
    *,
    threads: int = 1,
) -> tuple[dict[str, list[float]], float]:
    """Tune the weights of the lists' features, the new ones among them.

    Starts from the decoder's weights with 0 and with the mean magnitude for features that it does
    not have, so that on these lists a run of MERT is at least as good as the decoder's own ranking.

    Args:
        nbests: one or more lists of the same sentences, whose numbers count the lines of the
            references from 0; they are merged.
        references: one or more sets of lines.
        initial: the weights that the list was decoded with.
        options: how.
        threads: the result does not depend on it.

    Returns:
        label to weights, and the objective of the lists' best hypotheses under them, times 100.

    Raises:
        InputError: no hypotheses, a sentence without reference, weights or options that do not fit.
    """
    for nbest in nbests:
        if not len(nbest):
            raise InputError("a list without hypotheses", path=nbest.path)
        if nbest.feature_names != nbests[0].feature_names:
            raise InputError(
                f"other features than in {nbests[0].path or 'the first list'}",
                path=nbest.path,
                hint="the lists need the same labels in the same order",
            )
    objective = get_objective(options.objective)
    first, *others = [
        pool_of_nbest(nbest, references, objective=objective, threads=threads) for nbest in nbests
    ]
    pool = first.merge(others) if others else first
    sentences = len(references[0])
    missing = np.setdiff1d(np.arange(sentences), pool.sentence)
    if missing.size:
        logger.warning(
            "no hypotheses for %d of %d sentences, the first being sentence %d: they do not count",
            len(missing),
            sentences,
            missing[0],
        )
    found = optimise(
        pool,
        starting_points(pool.names, initial, path=nbests[0].path),
        method=options.method,
        tuned=options.tuned,
        runs=options.runs,
        restarts=options.restarts,
        seed=options.seed,
        threads=threads,
    )
    return name_weights(pool.names, found.weights), 100 * found.value


def tune_on_lattices(
    lattices: Lattices,
    references: Sequence[Sequence[str]],
    initial: Mapping[str, Sequence[float]],
    options: RerankingOptions,
    *,
    threads: int = 1,
) -> tuple[dict[str, list[float]], float]:
    """Tune the weights of the lattices' features by lattice MERT.

    Args:
        lattices: one for each sentence, rescored or as the decoder wrote them.
        references: one or more sets of lines.
        initial: weights to start from; features that they lack start as in `tune_reranking`.
        options: how; `mert` is the only method.
        threads: the result does not depend on it.

    Returns:
        label to weights, and the objective of the lattices' best paths under them, times 100.

    Raises:
        InputError: as `lattice_mert`, or another method.
    """
    if options.method != "mert":
        raise InputError(f"{options.method} does not work on lattices", hint="mert does")
    first = next(iter(lattices), None)
    names = tunable_features(first.feature_names) if first else []
    found, _ = lattice_mert(
        lattices,
        references,
        starting_points(names, initial),
        objective=get_objective(options.objective),
        tuned=options.tuned,
        runs=options.runs,
        restarts=options.restarts,
        seed=options.seed,
        threads=threads,
    )
    return name_weights(names, found.weights), 100 * found.value


def starting_points(
    names: Sequence[tuple[str, int]],
    initial: Mapping[str, Sequence[float]],
    *,
    path: Path | str | None = None,
) -> list[NDArray[np.float64]]:
    """The given weights, with 0 and with their mean magnitude for features that they lack.

    Raises:
        InputError: another number of weights than values; names the list at `path`.
    """
    known = [value for label, _ in names for value in initial.get(label, ())]
    mean = float(np.abs(known).mean()) if known else 1.0
    starts = []
    for fill in (0.0, mean) if any(known) else (1.0,):
        new = {label: [fill] * width for label, width in names}
        starts.append(flatten_weights(names, {**new, **initial}, path=path))
    return starts
