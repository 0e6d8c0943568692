from numpy import int32, int64
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
