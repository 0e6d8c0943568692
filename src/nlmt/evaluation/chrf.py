"""chrF (Popovic 2015)."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np
from numpy.typing import NDArray
from typing_extensions import override

from nlmt.evaluation import _statistics
from nlmt.evaluation.counted import CountedMetric

if TYPE_CHECKING:
    import sacrebleu


@dataclass(frozen=True)
class Chrf(CountedMetric):
    """chrF (Popovic 2015) over n-grams of 1 to 6 characters without spaces; recall counts double.

    Eighteen statistics: for each order in turn the n-grams of the hypothesis, those of the best
    reference, and their matches.
    """

    lowercase: bool = True

    name: ClassVar[str] = "chrF"
    width: ClassVar[int] = 18

    @override
    def score(self, sums: NDArray[Any]) -> NDArray[np.float64]:
        """F (...) from 0 to 100, of precision and recall averaged over the orders that exist."""
        sums = np.asarray(sums, np.float64)
        ours, theirs, matches = (sums[..., i::3] for i in range(3))
        exists = (ours > 0) & (theirs > 0)
        orders = np.maximum(exists.sum(axis=-1), 1)
        precision = np.where(exists, matches / np.maximum(ours, 1), 0.0).sum(axis=-1) / orders
        recall = np.where(exists, matches / np.maximum(theirs, 1), 0.0).sum(axis=-1) / orders
        weighted = 4 * precision + recall
        f_score = 5 * precision * recall / np.where(weighted > 0, weighted, 1)
        return np.where(weighted > 0, 100 * f_score, 0.0)

    @override
    def length_ratio(self, sums: NDArray[Any]) -> float | None:
        """Length ratio in characters without spaces."""
        return float(sums[0] / sums[1]) if sums[1] else None

    @override
    def prepare(self, line: str) -> str:
        return line.lower() if self.lowercase else line

    @override
    def _keeps_words(self) -> bool:
        return True

    @override
    def _official(self) -> "sacrebleu.CHRF":
        import sacrebleu  # imported late, as it is slow to load

        return sacrebleu.CHRF(lowercase=self.lowercase)

    @override
    def _count(
        self, texts: _statistics.EncodedTexts, vocabulary: Sequence[str], threads: int
    ) -> NDArray[np.int32]:
        offsets = np.zeros(len(vocabulary) + 1, np.int64)
        np.cumsum([len(word) for word in vocabulary], out=offsets[1:])
        letters: dict[str, int] = {}
        characters = [letters.setdefault(c, len(letters)) for word in vocabulary for c in word]
        return _statistics.chrf(texts, np.array(characters, np.int32), offsets, threads)
