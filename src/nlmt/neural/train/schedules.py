"""Learning-rate schedules: a rate for every minibatch of an epoch."""

import math
from collections.abc import Iterable, Sequence

import numpy as np
from numpy.typing import NDArray

from nlmt.neural.settings.training import Training

# A stall is an evaluation that lowers the dev perplexity (`plateau`), or its logarithm
# (`first-stall`), by a smaller share than this.
LEAST_GAIN = 0.003
# Decay rates of Adam's means of gradients and of their squares; as in the kernel.
ADAM_MEAN, ADAM_SQUARE = 0.9, 0.999


def share_of_rate(
    training: Training, at: NDArray[np.float64], curve: Sequence[float]
) -> NDArray[np.float64]:
    """The share (n,) of the learning rate of minibatches after `at` (n,) epochs.

    - `linear` falls to zero at the end of the last epoch.
    - `halving` halves after `halving_start` of the epochs and three times more until the end,
      evenly. Luong et al. 2015, section 3.2: after two of four epochs, every half epoch.
    - `plateau` halves after each evaluation that found the dev perplexity hardly lower. Devlin et
      al. 2014, who look at the dev text after every epoch.
    - `first-stall` halves after each evaluation, from the first that found the dev entropy hardly
      lower, as the toolkit of Mikolov et al. (2011) does after every epoch (rnnlm:
      `min_improvement` 1.003).

    `curve` has the dev perplexity at each evaluation so far.
    """
    if training.schedule == "linear":
        return 1 - at / training.epochs
    if training.schedule == "halving":
        start = training.halving_start * training.epochs
        halvings = np.floor((at - start) / (training.epochs - start) * 4) + 1
        return np.asarray(0.5 ** np.maximum(halvings, 0))
    count = 0
    if training.schedule == "plateau":
        count = sum(stalls(curve))
    elif training.schedule == "first-stall":
        stalled = stalls(map(math.log, curve))
        count = len(stalled) - stalled.index(True) if True in stalled else 0
    return np.full_like(at, 0.5**count)


def stalls(curve: Iterable[float]) -> list[bool]:
    """Whether each evaluation found a value hardly lower than the best one before it."""
    best, found = np.inf, []
    for value in curve:
        found.append(bool(value > best * (1 - LEAST_GAIN)))
        best = min(best, value)
    return found


def has_ended(training: Training, curve: Sequence[float]) -> bool:
    """Whether the schedule has ended: under `first-stall`, at the second stall."""
    return training.schedule == "first-stall" and sum(stalls(map(math.log, curve))) > 1


def rates(
    training: Training,
    epochs: int,
    examples: int,
    first: NDArray[np.int64],
    curve: Sequence[float],
) -> NDArray[np.float64]:
    """The rates of consecutive minibatches without an evaluation between them.

    Args:
        training: names the schedule.
        epochs: complete ones.
        examples: of the current epoch.
        first: (n,) number of the first example of each minibatch in that epoch.
        curve: dev perplexity at each evaluation so far.
    """
    share = share_of_rate(training, epochs + first / examples, curve)
    result = training.learning_rate * share
    if training.optimiser == "adam":
        # Kingma and Ba 2015, end of section 2: the means' bias towards zero goes into the rate.
        done = np.rint(first / training.minibatch)  # sentences fill a minibatch nearly
        steps = epochs * -(-examples // training.minibatch) + done + 1
        result = result * np.sqrt(1 - ADAM_SQUARE**steps) / (1 - ADAM_MEAN**steps)
    return result
