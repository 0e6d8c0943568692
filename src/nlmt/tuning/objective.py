"""Objectives of tuning: metrics whose statistics are counted once per hypothesis."""

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from nlmt.evaluation import BLEU, CHRF, TER, TER_BLEU, Metric
from nlmt.registry import Registry


@dataclass(frozen=True)
class Objective:
    """A metric from 0 to 1, negated if lower is better.

    The compiled optimiser (`cpp/tuning/corpus_objective.h`) has an objective of the same name;
    there an order of BLEU without a match is not smoothed.

    Attributes:
        name: as in the command line and the configuration.
        label: of its value.
        metric: with W statistics of a hypothesis.
    """

    name: str
    label: str
    metric: Metric

    def value(self, sums: NDArray[Any]) -> NDArray[np.float64]:
        """The value (...) to maximise, from summed statistics (..., W)."""
        return self.metric.sign * self.metric.score(sums) / 100 + 0.0  # no minus zero

    def sentence_values(
        self, statistics: NDArray[np.int32], *, longer: float = 0.0, grounded: bool = False
    ) -> NDArray[np.float64]:
        """The value (N,) of each hypothesis as a text of one sentence.

        BLEU's matches and totals of orders above 1 are increased by one, as all sentences without a
        match in some order would be equal (BLEU+1: Lin and Och 2004). The two corrections are from
        Nakov, Guzmán and Vogel (2012).

        Args:
            statistics: (N, W).
            longer: words added to BLEU's reference length: 1 smooths the brevity penalty like the
                rest.
            grounded: whether to subtract the BLEU of an equally long hypothesis without any match,
                which after smoothing is higher for shorter ones.
        """
        smoothed = statistics.astype(np.float64)
        if self.metric not in (BLEU, TER_BLEU):
            return self.value(smoothed)
        smoothed[:, 2:8] += 1
        smoothed[:, 8] += longer
        values = self.value(smoothed)
        if grounded:
            unmatched = smoothed[:, : BLEU.width]
            unmatched[:, 0:8:2] = (0, 1, 1, 1)
            values -= BLEU.score(unmatched) / (100 if self.metric == BLEU else 200)
        return values


DEFAULT_OBJECTIVE = Objective("bleu", "BLEU", BLEU)
OBJECTIVES: Registry[Objective] = Registry(
    "objective",
    {
        "bleu": DEFAULT_OBJECTIVE,
        "ter": Objective("ter", "-TER", TER),
        "ter-bleu": Objective("ter-bleu", "(BLEU-TER)/2", TER_BLEU),
        "chrf": Objective("chrf", "chrF", CHRF),
    },
)
