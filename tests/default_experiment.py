"""The default configuration with all papers, which takes longer to read than most tests run."""

from functools import cache
from pathlib import Path
from typing import Any

from nlmt.experiment import Experiment
from nlmt.papers import PAPERS
from nlmt.workflow.configuration import default_files, laid_over, read_files

ROOT = Path(__file__).parents[1]


@cache
def default_experiment(*overlays: str) -> Experiment:
    """The default experiment, with files of config/ laid over it; tests leave it as it is."""
    files = [*default_files(ROOT), *(ROOT / "config" / name for name in overlays)]
    return Experiment.read(read_files(files), files, papers=dict(PAPERS.items()))


@cache
def _default_values() -> dict[str, Any]:
    return read_files(default_files(ROOT))


def changed_experiment(**changes: Any) -> Experiment:
    """The default experiment with some of its keys changed."""
    return Experiment.read(laid_over(_default_values(), changes), papers=dict(PAPERS.items()))
