"""One experiment: its configuration, language models, systems and papers."""

from nlmt.experiment.config import Config, read_config, scale_file
from nlmt.experiment.experiment import Experiment
from nlmt.experiment.papers import PAPERS, PairFiles, Paper, PaperSettings, Table

__all__ = [
    "PAPERS",
    "Config",
    "Experiment",
    "PairFiles",
    "Paper",
    "PaperSettings",
    "Table",
    "read_config",
    "scale_file",
]
