from numpy import int32, int64
from numpy.typing import NDArray

def parse(
    text: bytes,
    starts: NDArray[int64],
    source_lengths: NDArray[int64],
    target_lengths: NDArray[int64],
    path: str,
    first_line: int,
) -> tuple[NDArray[int32], NDArray[int64]]: ...
def affiliate(
    positions: NDArray[int32],
    offsets: NDArray[int64],
    source_lengths: NDArray[int64],
    target_lengths: NDArray[int64],
) -> NDArray[int32]: ...
