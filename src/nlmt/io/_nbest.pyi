from numpy import float64, int32, int64, uint64
from numpy.typing import NDArray

class NbestReader:
    def __init__(self, path: str, keep_rest: bool) -> None: ...
    @property
    def labels(self) -> list[tuple[str, int]]: ...
    def read(
        self, bytes: int, whole_sentences: bool
    ) -> (
        tuple[
            NDArray[int32],  # sentence
            list[str],  # words
            NDArray[int32],  # ids
            NDArray[int64],  # offsets
            NDArray[float64],  # features
            NDArray[float64],  # totals
            bytes,  # the columns after the total
            NDArray[int64],  # their offsets
        ]
        | None
    ): ...

def rewrite(
    inputs: list[str],
    output: str,
    written: list[tuple[str, int]],
    values: NDArray[float64],
    weights: list[float],
    first: int,
    sorted: bool,
    size: int,
    distinct: bool,
) -> int: ...
def distinct(
    ids: NDArray[int32], offsets: NDArray[int64]
) -> tuple[NDArray[int64], NDArray[int32]]: ...
def row_hashes(
    ids: NDArray[int32], offsets: NDArray[int64]
) -> tuple[NDArray[uint64], NDArray[uint64]]: ...
def count_ngrams(ids: NDArray[int32], offsets: NDArray[int64], order: int) -> tuple[int, int]: ...
