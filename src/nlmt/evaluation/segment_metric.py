"""Metrics of other programs: a score for each sentence of text as users read it."""

from abc import ABC, abstractmethod
from collections.abc import Sequence
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray
from typing_extensions import override

from nlmt.errors import InputError
from nlmt.evaluation.counted import check_lines
from nlmt.evaluation.metric import Metric
from nlmt.io.nbest import NbestList
from nlmt.registry import Registry

_UNIT = 1_000_000  # parts of a point that are kept of a sentence's score
_LARGEST = 2_000  # points, of which the parts fit into a statistic


class SegmentMetric(ABC):
    """A metric with a score for each sentence, whose mean is the score of a text.

    Attributes:
        name: in tables.
        sign: 1 where higher is better, -1 where lower is.
    """

    name: ClassVar[str]
    sign: ClassVar[int] = 1

    @abstractmethod
    def scores(
        self,
        sources: Sequence[str],
        translations: Sequence[str],
        references: Sequence[Sequence[str]],
    ) -> Sequence[float]:
        """A score for each translation, of text with case and spaces.

        Args:
            sources: what was translated, line by line.
            translations: line by line.
            references: one or more sets of lines.
        """

    @abstractmethod
    def signature(self) -> str:
        """A text that identifies the computation and its version."""


SEGMENT_METRICS: Registry[SegmentMetric] = Registry("metric", {})


class MeanOfSegments(Metric):
    """A metric of sentences as one of summed statistics: a score in millionths, and one sentence.

    A line is scored once, even if it occurs in many translations of a text.
    """

    name: ClassVar[str] = "mean"
    width: ClassVar[int] = 2

    def __init__(self, metric: SegmentMetric, sources: Sequence[str]) -> None:
        """Wrap a metric, for the translations of `sources`."""
        self.name = metric.name  # type: ignore[misc]
        self.sign = metric.sign  # type: ignore[misc]
        self._metric = metric
        self._sources = sources
        self._known: dict[tuple[int, str], int] = {}

    @override
    def statistics(
        self, hypotheses: Sequence[str], references: Sequence[Sequence[str]], *, threads: int = 1
    ) -> NDArray[np.int32]:
        check_lines(len(hypotheses), [self._sources, *references])
        lines = list(enumerate(hypotheses))
        new = [line for line in lines if line not in self._known]
        if new:
            scores = self._metric.scores(
                [self._sources[number] for number, _ in new],
                [text for _, text in new],
                [[lines[number] for number, _ in new] for lines in references],
            )
            self._known |= dict(zip(new, map(self._parts, scores), strict=True))
        return np.array([[self._known[line], 1] for line in lines], np.int32).reshape(-1, 2)

    def _parts(self, score: float) -> int:
        if not abs(score) <= _LARGEST:
            raise InputError(f"{self.name}: the score of a sentence is {score}")
        return round(score * _UNIT)

    @override
    def nbest_statistics(
        self, nbest: NbestList, references: Sequence[Sequence[str]], *, threads: int = 1
    ) -> NDArray[np.int32]:
        raise InputError(f"{self.name} is not for n-best lists")

    @override
    def score(self, sums: NDArray[Any]) -> NDArray[np.float64]:
        totals: NDArray[np.float64] = np.asarray(sums, np.float64)
        means: NDArray[np.float64] = totals[..., 0] / (_UNIT * np.maximum(totals[..., 1], 1))
        return means

    @override
    def signature(self, references: int) -> str:
        return self._metric.signature()
