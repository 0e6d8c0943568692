from collections.abc import Sequence

from numpy import float32, float64, int32, int64, uint8
from numpy.typing import NDArray

class NodeStates:
    def __init__(
        self,
        first_node: NDArray[int64],
        from_node: NDArray[int32],
        to_node: NDArray[int32],
        phrase: NDArray[int32],
        scores: NDArray[float64],
        word_offsets: NDArray[int64],
        words: NDArray[int32],
        positions: NDArray[int32],
        end_positions: NDArray[int32],
        end_word: int,
        most: int,
        context: int,
        recombine: bool,
        weights: Sequence[float],
    ) -> None: ...
    def __len__(self) -> int: ...
    @property
    def levels(self) -> int: ...
    def last_use(self, level: int) -> int: ...
    def choose(
        self, level: int
    ) -> tuple[
        NDArray[int64],  # parents
        NDArray[int64],  # offsets of their further words
        NDArray[int32],  # words
        NDArray[int32],  # positions
    ]: ...
    def requests(
        self, first: int, last: int, length: int
    ) -> tuple[
        NDArray[int64],  # rows
        NDArray[int32],  # words
        NDArray[int32],  # positions
        NDArray[uint8],  # whether more words follow
        NDArray[int32],  # lattices
    ]: ...
    def set_scores(self, first: int, last: int, length: int, scores: NDArray[float64]) -> None: ...
    def forget(self, level: int) -> None: ...
    def lattices(self, first: int) -> NDArray[int32]: ...  # of the states from `first` on
    def take_arcs(
        self,
    ) -> tuple[
        NDArray[int64],  # from state
        NDArray[int64],  # to state
        NDArray[int32],  # arc of the lattice
        NDArray[float32],  # scores of the models, arc by arc
    ]: ...
