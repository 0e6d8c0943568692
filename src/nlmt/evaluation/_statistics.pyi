from numpy import float64, int16, int32, int64
from numpy.typing import NDArray

class EncodedTexts:
    """Word ids of hypotheses and of the references of their sentences."""

    def __init__(
        self,
        ids: NDArray[int32],
        offsets: NDArray[int64],
        sentence: NDArray[int32],
        reference_ids: NDArray[int32],
        reference_offsets: NDArray[int64],
        references: int,
    ) -> None: ...

def bleu(texts: EncodedTexts, threads: int) -> NDArray[int32]: ...
def ter(texts: EncodedTexts, threads: int) -> NDArray[int32]: ...
def chrf(
    texts: EncodedTexts, characters: NDArray[int32], offsets: NDArray[int64], threads: int
) -> NDArray[int32]: ...
def drawn_sums(statistics: NDArray[int32], sentences: NDArray[int64]) -> NDArray[float64]:
    """Sums (draws, runs, W) of (sentences, runs, W) over the drawn sentences (draws, sentences)."""

def exchanged_sums(statistics: NDArray[int32], exchanges: NDArray[int16]) -> NDArray[float64]:
    """Sums (trials, runs, W) of (sentences, runs, W) after exchanges between the runs.

    Args:
        statistics: of each sentence and run.
        exchanges: (trials, sentences, runs), the run whose output replaces each run's.
    """
