"""Oracles of n-best lists: the choice with the best, or worst, score of the corpus."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from nlmt.errors import InputError
from nlmt.evaluation import BLEU, Metric
from nlmt.io.nbest import iter_nbest
from nlmt.rescoring.selection import texts_at


@dataclass(frozen=True, eq=False)
class Candidates:
    """The statistics of all hypotheses of a list, which determine the score of any choice.

    Attributes:
        metric: of the statistics.
        statistics: (N, W).
        starts: (sentences with hypotheses + 1,) first row of each.
        totals: (N,) of the list.
        missing: (W,) summed statistics of empty lines for missing sentences.
    """

    metric: Metric
    statistics: NDArray[np.int32]
    starts: NDArray[np.int64]
    totals: NDArray[np.float64]
    missing: NDArray[np.int64]

    def score(self, rows: NDArray[np.int64]) -> float:
        """Corpus score of a choice of one row per sentence."""
        return float(self.metric.score(self.missing + self.statistics[rows].sum(axis=0)))

    def best_rows(self) -> NDArray[np.int64]:
        """Row of each sentence's highest total, the first of equal ones."""
        return self._highest(lambda begin, end: self.totals[begin:end])

    def oracle_rows(self, *, worst: bool = False) -> NDArray[np.int64]:
        """Rows of a choice whose corpus score no change of a single hypothesis improves.

        Greedy: starting from the one-best, and from the hypotheses that are best by the metric of
            their sentence alone, each sentence in turn takes the hypothesis that is best for the
            corpus, until none changes; the better result is returned. An exact search is not
            feasible for BLEU (Leusch, Matusov and Ney 2008), so that the true oracle may be a
            little better; for TER with one reference per sentence this is exact.

        Args:
            worst: make the score as bad as possible.
        """
        sign = -self.metric.sign if worst else self.metric.sign
        statistics, score = self.statistics, self.metric.score
        alone = self._highest(lambda begin, end: sign * score(statistics[begin:end]))
        results = [self._ascend(rows, sign) for rows in (alone, self.best_rows())]
        return max(results, key=lambda rows: sign * self.score(rows))

    def _ascend(self, rows: NDArray[np.int64], sign: int) -> NDArray[np.int64]:
        rows = rows.copy()
        sums = self.missing + self.statistics[rows].sum(axis=0)
        highest = sign * float(self.metric.score(sums))
        changed = True
        while changed:
            changed = False
            for i, (begin, end) in enumerate(pairwise(self.starts.tolist())):
                others = sums - self.statistics[rows[i]]
                scores = sign * self.metric.score(others + self.statistics[begin:end])
                winner = int(np.argmax(scores))
                if scores[winner] > highest:
                    rows[i] = begin + winner
                    sums = others + self.statistics[rows[i]]
                    highest = float(scores[winner])
                    changed = True
        return rows

    def _highest(self, values: Callable[[int, int], NDArray[np.float64]]) -> NDArray[np.int64]:
        rows = [a + int(np.argmax(values(a, b))) for a, b in pairwise(self.starts.tolist())]
        return np.array(rows, np.int64)


def read_candidates(
    nbest: Path | str,
    references: Sequence[Sequence[str]],
    *,
    metric: Metric = BLEU,
    threads: int = 1,
) -> Candidates:
    """Count the statistics of a list; keep them in memory for all hypotheses, without the words.

    `references` are one or more sets, each with a line for each input sentence.

    Raises:
        InputError: a malformed list, a list without hypotheses, a sentence without a reference.
    """
    statistics, totals, sentences = [], [], []
    for block in iter_nbest(nbest, whole_sentences=False):
        statistics.append(metric.nbest_statistics(block, references, threads=threads))
        totals.append(block.totals)
        sentences.append(block.sentence)
    if not statistics:
        raise InputError("a list without hypotheses", path=nbest)
    sentence = np.concatenate(sentences)
    starts = np.concatenate([[0], np.flatnonzero(np.diff(sentence)) + 1, [len(sentence)]])
    absent = np.setdiff1d(np.arange(len(references[0])), sentence).tolist()
    theirs = [[lines[i] for i in absent] for lines in references]
    missing = metric.statistics([""] * len(absent), theirs).sum(axis=0, dtype=np.int64)
    counted = np.concatenate(statistics)
    return Candidates(metric, counted, starts.astype(np.int64), np.concatenate(totals), missing)


@dataclass(frozen=True)
class Oracle:
    """The best or worst choice of a list.

    Attributes:
        texts: the hypothesis of each sentence that has any.
        score: of the corpus, with empty lines for sentences without hypotheses; 0 to 100.
        one_best: the score of the hypotheses with the highest totals.
    """

    texts: dict[int, str]
    score: float
    one_best: float


def oracle(
    nbest: Path | str,
    references: Sequence[Sequence[str]],
    *,
    metric: Metric = BLEU,
    worst: bool = False,
    threads: int = 1,
) -> Oracle:
    """The oracle of a list by `Candidates.oracle_rows`, or its opposite; see there.

    Raises:
        InputError: as in `read_candidates`.
    """
    candidates = read_candidates(nbest, references, metric=metric, threads=threads)
    rows = candidates.oracle_rows(worst=worst)
    one_best = candidates.score(candidates.best_rows())
    return Oracle(texts_at(nbest, rows), candidates.score(rows), one_best)
