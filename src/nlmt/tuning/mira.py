"""k-best batch MIRA (Cherry and Foster 2012): large margins between good and bad hypotheses."""

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray
from typing_extensions import override

from nlmt.settings import Settings, setting
from nlmt.tuning.pool import Pool
from nlmt.tuning.tuner import ListTuner


class MiraOptions(Settings):
    """Options of MIRA; the defaults are those of Cherry and Foster (2012)."""

    largest_step: float = setting(
        0.01, "C: limit on an update; larger values fit single sentences more tightly.", gt=0
    )
    decay: float = setting(
        0.999,
        "Share of its weight that a sentence of the pseudo-document keeps with each following one.",
        ge=0,
        lt=1,
    )
    epochs: int = setting(60, "Epochs over all sentences.", ge=1)


class MiraTuner(ListTuner[MiraOptions]):
    """MIRA on n-best lists."""

    summary = "k-best batch MIRA (Cherry and Foster 2012)"
    options_type = MiraOptions
    # Its weights are never worse on the pool than those it starts from.
    exact = True

    @override
    def find(
        self,
        pool: Pool,
        starts: Sequence[NDArray[np.float64]],
        *,
        restarts: int,
        seed: int,
        threads: int,
    ) -> NDArray[np.float64]:
        return mira(pool, starts[0], self.options, seed=seed)


def mira(
    pool: Pool, start: NDArray[np.float64], options: MiraOptions | None = None, *, seed: int = 1
) -> NDArray[np.float64]:
    """Weights (F,): the average after the epoch whose average is best on the whole pool.

    Args:
        pool: the hypotheses.
        start: (F,) weights to start from; their scale matters.
        options: the paper's if not given.
        seed: of the order of the sentences.
    """
    options = options or MiraOptions()
    start = np.ascontiguousarray(start, np.float64)
    return pool.lists().mira(start, seed, options.largest_step, options.decay, options.epochs)
