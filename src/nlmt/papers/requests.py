"""Shares of a network's requests, and the coverage of n-best lists by a short-list."""

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from nlmt.errors import InputError
from nlmt.io.nbest import NbestList
from nlmt.neural.data.numbered_text import END_ID
from nlmt.neural.model import NeuralLM
from nlmt.papers.quantities import number_of
from nlmt.papers.results import Measurement
from nlmt.papers.times import RescoringSpeed

if TYPE_CHECKING:
    from nlmt.experiment import Experiment


def count_predicted(folder: Path, nbest: NbestList) -> dict[str, int]:
    """Count the requests of an n-best list for words of a model's short-list.

    Args:
        folder: of the model.
        nbest: each word and each end of its hypotheses is a request.

    Returns:
        `requests`, and the number of them that the network answers (`predicted`).

    Raises:
        InputError: no such model, or no hypotheses.
    """
    if not len(nbest):
        raise InputError("a list without hypotheses", path=nbest.path)
    model = NeuralLM.load(folder)
    counts = np.append(np.bincount(nbest.ids, minlength=len(nbest.words)), len(nbest))
    words = np.append(model.lookup(nbest.words), END_ID)
    requests = int(counts.sum())
    predicted = model.layout.predicted
    found = requests if predicted is None else int(counts[predicted[words]].sum())
    return {"requests": requests, "predicted": found}


@dataclass(frozen=True)
class ShortListShare:
    """The share of a rescoring system's requests that a model's short-list covers.

    Attributes:
        part: the model.
        system: the system with the lists.
        unit: per cent of the requests.
    """

    part: str
    system: str
    unit: str = "%"

    def files(self, experiment: "Experiment") -> list[str]:
        """The counts."""
        known = self.part in experiment.models.names() and self.system in experiment.systems.names()
        return [f"rescore/{self.system}/requests/{self.part}.json"] if known else []

    def read(self, paths: Sequence[Path]) -> Measurement:
        """The share."""
        return _share(paths[0], "predicted")


@dataclass(frozen=True)
class EvaluatedShare:
    """The share of a rescoring system's requests that are evaluated, equal ones once.

    Attributes:
        part: the system.
        way: `ngrams` or `contexts`, whichever are grouped.
        unit: per cent of the requests.
    """

    part: str
    way: str
    unit: str = "%"

    def files(self, experiment: "Experiment") -> list[str]:
        """The file of measured speed, which has the counts."""
        return RescoringSpeed(self.part, self.way).files(experiment)

    def read(self, paths: Sequence[Path]) -> Measurement:
        """The share."""
        return _share(paths[0], self.way)


def _share(path: Path, key: str) -> Measurement:
    """A file's count under a key, in per cent of its requests."""
    return Measurement(100 * number_of(path, key) / number_of(path, "requests"))
