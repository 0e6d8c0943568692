"""(TER - BLEU) / 2, which balances edits against n-grams (Luong et al. 2015, table 4)."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray
from typing_extensions import override

from nlmt.evaluation.bleu import Bleu
from nlmt.evaluation.metric import Metric
from nlmt.evaluation.ter import Ter
from nlmt.io.nbest import NbestList


@dataclass(frozen=True)
class TerBleu(Metric):
    """Half the difference of TER and BLEU; lower is better, and values may be negative.

    The statistics are those of BLEU, then those of TER.
    """

    ter: Metric
    bleu: Metric

    name: ClassVar[str] = "(TER-BLEU)/2"
    width: ClassVar[int] = Bleu.width + Ter.width
    sign: ClassVar[int] = -1

    @override
    def statistics(
        self, hypotheses: Sequence[str], references: Sequence[Sequence[str]], *, threads: int = 1
    ) -> NDArray[np.int32]:
        parts = [
            metric.statistics(hypotheses, references, threads=threads)
            for metric in (self.bleu, self.ter)
        ]
        return np.concatenate(parts, axis=1)

    @override
    def nbest_statistics(
        self, nbest: NbestList, references: Sequence[Sequence[str]], *, threads: int = 1
    ) -> NDArray[np.int32]:
        parts = [
            metric.nbest_statistics(nbest, references, threads=threads)
            for metric in (self.bleu, self.ter)
        ]
        return np.concatenate(parts, axis=1)

    @override
    def score(self, sums: NDArray[Any]) -> NDArray[np.float64]:
        bleu, ter = np.split(np.asarray(sums), [Bleu.width], axis=-1)
        return (self.ter.score(ter) - self.bleu.score(bleu)) / 2

    @override
    def corpus_value(self, sums: NDArray[np.int64]) -> float:
        bleu, ter = np.split(sums, [Bleu.width])
        return (self.ter.corpus_value(ter) - self.bleu.corpus_value(bleu)) / 2

    @override
    def signature(self, references: int) -> str:
        ter, bleu = self.ter.signature(references), self.bleu.signature(references)
        return f"TER: {ter}; BLEU: {bleu}"

    @override
    def length_ratio(self, sums: NDArray[Any]) -> float | None:
        return self.bleu.length_ratio(sums[: Bleu.width])
