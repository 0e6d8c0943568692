"""The default configuration with all papers, which takes longer to read than most tests run."""

import copy
from functools import cache
from pathlib import Path
from typing import Any

from nlmt.experiment import Experiment
from nlmt.papers import PAPERS
from nlmt.workflow.configuration import _lay_over, default_files, read_files

ROOT = Path(__file__).parents[1]


@cache
def default_experiment(*overlays: str) -> Experiment:
    """The default experiment, with files of config/ laid over it; tests leave it as it is."""
    files = [*default_files(ROOT), *(ROOT / "config" / name for name in overlays)]
    return Experiment.read(*read_files(files), papers=dict(PAPERS.items()))


@cache
def _default_values() -> dict[str, Any]:
    return read_files(default_files(ROOT))[0]


def changed_experiment(**changes: Any) -> Experiment:
    """The default experiment with some of its keys changed."""
    values = copy.deepcopy(_default_values())
    _lay_over(values, changes)
    return Experiment.read(values, papers=dict(PAPERS.items()))
