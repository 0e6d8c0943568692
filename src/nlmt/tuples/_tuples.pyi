from numpy import int32, int64
from numpy.typing import NDArray

def unfold(
    source_ids: NDArray[int32],
    source_offsets: NDArray[int64],
    of: NDArray[int32],
    target_ids: NDArray[int32],
    target_offsets: NDArray[int64],
    links: NDArray[int32],
    link_offsets: NDArray[int64],
) -> tuple[
    NDArray[int32],  # tuples of all pairs
    NDArray[int64],  # their offsets
    NDArray[int32],  # source and target words of each distinct tuple
    NDArray[int32],  # (distinct tuples, 2) their numbers in each tuple
]: ...
