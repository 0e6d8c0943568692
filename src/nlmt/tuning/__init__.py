"""Tuning of weights: tuners, and reranking.

The loop around a decoder is in `nlmt.tuning.loop`, which loads the decoder too.
"""

from nlmt.tuning.feature_names import leave_out
from nlmt.tuning.folding import fold
from nlmt.tuning.loop_state import run_fingerprint
from nlmt.tuning.mert import mert
from nlmt.tuning.moses_files import read_initial, read_pool
from nlmt.tuning.objective import OBJECTIVES, Objective
from nlmt.tuning.optimise import mean_weights, optimise
from nlmt.tuning.outcome import Outcome
from nlmt.tuning.pool import Pool, pool_of_nbest
from nlmt.tuning.reranking import tune_on_lattices, tune_reranking
from nlmt.tuning.settings import RerankingSettings, TunerSettings, TuningSettings
from nlmt.tuning.start import carry_over
from nlmt.tuning.tuner import LatticeTuner, ListTuner, Search, TunedWeights
from nlmt.tuning.tuners import TUNERS, list_tuner

__all__ = [
    "OBJECTIVES",
    "TUNERS",
    "LatticeTuner",
    "ListTuner",
    "Objective",
    "Outcome",
    "Pool",
    "RerankingSettings",
    "Search",
    "TunedWeights",
    "TunerSettings",
    "TuningSettings",
    "carry_over",
    "fold",
    "leave_out",
    "list_tuner",
    "mean_weights",
    "mert",
    "optimise",
    "pool_of_nbest",
    "read_initial",
    "read_pool",
    "run_fingerprint",
    "tune_on_lattices",
    "tune_reranking",
]
