"""Weights for the highest BLEU: MERT, the tuning loop around a decoder, and reranking."""

from nlmt.tuning.checkpoint import model_fingerprint
from nlmt.tuning.loop import TunableDecoder, TuningOptions, TuningResult, tune, write_log
from nlmt.tuning.mert import Tuned, mert
from nlmt.tuning.moses_files import read_initial, read_pool
from nlmt.tuning.pool import Pool, pool_of_nbest
from nlmt.tuning.reranking import tune_reranking
from nlmt.tuning.weights import name_weights, write_weights

__all__ = [
    "Pool",
    "TunableDecoder",
    "Tuned",
    "TuningOptions",
    "TuningResult",
    "mert",
    "model_fingerprint",
    "name_weights",
    "pool_of_nbest",
    "read_initial",
    "read_pool",
    "tune",
    "tune_reranking",
    "write_log",
    "write_weights",
]
