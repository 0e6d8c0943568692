from numpy import int32, int64
from numpy.typing import NDArray

def statistics(
    ids: NDArray[int32],
    offsets: NDArray[int64],
    sentence: NDArray[int32],
    reference_ids: NDArray[int32],
    reference_offsets: NDArray[int64],
    references: int,
    threads: int,
) -> NDArray[int32]: ...
