"""The interface of metrics: statistics of each hypothesis, separate from their aggregation.

The statistics of a hypothesis are a few integers, counted once. They are additive: the score of a
corpus follows from the sums over its sentences, for any choice of hypotheses, and can be computed
for many choices at once. It equals sacreBLEU's score and has its signature.
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

    The value is 0 to 100, of TER perhaps higher; sacreBLEU's signature identifies the computation
    and the version.
    """

    value: float
    signature: str


class Metric(ABC):
    """A metric whose scores are functions of summed statistics.

    Attributes:
        name: in tables.
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
        """Statistics (sentences, W) of one hypothesis per sentence.

        `references` are one or more sets, each with a line for each sentence.

        Raises:
            InputError: the numbers of lines differ.
        """

    @abstractmethod
    def nbest_statistics(
        self, nbest: NbestList, references: Sequence[Sequence[str]], *, threads: int = 1
    ) -> NDArray[np.int32]:
        """Statistics (N, W) of all hypotheses of an n-best list.

        The list's sentence numbers count the lines of the references from 0.

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
        """Scores (...) of summed statistics (..., W), equal to sacreBLEU's."""

    def corpus_value(self, sums: NDArray[np.int64]) -> float:
        """SacreBLEU's score of sums (W,); TER against several references to 12 digits."""
        return float(self.score(sums))

    @abstractmethod
    def signature(self, references: int) -> str:
        """SacreBLEU's signature of scores against so many sets of references."""

    def length_ratio(self, sums: NDArray[Any]) -> float | None:
        """Ratio of the translations' length to the references', from summed statistics (W,).

        None if the statistics lack either, or the references are empty.
        """
        return None
