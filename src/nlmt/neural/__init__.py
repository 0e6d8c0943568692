"""Neural language models: parts that the configuration names, training, checkpoints, scoring."""

import os

# Set before torch is loaded: its threads sleep while they wait for each other. By default they
# spin, which on a busy machine costs several times the work itself.
os.environ.setdefault("OMP_WAIT_POLICY", "passive")

from nlmt.lm.protocol import ScoringStatistics
from nlmt.neural.model import NeuralLM
from nlmt.neural.settings.architecture import Architecture
from nlmt.neural.settings.neural import NeuralConfig
from nlmt.neural.settings.training import Training
from nlmt.neural.text.encoded import encode_texts
from nlmt.neural.text.files import read_text, with_source
from nlmt.neural.text.numbered import NumberedText, encode
from nlmt.neural.train.checkpoints import find_checkpoint
from nlmt.neural.train.folder import train_folder
from nlmt.neural.train.task import Task
from nlmt.neural.train.trainer import Result, Trainer

__all__ = [
    "Architecture",
    "NeuralConfig",
    "NeuralLM",
    "NumberedText",
    "Result",
    "ScoringStatistics",
    "Task",
    "Trainer",
    "Training",
    "encode",
    "encode_texts",
    "find_checkpoint",
    "read_text",
    "train_folder",
    "with_source",
]
