"""The outcome of tuning: objective and length of the translations, before and after.

A tuner may lose on its own tuning set, and too short translations lose by BLEU's brevity penalty:
PRO with BLEU+1 may do both (Nakov, Guzmán and Vogel 2012). Both give a warning.
"""

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from nlmt.tuning.pool import Pool

# Of the objective times 100: a smaller difference is neither gain nor loss.
NO_GAIN = 0.005
# Translations are too short or too long beyond this share of the references.
LENGTH_TOLERANCE = 0.03


@dataclass(frozen=True)
class Outcome:
    """Figures of the tuning set for the final and the initial weights.

    Attributes:
        objective: its name.
        initial: value with the initial weights, times 100.
        final: value with the weights found, times 100.
        initial_length: ratio of the translations' length to the references', with the initial
            weights; None if the objective does not count lengths.
        length: the same with the weights found.
    """

    objective: str
    initial: float
    final: float
    initial_length: float | None = None
    length: float | None = None

    @property
    def warnings(self) -> list[str]:
        """A sentence for each fault: a loss, no gain, a wrong length."""
        found = []
        if self.final < self.initial - NO_GAIN:
            found.append(
                f"{self.objective} on the tuning set is {self.final:.2f}, below the "
                f"{self.initial:.2f} that tuning began with"
            )
        elif self.final < self.initial + NO_GAIN:
            found.append(
                f"tuning gained nothing: {self.objective} on the tuning set is {self.final:.2f} "
                "as at its start"
            )
        if self.length is not None and abs(self.length - 1) > LENGTH_TOLERANCE:
            extent = "short" if self.length < 1 else "long"
            found.append(
                f"translations of the tuning set are too {extent}: {self.length:.3f} times the "
                "length of the references"
            )
        return found

    def facts(self) -> dict[str, Any]:
        """Its entries in `weights.json`."""
        return {
            self.objective: self.final,
            "initial": self.initial,
            "length": self.length,
            "initial_length": self.initial_length,
            "warnings": self.warnings,
        }


def outcome_on_pool(
    pool: Pool, initial: NDArray[np.float64], found: NDArray[np.float64]
) -> Outcome:
    """The outcome for the best hypotheses of a pool with weights (F,) before and after tuning."""
    lists, first = pool.lists(), pool.offsets()[:-1]

    def length(weights: NDArray[np.float64]) -> float | None:
        chosen = pool.statistics[first + lists.winners(weights)]
        return pool.objective.metric.length_ratio(chosen.sum(axis=0, dtype=np.int64))

    return Outcome(
        pool.objective.name,
        100 * lists.value(initial),
        100 * lists.value(found),
        length(initial),
        length(found),
    )
