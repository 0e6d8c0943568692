"""What every metric answers: statistics of each hypothesis, separate from their aggregation.

The statistics of a hypothesis are a few integers, counted once. They add up: the score of a corpus
follows from the sums over its sentences, whichever hypotheses are chosen, and can be computed for
many choices at once. It is equal to sacreBLEU's score, whose signature it has.
"""

from abc import ABC, abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from nlmt.errors import InputError
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

    @abstractmethod
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

    @abstractmethod
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

    def corpus_score(self, hypotheses: Sequence[str], references: Sequence[Sequence[str]]) -> Score:
        """The score of a text, equal to sacreBLEU's, with its signature.

        Raises:
            InputError: the numbers of lines differ, or there are none.
        """
        sums = self.statistics(hypotheses, references).sum(axis=0, dtype=np.int64)
        if not hypotheses:
            raise InputError("no sentences to evaluate")
        return Score(self.corpus_value(sums), self.signature(len(references)))

    @abstractmethod
    def score(self, sums: NDArray[Any]) -> NDArray[np.float64]:
        """(...) scores of (..., W) summed statistics, equal to sacreBLEU's."""

    def corpus_value(self, sums: NDArray[np.int64]) -> float:
        """SacreBLEU's score of (W,) sums, to the last bit."""
        return float(self.score(sums))

    @abstractmethod
    def signature(self, references: int) -> str:
        """SacreBLEU's signature of scores against so many sets of references."""

    def length_ratio(self, sums: NDArray[Any]) -> float | None:
        """Length of the translations over that of the references, of (W,) summed statistics.

        None where the statistics do not hold both, or the references are empty.
        """
        return None
