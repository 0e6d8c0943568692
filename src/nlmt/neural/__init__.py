"""Neural language models: parts that the configuration names, training, checkpoints, scoring."""

import os

# Set before torch is loaded: its threads sleep while they wait for each other. By default they
# spin, which on a busy machine costs several times the work itself.
os.environ.setdefault("OMP_WAIT_POLICY", "passive")

from nlmt.neural.config import Architecture, NeuralConfig, Training
from nlmt.neural.data.encoded import encode_texts
from nlmt.neural.data.numbered_text import NumberedText, encode
from nlmt.neural.data.text_files import SourceFiles, read_text, read_with_source, with_source
from nlmt.neural.model import NeuralLM
from nlmt.neural.scoring.protocol import ScoringStatistics
from nlmt.neural.training.folder import train_folder
from nlmt.neural.training.inputs import TaskFiles
from nlmt.neural.training.task import Task
from nlmt.neural.training.trainer import Result, Trainer, find_checkpoint

__all__ = [
    "Architecture",
    "NeuralConfig",
    "NeuralLM",
    "NumberedText",
    "Result",
    "ScoringStatistics",
    "SourceFiles",
    "Task",
    "TaskFiles",
    "Trainer",
    "Training",
    "encode",
    "encode_texts",
    "find_checkpoint",
    "read_text",
    "read_with_source",
    "train_folder",
    "with_source",
]
