"""Neural language models: parts that the configuration names, training, checkpoints, scoring."""

import os

# Before torch is loaded: its threads sleep while they wait for each other. By default they spin,
# which on a machine with other work costs several times what they do.
os.environ.setdefault("OMP_WAIT_POLICY", "passive")

from nlmt.neural.config import Architecture, NeuralConfig, Training
from nlmt.neural.data import Corpus, encode
from nlmt.neural.encoded import encode_texts
from nlmt.neural.folder import train_folder
from nlmt.neural.model import NeuralLM
from nlmt.neural.reading import read_corpus
from nlmt.neural.scoring import ScoringStatistics
from nlmt.neural.source import SourceFiles, read_with_source, with_source
from nlmt.neural.task import Task
from nlmt.neural.training import Result, Trainer, find_checkpoint

__all__ = [
    "Architecture",
    "Corpus",
    "NeuralConfig",
    "NeuralLM",
    "Result",
    "ScoringStatistics",
    "SourceFiles",
    "Task",
    "Trainer",
    "Training",
    "encode",
    "encode_texts",
    "find_checkpoint",
    "read_corpus",
    "read_with_source",
    "train_folder",
    "with_source",
]
