from numpy import int32, int64
from numpy.typing import NDArray

class Corpus:
    def __init__(
        self,
        ids: NDArray[int32],
        offsets: NDArray[int64],
        sentence: NDArray[int32],
        reference_ids: NDArray[int32],
        reference_offsets: NDArray[int64],
        references: int,
    ) -> None: ...

def bleu(corpus: Corpus, threads: int) -> NDArray[int32]: ...
def ter(corpus: Corpus, threads: int) -> NDArray[int32]: ...
def chrf(
    corpus: Corpus, characters: NDArray[int32], offsets: NDArray[int64], threads: int
) -> NDArray[int32]: ...
