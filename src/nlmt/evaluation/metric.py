"""What every metric answers: statistics of each hypothesis, apart from their aggregation.

The statistics of a hypothesis are a few integers, counted once. They add up: the score of a corpus
follows from the sums over its sentences, whichever hypotheses are chosen. The official score is
sacreBLEU's, with its signature; ours is equal to it, and may be had for many choices at once.
"""

from abc import ABC, abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray
from sacrebleu.metrics.base import Metric as OfficialMetric

from nlmt.errors import InputError
from nlmt.evaluation import _statistics
from nlmt.io.nbest import NbestList


@dataclass(frozen=True)
class Score:
    """A score of a corpus.

    Attributes:
        value: 0 to 100; TER may be higher.
        signature: sacreBLEU's: what exactly was computed, and by which version.
    """

    value: float
    signature: str


class Metric(ABC):
    """A metric whose scores follow from sums of statistics over sentences.

    Attributes:
        name: as tables show it.
        width: W, the number of statistics of a hypothesis.
        sign: 1 where higher is better, -1 where lower is.
    """

    name: ClassVar[str]
    width: ClassVar[int]
    sign: ClassVar[int] = 1

    def statistics(
        self, hypotheses: Sequence[str], references: Sequence[Sequence[str]], *, threads: int = 1
    ) -> NDArray[np.int32]:
        """(sentences, W) statistics of one hypothesis a sentence.

        Args:
            hypotheses: one for each sentence.
            references: one or more sets, each with a line for each sentence.
            threads: the result does not depend on it.

        Raises:
            InputError: the numbers of lines differ.
        """
        check_lines(len(hypotheses), references)
        sentence = np.arange(len(hypotheses), dtype=np.int32)
        return self._count_lines(hypotheses, sentence, references, threads)

    def nbest_statistics(
        self, nbest: NbestList, references: Sequence[Sequence[str]], *, threads: int = 1
    ) -> NDArray[np.int32]:
        """(N, W) statistics of all hypotheses of an n-best list.

        Args:
            nbest: its sentence numbers count the lines of the references from 0.
            references: one or more sets of lines.
            threads: the result does not depend on it.

        Raises:
            InputError: a sentence of the list has no reference.
        """
        check_lines(len(references[0]) if references else 0, references)
        lines = len(references[0])
        beyond = int(np.searchsorted(nbest.sentence, lines))
        if beyond < len(nbest):
            raise InputError(
                f"the n-best list has a sentence {nbest.sentence[beyond]}, but there are "
                f"{lines} references",
                path=nbest.path,
                line=None if nbest.path is None else nbest.first_line + beyond,
                hint="sentences count from 0; give the references of the text that was decoded",
            )
        if not self._keeps_words():
            texts = [nbest.text(i) for i in range(len(nbest))]
            return self._count_lines(texts, nbest.sentence, references, threads)
        vocabulary: dict[str, int] = {}
        prepared = [vocabulary.setdefault(self.prepare(w), len(vocabulary)) for w in nbest.words]
        ids = np.array(prepared, np.int32)[nbest.ids]
        return self._count_ids(ids, nbest.offsets, nbest.sentence, references, vocabulary, threads)

    def corpus_score(self, hypotheses: Sequence[str], references: Sequence[Sequence[str]]) -> Score:
        """SacreBLEU's score.

        Raises:
            InputError: the numbers of lines differ, or there are none.
        """
        check_lines(len(hypotheses), references)
        if not hypotheses:
            raise InputError("no sentences to evaluate")
        metric = self._official()
        value = metric.corpus_score(list(hypotheses), [list(lines) for lines in references]).score
        return Score(float(value), str(metric.get_signature()))

    @abstractmethod
    def score(self, sums: NDArray[Any]) -> NDArray[np.float64]:
        """(...) scores of (..., W) summed statistics, equal to sacreBLEU's."""

    @abstractmethod
    def prepare(self, line: str) -> str:
        """A line as the metric counts it: its case and its tokens, with spaces between them."""

    @abstractmethod
    def _keeps_words(self) -> bool:
        """Whether `prepare` turns each word into one word, whatever stands beside it."""

    @abstractmethod
    def _official(self) -> OfficialMetric:
        """SacreBLEU's object, with the same settings."""

    @abstractmethod
    def _count(
        self, corpus: _statistics.Corpus, vocabulary: Sequence[str], threads: int
    ) -> NDArray[np.int32]:
        """(N, W) statistics."""

    def _count_lines(
        self,
        hypotheses: Sequence[str],
        sentence: NDArray[np.int32],
        references: Sequence[Sequence[str]],
        threads: int,
    ) -> NDArray[np.int32]:
        vocabulary: dict[str, int] = {}
        ids, offsets = _encode([self.prepare(line) for line in hypotheses], vocabulary)
        return self._count_ids(ids, offsets, sentence, references, vocabulary, threads)

    def _count_ids(
        self,
        ids: NDArray[np.int32],
        offsets: NDArray[np.int64],
        sentence: NDArray[np.int32],
        references: Sequence[Sequence[str]],
        vocabulary: dict[str, int],
        threads: int,
    ) -> NDArray[np.int32]:
        # All references of a sentence stand together.
        lines = [self.prepare(line) for group in zip(*references, strict=True) for line in group]
        encoded = _encode(lines, vocabulary)
        corpus = _statistics.Corpus(ids, offsets, sentence, *encoded, len(references))
        return self._count(corpus, list(vocabulary), max(threads, 1))


def check_lines(sentences: int, references: Sequence[Sequence[str]]) -> None:
    """Raise InputError where a set of references has another number of lines, or there is none."""
    if not references:
        raise InputError("no references")
    for number, lines in enumerate(references):
        if len(lines) != sentences:
            raise InputError(
                f"{sentences} sentences, but {len(lines)} lines in reference {number}",
                hint="line i of each must belong to the same sentence",
            )


def _encode(
    lines: Sequence[str], vocabulary: dict[str, int]
) -> tuple[NDArray[np.int32], NDArray[np.int64]]:
    """Word ids of all lines and where each line starts; new words join the vocabulary."""
    tokens = [line.split() for line in lines]
    ids = [vocabulary.setdefault(word, len(vocabulary)) for words in tokens for word in words]
    offsets = np.zeros(len(lines) + 1, np.int64)
    np.cumsum([len(words) for words in tokens], out=offsets[1:])
    return np.array(ids, np.int32), offsets
