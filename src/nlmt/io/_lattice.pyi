from collections.abc import Sequence

from numpy import float32, float64, int32, int64, uint8
from numpy.typing import NDArray

class LatticeRecord:
    @property
    def words(self) -> list[int]: ...

class LatticeWriter:
    def __init__(self, path: str, features: Sequence[tuple[str, Sequence[float]]]) -> None: ...
    def add(self, record: LatticeRecord, spelling: list[str]) -> None: ...
    def close(self) -> None: ...

class LatticeReader:
    def __init__(self, path: str) -> None: ...
    def __len__(self) -> int: ...
    @property
    def features(self) -> list[tuple[str, list[float]]]: ...
    @property
    def words(self) -> list[str]: ...
    def read(
        self, number: int
    ) -> tuple[
        int,  # sentence
        NDArray[int32],  # source
        int,  # nodes
        NDArray[int32],  # from_node
        NDArray[int32],  # to_node
        NDArray[int32],  # phrase
        NDArray[float32],  # values
        NDArray[int64],  # word_offsets
        NDArray[int32],  # word_ids
        NDArray[int32],  # spans
        NDArray[int64],  # point_offsets
        NDArray[int32],  # points
    ]: ...

class Arrays: ...

def make(
    sentence: int,
    source: NDArray[int32],
    nodes: int,
    from_node: NDArray[int32],
    to_node: NDArray[int32],
    phrase: NDArray[int32],
    values: NDArray[float32],
    word_offsets: NDArray[int64],
    words: NDArray[int32],
    spans: NDArray[int32],
    point_offsets: NDArray[int64],
    points: NDArray[int32],
) -> Arrays: ...
def pack(lattice: Arrays) -> LatticeRecord: ...
def text(
    lattice: Arrays, words: list[str], names: list[str], weights: list[float], format: str
) -> list[str]: ...
def log_sum(
    nodes: int, from_node: NDArray[int32], to_node: NDArray[int32], scores: NDArray[float64]
) -> float: ...
def best_path(
    nodes: int, from_node: NDArray[int32], to_node: NDArray[int32], scores: NDArray[float64]
) -> NDArray[int32]: ...
def prune(
    nodes: int,
    from_node: NDArray[int32],
    to_node: NDArray[int32],
    scores: NDArray[float64],
    beam: float,
    most: int,
) -> NDArray[uint8]: ...
def arrange(
    nodes: int, from_node: NDArray[int32], to_node: NDArray[int32], start: int, end: int
) -> tuple[bool, NDArray[int32], NDArray[int32], int]: ...
def best_paths(
    nodes: int,
    from_node: NDArray[int32],
    to_node: NDArray[int32],
    scores: NDArray[float64],
    count: int,
    distinct: bool,
    phrase: NDArray[int32],
    word_offsets: NDArray[int64],
    words: NDArray[int32],
) -> tuple[NDArray[int64], NDArray[int32], NDArray[float64]]: ...
