"""Translation edit rate (Snover et al. 2006)."""

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
class Ter(CountedMetric):
    """Translation edit rate with shifts (Snover et al. 2006), as Tercom counts it.

    Two statistics: the fewest edits to any of R references times R, and the sum of the references'
    lengths.

    Attributes:
        lowercase: whether case is ignored.
        normalized: whether punctuation and Chinese and Japanese characters are separated from
            words, as is needed for text that is not tokenised.
    """

    lowercase: bool = True
    normalized: bool = False

    name: ClassVar[str] = "TER"
    width: ClassVar[int] = 2
    sign: ClassVar[int] = -1

    @override
    def score(self, sums: NDArray[Any]) -> NDArray[np.float64]:
        """(...) edits for 100 words of the references; 100 for edits where those are empty."""
        sums = np.asarray(sums, np.float64)
        edits, length = sums[..., 0], sums[..., 1]
        return 100 * np.where(length > 0, edits / np.maximum(length, 1), edits > 0)

    @override
    def prepare(self, line: str) -> str:
        if self.normalized:
            return str(self._sacrebleu.tokenizer(line.rstrip()))
        return line.lower() if self.lowercase else line

    @override
    def prepare_reference(self, line: str) -> str:
        # SacreBLEU tokenises hypotheses once and references twice, which parts some marks further.
        prepared = self.prepare(line)
        return self.prepare(prepared) if self.normalized else prepared

    @override
    def _keeps_words(self) -> bool:
        return not self.normalized

    @override
    def _official(self) -> "sacrebleu.TER":
        import sacrebleu  # late: it takes longer to load than most jobs need it for

        return sacrebleu.TER(
            normalized=self.normalized,
            asian_support=self.normalized,
            case_sensitive=not self.lowercase,
        )

    @override
    def _count(
        self, texts: _statistics.EncodedTexts, vocabulary: Sequence[str], threads: int
    ) -> NDArray[np.int32]:
        return _statistics.ter(texts, threads)
