"""BLEU (Papineni et al. 2002)."""

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
class Bleu(CountedMetric):
    """BLEU (Papineni et al. 2002).

    Nine statistics: clipped matches and total n-grams of orders 1 to 4 in turn, then the length of
    the closest reference (the shorter one of two). They are those of Moses' score files. Orders
    without a match are smoothed as by sacreBLEU (its `exp`).

    Attributes:
        lowercase: whether case is ignored.
        tokenize: sacreBLEU's name of a tokeniser; `none`: words are separated by spaces.
    """

    lowercase: bool = True
    tokenize: str = "none"

    name: ClassVar[str] = "BLEU"
    width: ClassVar[int] = 9

    @override
    def score(self, sums: NDArray[Any]) -> NDArray[np.float64]:
        """BLEU (...) from 0 to 100 of sums (..., 9)."""
        sums = np.asarray(sums, np.float64)
        matches, totals = sums[..., 0:8:2], sums[..., 1:8:2]
        length, reference = sums[..., 1], sums[..., 8]
        missing = matches == 0
        # The k-th order without a match counts as if it had 2^-k matches.
        smoothed = np.where(missing, 0.5 ** np.cumsum(missing, axis=-1), matches)
        with np.errstate(divide="ignore", invalid="ignore"):
            log_precision = np.mean(np.log(smoothed / totals), axis=-1)
            log_brevity = np.minimum(0.0, 1 - reference / length)
            score = 100 * np.exp(log_precision + log_brevity)
        return np.where((totals > 0).all(axis=-1) & ~missing.all(axis=-1), score, 0.0)

    @override
    def corpus_value(self, sums: NDArray[np.int64]) -> float:
        matches, totals, reference = sums[0:8:2].tolist(), sums[1:8:2].tolist(), int(sums[8])
        official = self._sacrebleu.compute_bleu(matches, totals, totals[0], reference, "exp")
        return float(official.score)

    @override
    def length_ratio(self, sums: NDArray[Any]) -> float | None:
        """Length ratio in words, as in the brevity penalty."""
        return float(sums[1] / sums[8]) if sums[8] else None

    @override
    def prepare(self, line: str) -> str:
        line = line.lower() if self.lowercase else line
        return line if self.tokenize == "none" else str(self._sacrebleu.tokenizer(line.rstrip()))

    @override
    def _keeps_words(self) -> bool:
        return self.tokenize == "none"

    @override
    def _official(self) -> "sacrebleu.BLEU":
        import sacrebleu  # imported late, as it is slow to load

        # `force` only silences a warning about tokenised text.
        return sacrebleu.BLEU(tokenize=self.tokenize, lowercase=self.lowercase, force=True)

    @override
    def _count(
        self, texts: _statistics.EncodedTexts, vocabulary: Sequence[str], threads: int
    ) -> NDArray[np.int32]:
        return _statistics.bleu(texts, threads)
