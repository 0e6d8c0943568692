"""One experiment: its configuration, language models, systems and papers."""

from nlmt.experiment.estimate import (
    Estimate,
    Pace,
    PlannedJob,
    estimate,
    measure_pace,
    most_scratch_mb,
    planned_jobs,
)
from nlmt.experiment.experiment import Experiment
from nlmt.experiment.kinds_of_jobs import kind_of_job, score_seconds
from nlmt.experiment.translating import describe_systems, tokenisation
from nlmt.paper_settings import ConfiguredPaper, PaperSettings

__all__ = [
    "ConfiguredPaper",
    "Estimate",
    "Experiment",
    "Pace",
    "PaperSettings",
    "PlannedJob",
    "describe_systems",
    "estimate",
    "kind_of_job",
    "measure_pace",
    "most_scratch_mb",
    "planned_jobs",
    "score_seconds",
    "tokenisation",
]
