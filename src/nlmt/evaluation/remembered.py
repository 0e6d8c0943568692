"""Metrics that count a line once, even if it occurs in many translations of a text."""

from collections.abc import Iterable, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray
from typing_extensions import override

from nlmt.evaluation.counted import check_lines
from nlmt.evaluation.evaluation_set import Lines
from nlmt.evaluation.metric import Metric
from nlmt.evaluation.ter_bleu import TerBleu
from nlmt.io.nbest import NbestList


class RememberingMetric(Metric):
    """A metric that caches statistics of lines, by the identity of the list of references."""

    def __init__(self, metric: Metric) -> None:
        """Wrap a metric."""
        self.name = metric.name  # type: ignore[misc]
        self.width = metric.width  # type: ignore[misc]
        self.sign = metric.sign  # type: ignore[misc]
        self._metric = metric
        # By sentence and line, for each set of references.
        self._rows: dict[int, dict[tuple[int, str], NDArray[np.int32]]] = {}
        # Kept alive, so that no other list gets their identity.
        self._references: dict[int, Sequence[Lines]] = {}

    @override
    def statistics(
        self, hypotheses: Lines, references: Sequence[Lines], *, threads: int = 1
    ) -> NDArray[np.int32]:
        check_lines(len(hypotheses), references)
        self._references[id(references)] = references
        known = self._rows.setdefault(id(references), {})
        lines = list(enumerate(hypotheses))
        new = [line for line in lines if line not in known]
        if new:
            theirs = [[one[number] for number, _ in new] for one in references]
            rows = self._metric.statistics([text for _, text in new], theirs, threads=threads)
            known.update(zip(new, rows, strict=True))
        found = [known[line] for line in lines]
        return np.array(found, np.int32).reshape(len(lines), self.width)

    @override
    def nbest_statistics(
        self, nbest: NbestList, references: Sequence[Lines], *, threads: int = 1
    ) -> NDArray[np.int32]:
        return self._metric.nbest_statistics(nbest, references, threads=threads)

    @override
    def score(self, sums: NDArray[Any]) -> NDArray[np.float64]:
        return self._metric.score(sums)

    @override
    def corpus_value(self, sums: NDArray[np.int64]) -> float:
        return self._metric.corpus_value(sums)

    @override
    def signature(self, references: int) -> str:
        return self._metric.signature(references)

    @override
    def length_ratio(self, sums: NDArray[Any]) -> float | None:
        return self._metric.length_ratio(sums)


def remembering(metrics: Iterable[Metric]) -> list[Metric]:
    """The metrics, wrapped; a TerBleu shares its parts with them."""
    known: dict[int, RememberingMetric] = {}

    def wrapped(metric: Metric) -> RememberingMetric:
        return known.setdefault(id(metric), RememberingMetric(metric))

    return [
        TerBleu(wrapped(metric.ter), wrapped(metric.bleu))
        if isinstance(metric, TerBleu)
        else wrapped(metric)
        for metric in metrics
    ]
