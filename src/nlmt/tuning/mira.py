"""k-best batch MIRA (Cherry and Foster 2012): large margins between good and bad hypotheses."""

import numpy as np
from numpy.typing import NDArray

from nlmt.tuning.pool import Pool

# The paper's constants: the farthest step (C), what a sentence of the pseudo-document keeps of its
# weight with each that follows, and the epochs.
LARGEST_STEP = 0.01
DECAY = 0.999
EPOCHS = 60


def mira(
    pool: Pool,
    start: NDArray[np.float64],
    *,
    seed: int = 1,
    largest_step: float = LARGEST_STEP,
    epochs: int = EPOCHS,
) -> NDArray[np.float64]:
    """(F,) weights: of the averages after each epoch the best one on the whole pool.

    Args:
        pool: the hypotheses.
        start: (F,) weights to start from; their scale matters.
        seed: of the order of the sentences.
        largest_step: C: a larger one follows the sentences closer.
        epochs: over all sentences.
    """
    start = np.ascontiguousarray(start, np.float64)
    return pool.lists().mira(start, seed, largest_step, DECAY, epochs)
