from numpy import float32, float64, int32, int64
from numpy.typing import NDArray

def parse(
    text: bytes, kind: str, path: str
) -> tuple[
    str,  # names
    NDArray[int64],  # sentence of each block
    NDArray[int64],  # offsets of the blocks' rows
    NDArray[float64],  # (rows, columns)
]: ...
def winning_paths(
    nodes: int,
    from_node: NDArray[int32],
    to_node: NDArray[int32],
    phrase: NDArray[int32],
    features: NDArray[float32],
    word_offsets: NDArray[int64],
    word_ids: NDArray[int32],
    points: NDArray[float64],
    directions: NDArray[float64],
) -> tuple[
    NDArray[float64],  # (paths, F)
    NDArray[int32],  # words of all paths
    NDArray[int64],  # (paths + 1,) where the words of each begin
]: ...
def distinct(sentence: NDArray[int32], features: NDArray[float64]) -> NDArray[int64]: ...
def linear_gains(sums: NDArray[float64]) -> NDArray[float64]: ...

class Lattices:
    def add(
        self,
        nodes: int,
        from_node: NDArray[int32],
        to_node: NDArray[int32],
        phrase: NDArray[int32],
        word_offsets: NDArray[int64],
        words: NDArray[int32],
        features: NDArray[float64],
        references: list[list[int]],
        known: int,
    ) -> None: ...
    def best_path(
        self, number: int, arc_scores: NDArray[float64], gains: NDArray[float64]
    ) -> NDArray[int32]: ...
    def mira(
        self,
        known: Lists,
        start: NDArray[float64],
        seed: int,
        largest_step: float,
        decay: float,
        epochs: int,
    ) -> tuple[
        NDArray[float64],  # weights
        float,  # their value
        NDArray[int32],  # number of the lattice of each hope or fear path
        NDArray[int64],  # (paths + 1,) where the arcs of each path begin
        NDArray[int32],  # arcs of all paths
    ]: ...

class Lists:
    def __init__(
        self,
        features: NDArray[float64],
        offsets: NDArray[int64],
        statistics: NDArray[int32],
        objective: str,
    ) -> None: ...
    def value(self, weights: NDArray[float64]) -> float: ...
    def winners(self, weights: NDArray[float64]) -> NDArray[int64]: ...  # places in their lists
    def line_search(
        self, point: NDArray[float64], direction: NDArray[float64]
    ) -> tuple[float, float]: ...
    def optimise(
        self, starts: NDArray[float64], seed: int, threads: int
    ) -> tuple[NDArray[float64], float]: ...
    def mira(
        self,
        start: NDArray[float64],
        seed: int,
        largest_step: float,
        decay: float,
        epochs: int,
    ) -> NDArray[float64]: ...
