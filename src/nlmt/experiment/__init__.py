"""One experiment: its configuration, language models, systems and papers."""

from nlmt.experiment.config import Config, read_config, scale_file
from nlmt.experiment.estimate import Estimate, PlannedJob, estimate
from nlmt.experiment.experiment import Experiment
from nlmt.experiment.kinds_of_jobs import kind_of_job
from nlmt.experiment.papers import PAPERS, PairFiles, Paper, PaperSettings, Table

__all__ = [
    "PAPERS",
    "Config",
    "Estimate",
    "Experiment",
    "PairFiles",
    "Paper",
    "PaperSettings",
    "PlannedJob",
    "Table",
    "estimate",
    "kind_of_job",
    "read_config",
    "scale_file",
]
