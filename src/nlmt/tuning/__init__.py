"""Weights for the highest BLEU: MERT, the tuning loop around a decoder, and reranking."""

from nlmt.tuning.checkpoint import model_fingerprint
from nlmt.tuning.loop import TuningOptions, TuningResult, tune, write_log
from nlmt.tuning.mert import Tuned, mert
from nlmt.tuning.moses_files import read_initial, read_pool
from nlmt.tuning.pool import Pool, pool_of_nbest
from nlmt.tuning.reranking import tune_reranking

__all__ = [
    "Pool",
    "Tuned",
    "TuningOptions",
    "TuningResult",
    "mert",
    "model_fingerprint",
    "pool_of_nbest",
    "read_initial",
    "read_pool",
    "tune",
    "tune_reranking",
    "write_log",
]
