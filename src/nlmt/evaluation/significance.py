"""Whether one system is better than another, or only luckier in the test set.

Paired bootstrap (Koehn 2004): the test set is drawn anew many times, with replacement, from its own
sentences, and both systems are scored on each draw. The p-value is the share of draws on which the
system that is better on the whole set is not better, (k + 1) / (n + 1) so that it is never 0. It
is one-sided; two equal systems have p = 1.

Where both systems ran several times (seeds of tuning), a draw takes the same sentences for all
runs, and the difference of the mean scores of the runs is what is looked at: sentences vary, the
runs stay. The p-value of each pair of runs with equal number is given too.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from nlmt.errors import InputError
from nlmt.evaluation.bleu import bleu_of_sums

# Draws that are counted out at a time, so that memory stays bounded.
_BLOCK = 100


@dataclass(frozen=True)
class Comparison:
    """A system against a baseline.

    Attributes:
        difference: mean BLEU of the system's runs less that of the baseline's, 0 to 100.
        p_value: of the difference of the means.
        run_p_values: of each pair of runs alone.
    """

    difference: float
    p_value: float
    run_p_values: list[float]


def paired_bootstrap(
    system: Sequence[NDArray[Any]],
    baseline: Sequence[NDArray[Any]],
    *,
    resamples: int = 1000,
    seed: int = 1,
) -> Comparison:
    """Compare two systems on the same test set.

    Args:
        system: (sentences, 9) BLEU statistics of each run.
        baseline: the same of the other system, as many runs.
        resamples: number of draws.
        seed: of the draws.

    Raises:
        InputError: the numbers of runs or of sentences differ, or there are none.
    """
    runs = [np.asarray(run, np.float64) for run in (*system, *baseline)]
    if len(system) != len(baseline) or not system:
        raise InputError(f"{len(system)} runs cannot be paired with {len(baseline)} runs")
    sentences = len(runs[0])
    if sentences == 0 or any(len(run) != sentences for run in runs):
        raise InputError(f"runs of {', '.join(str(len(run)) for run in runs)} sentences")
    random = np.random.Generator(np.random.PCG64(seed))
    scores = np.concatenate(
        [
            _scores(runs, _draw(random, min(_BLOCK, resamples - start), sentences))
            for start in range(0, resamples, _BLOCK)
        ]
    )  # (resamples, runs of both)
    whole = _scores(runs, np.ones((1, sentences)))[0]
    half = len(system)
    differences, observed = scores[:, :half] - scores[:, half:], whole[:half] - whole[half:]
    return Comparison(
        float(observed.mean()),
        _p_value(differences.mean(axis=1), observed.mean()),
        [_p_value(differences[:, run], observed[run]) for run in range(half)],
    )


def _draw(random: np.random.Generator, draws: int, sentences: int) -> NDArray[np.float64]:
    """(draws, sentences) how often each sentence is in each draw."""
    chosen = random.integers(sentences, size=(draws, sentences))
    chosen += np.arange(draws)[:, None] * sentences
    counts = np.bincount(chosen.ravel(), minlength=draws * sentences)
    return counts.reshape(draws, sentences).astype(np.float64)


def _scores(runs: Sequence[NDArray[np.float64]], counts: NDArray[np.float64]) -> NDArray[Any]:
    """(draws, runs) BLEU. The sums are of integers, thus exact in whatever order."""
    return np.stack([bleu_of_sums(counts @ run) for run in runs], axis=1)


def _p_value(differences: NDArray[np.float64], observed: float) -> float:
    if observed == 0:
        return 1.0
    against = int(np.count_nonzero(differences * np.sign(observed) <= 0))
    return (against + 1) / (len(differences) + 1)
