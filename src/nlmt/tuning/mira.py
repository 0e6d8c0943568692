"""k-best batch MIRA (Cherry and Foster 2012): large margins between good and bad hypotheses.

Passes over the sentences in random order look for the hypothesis to hope for (high score, high
quality) and the one to fear (high score, low quality), and move the weights, no further than a
constant allows, so that the first outscores the second by their difference in quality. The quality
of a hypothesis is that of a pseudo-document of the hypotheses lately hoped for, with it at the end,
times the length of the document's references. After each pass the average of all weights so far is
looked at; the best one on the whole pool is the result.
"""

from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

from nlmt.tuning.pool import Pool

# The paper's constants: the farthest step (C), what a sentence of the pseudo-document keeps of its
# weight with each that follows, and the passes.
LARGEST_STEP = 0.01
DECAY = 0.999
PASSES = 60


def mira(
    pool: Pool,
    start: NDArray[np.float64],
    *,
    seed: int = 1,
    largest_step: float = LARGEST_STEP,
    passes: int = PASSES,
) -> NDArray[np.float64]:
    """(F,) weights.

    Args:
        pool: the hypotheses.
        start: (F,) weights to start from; their scale matters.
        seed: of the order of the sentences.
        largest_step: C: a larger one follows the sentences closer.
        passes: over all sentences.
    """
    random = np.random.Generator(np.random.PCG64(seed))
    lists = pool.lists()
    bounds = list(pairwise(pool.offsets().tolist()))
    statistics = pool.statistics.astype(np.float64)
    document = np.ones(statistics.shape[1])
    weights = np.array(start, np.float64)
    total, updates = np.zeros_like(weights), 0
    best, best_value = weights, lists.value(weights)
    for _ in range(passes):
        for sentence in random.permutation(len(bounds)):
            begin, end = bounds[sentence]
            features = pool.features[begin:end]
            sums = document + statistics[begin:end]
            quality = pool.objective.value(sums) * pool.objective.reference_length(sums)
            scores = np.einsum("hf,f->h", features, weights)
            hope, fear = int(np.argmax(scores + quality)), int(np.argmax(scores - quality))
            difference = features[hope] - features[fear]
            loss = quality[hope] - quality[fear] - difference @ weights
            if loss > 0 and difference.any():
                weights = weights + min(largest_step, loss / (difference @ difference)) * difference
            total += weights
            updates += 1
            document = DECAY * (document + statistics[begin + hope])
        average = total / updates
        if (value := lists.value(average)) > best_value:
            best, best_value = average, value
    return best
