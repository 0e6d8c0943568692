"""Weights for reranking: MERT once over rescored n-best lists."""

from collections.abc import Mapping, Sequence

import numpy as np
from numpy.typing import NDArray

from nlmt.io.nbest import NbestList, flatten_weights
from nlmt.io.weights import name_weights
from nlmt.tuning.mert import mert
from nlmt.tuning.pool import pool_of_nbest


def tune_reranking(
    nbest: NbestList,
    references: Sequence[Sequence[str]],
    initial: Mapping[str, Sequence[float]],
    *,
    restarts: int = 20,
    seed: int = 1,
    threads: int = 1,
) -> tuple[dict[str, list[float]], float]:
    """Tune the weights of all features of a list, the new ones among them.

    Starts from the decoder's weights with 0 and with the mean magnitude for features that it does
    not have, so that on this list the result is at least as good as the decoder's own ranking.

    Args:
        nbest: its sentence numbers count the lines of the references from 0.
        references: one or more sets of lines.
        initial: the weights that the list was decoded with.
        restarts: random starting points.
        seed: the same seed gives the same weights.
        threads: the result does not depend on it.

    Returns:
        label to weights, and the BLEU of the list's best hypotheses under them, 0 to 100.

    Raises:
        InputError: no hypotheses, a sentence without reference, weights that do not fit.
    """
    pool = pool_of_nbest(nbest, references, threads=threads)
    known = [value for label, _ in pool.names for value in initial.get(label, ())]
    mean = float(np.abs(known).mean()) if known else 1.0
    starts: list[NDArray[np.float64]] = []
    for fill in (0.0, mean):
        new = {label: [fill] * width for label, width in pool.names}
        starts.append(flatten_weights(pool.names, {**new, **initial}))
    tuned = mert(pool, starts, restarts=restarts, seed=seed, threads=threads)
    return name_weights(pool.names, tuned.weights), 100 * tuned.value
