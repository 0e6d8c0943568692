from numpy import float64, int64, uint32
from numpy.typing import NDArray

def least_risk(
    ids: NDArray[uint32],
    offsets: NDArray[int64],
    scores: NDArray[float64],
    starts: NDArray[int64],
    size: int,
) -> NDArray[int64]: ...
