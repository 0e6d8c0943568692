"""Objectives of tuning: metrics whose statistics are counted once per hypothesis."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from nlmt.evaluation import BLEU, CHRF, TER, Metric
from nlmt.io.nbest import NbestList
from nlmt.registry import Registry


@dataclass(frozen=True)
class Objective:
    """The mean of some metrics, each from 0 to 1, negated if lower is better.

    The compiled optimiser (`cpp/tuning/corpus_objective.h`) has an objective of the same name;
    there an order of BLEU without a match is not smoothed.

    Attributes:
        name: as in the command line and the configuration.
        label: of its value.
        metrics: whose statistics are concatenated, W columns in all.
    """

    name: str
    label: str
    metrics: tuple[Metric, ...]

    def statistics(
        self, nbest: NbestList, references: Sequence[Sequence[str]], *, threads: int = 1
    ) -> NDArray[np.int32]:
        """Statistics (N, W) of all hypotheses of an n-best list.

        Raises:
            InputError: a sentence of the list has no reference.
        """
        parts = [m.nbest_statistics(nbest, references, threads=threads) for m in self.metrics]
        return np.concatenate(parts, axis=1)

    def value(self, sums: NDArray[Any]) -> NDArray[np.float64]:
        """The value (...) to maximise, from summed statistics (..., W)."""
        total = np.zeros(np.shape(sums)[:-1])
        begin = 0
        for metric in self.metrics:
            total += metric.sign * metric.score(sums[..., begin : begin + metric.width])
            begin += metric.width
        return total / (100 * len(self.metrics))

    def length_ratio(self, sums: NDArray[Any]) -> float | None:
        """`Metric.length_ratio` of summed statistics (W,), by the first metric that has it."""
        begin = 0
        for metric in self.metrics:
            ratio = metric.length_ratio(sums[begin : begin + metric.width])
            if ratio is not None:
                return ratio
            begin += metric.width
        return None

    def sums(
        self, hypotheses: Sequence[str], references: Sequence[Sequence[str]]
    ) -> NDArray[np.int64]:
        """The summed statistics (W,) of translations, one per sentence.

        Raises:
            InputError: the numbers of lines differ.
        """
        parts = [metric.statistics(hypotheses, references) for metric in self.metrics]
        return np.asarray(np.concatenate(parts, axis=1).sum(axis=0, dtype=np.int64))

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
        if self.metrics[0] != BLEU:
            return self.value(smoothed)
        smoothed[:, 2:8] += 1
        smoothed[:, 8] += longer
        values = self.value(smoothed)
        if grounded:
            unmatched = smoothed[:, : BLEU.width]
            unmatched[:, 0:8:2] = (0, 1, 1, 1)
            values -= BLEU.score(unmatched) / (100 * len(self.metrics))
        return values


DEFAULT_OBJECTIVE = Objective("bleu", "BLEU", (BLEU,))
OBJECTIVES: Registry[Objective] = Registry(
    "objective",
    {
        "bleu": DEFAULT_OBJECTIVE,
        "ter": Objective("ter", "-TER", (TER,)),
        "ter-bleu": Objective("ter-bleu", "(BLEU-TER)/2", (BLEU, TER)),
        "chrf": Objective("chrf", "chrF", (CHRF,)),
    },
)
