"""Weights for the best translations: MERT and its rivals, the loop around a decoder, reranking."""

from nlmt.tuning.checkpoint import model_fingerprint
from nlmt.tuning.folding import Folding, fold
from nlmt.tuning.lattice_mert import lattice_mert
from nlmt.tuning.loop import TuningOptions, TuningResult, tune, write_log
from nlmt.tuning.mert import Tuned, mert
from nlmt.tuning.moses_files import read_initial, read_pool
from nlmt.tuning.objective import OBJECTIVES, Objective, get_objective
from nlmt.tuning.optimise import METHODS, mean_weights, optimise
from nlmt.tuning.pool import Pool, pool_of_nbest
from nlmt.tuning.reranking import (
    RerankingOptions,
    starting_points,
    tune_on_lattices,
    tune_reranking,
)

__all__ = [
    "METHODS",
    "OBJECTIVES",
    "Folding",
    "Objective",
    "Pool",
    "RerankingOptions",
    "Tuned",
    "TuningOptions",
    "TuningResult",
    "fold",
    "get_objective",
    "lattice_mert",
    "mean_weights",
    "mert",
    "model_fingerprint",
    "optimise",
    "pool_of_nbest",
    "read_initial",
    "read_pool",
    "starting_points",
    "tune",
    "tune_on_lattices",
    "tune_reranking",
    "write_log",
]
