import numpy as np
from numpy.typing import NDArray

from nlmt.io._lattice import LatticeWriter
from nlmt.neural.arrays import NetworkArrays

Floats = NDArray[np.float32]

class ShortList:
    def __init__(
        self,
        *,
        units: NDArray[np.int32],
        log_mass: float,
        levels: list[tuple[NDArray[np.int64], Floats, Floats, Floats]],
    ) -> None: ...

class NeuralModel:
    def __init__(
        self,
        arrays: NetworkArrays,
        *,
        normalised: bool,
        eight_bits: bool,
        keep_products: bool,
        short_list: ShortList | None,
    ) -> None: ...

class ClassTable:
    def __init__(self, *, words: list[str], classes: list[str], log_p: Floats) -> None: ...

class FeatureSpec:
    def __init__(
        self,
        *,
        kind: str,
        label: str,
        path: str,
        type: str,
        tuples: bool,
        width: int,
        table_limit: int,
        neural: NeuralModel | None,
        classes: ClassTable | None,
    ) -> None: ...

class MarkupPolicy:
    PASS_THROUGH: MarkupPolicy
    IGNORE: MarkupPolicy
    EXCLUSIVE: MarkupPolicy
    INCLUSIVE: MarkupPolicy
    CONSTRAINT: MarkupPolicy

class RiskOptions:
    def __init__(
        self,
        *,
        size: int,
        scale: float,
        thetas: list[float],
        density: float,
        map_weight: float,
    ) -> None: ...

class BatchOptions:
    def __init__(
        self,
        *,
        cube_pruning: bool,
        stack: int,
        pop_limit: int,
        beam_threshold: float,
        distortion_limit: int,
        paths: list[tuple[int, int]],
        span_limit: int,
        drop_unknown: bool,
        markup: MarkupPolicy,
        monotone_at_punctuation: bool,
        recombination_context: int,
        threads: int,
        nbest: int,
        distinct: bool,
        segmentation: bool,
        alignment: bool,
        labels: bool,
        keep_alternatives: bool,
        lattice_beam: float,
        lattice_density: float,
        risk: RiskOptions,
        first_sentence: int,
        first_line: int,
        source: str,
    ) -> None: ...

class BestTranslation:
    @property
    def text(self) -> str: ...
    @property
    def traced(self) -> str: ...
    @property
    def alignment(self) -> str: ...
    @property
    def unknown(self) -> list[str]: ...
    @property
    def score(self) -> float: ...
    @property
    def words(self) -> int: ...
    @property
    def options(self) -> int: ...
    @property
    def hypotheses(self) -> int: ...
    @property
    def found(self) -> bool: ...

class Writer:
    def __init__(self, path: str, compressed: bool) -> None: ...
    def close(self) -> None: ...

class Outputs:
    def __init__(
        self,
        *,
        nbest: Writer | None,
        search_graph: Writer | None,
        extended_graph: Writer | None,
        lattices: LatticeWriter | None,
        hypergraphs: str,
        hypergraph_suffix: str,
        slf: str,
    ) -> None: ...

class Model:
    def __init__(self, specs: list[FeatureSpec], threads: int, ini: str) -> None: ...
    def set_weights(self, weights: list[float]) -> None: ...
    def set_printed(self, values: list[bool]) -> None: ...
    @property
    def weights(self) -> list[float]: ...
    @property
    def warnings(self) -> list[str]: ...
    @property
    def features(self) -> list[tuple[str, str, int]]: ...
    @property
    def printed(self) -> list[tuple[str, int]]: ...
    def translate(
        self, lines: list[str], options: BatchOptions, outputs: Outputs
    ) -> list[BestTranslation]: ...
    def kept_scores(self, number: int) -> bytes: ...
    def take_scores(self, number: int, kept: bytes) -> None: ...

class BinaryTableCounts:
    @property
    def sources(self) -> int: ...
    @property
    def entries(self) -> int: ...
    @property
    def words(self) -> int: ...
    @property
    def without_reordering(self) -> int: ...
    @property
    def warnings(self) -> list[str]: ...

def build_binary_table(
    phrase_table: str,
    reordering_table: str,
    output: str,
    folder: str,
    memory: int,
    threads: int,
) -> BinaryTableCounts: ...
def check_binary_table(path: str) -> None: ...
