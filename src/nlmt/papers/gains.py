"""Cells with the gain of a system over another one."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from statistics import fmean
from typing import TYPE_CHECKING, Any

from nlmt.evaluation.system import AVERAGE
from nlmt.io.json_files import read_json
from nlmt.papers.quantities import SystemScore
from nlmt.papers.results import Measurement

if TYPE_CHECKING:
    from nlmt.experiment import Experiment


@dataclass(frozen=True)
class BestGain:
    """The largest gain of some systems over another one, with the metric's sign.

    Attributes:
        part: the other system.
        systems: the systems.
        unit: the metric; TER falls, the others rise.
        unit: the metric; TER falls, the others rise. test_set: the test set.
    """

    part: str
    systems: tuple[str, ...]
    unit: str = "BLEU"
    test_set: str = ""

    def files(self, experiment: "Experiment") -> list[str]:
        """The scores of each system."""
        scores = [
            SystemScore(name, self.unit, self.part, self.test_set).files(experiment)
            for name in self.systems
        ]
        return [path for paths in scores for path in paths] if all(scores) else []

    def read(self, paths: Sequence[Path]) -> Measurement:
        """The gain of the best system, its p, and its name as a note."""
        found = {
            name: SystemScore(name, self.unit, self.part, self.test_set).read([path])
            for name, path in zip(self.systems, paths, strict=True)
        }
        best = max(found, key=lambda name: _sign(self.unit) * found[name].value)
        test_sets = read_json(paths[self.systems.index(best)])["scores"]
        metrics = test_sets[self.test_set or next(iter(test_sets))]
        return _gain(metrics, self.unit, self.part, best)


@dataclass(frozen=True)
class Loss:
    """The smallest or largest loss of some systems against another one.

    Attributes:
        part: the other system.
        systems: the systems.
        of_all: min or max, of the losses of all systems.
        unit: the metric; TER rises with a loss, the others fall.
    """

    part: str
    systems: tuple[str, ...]
    of_all: Callable[..., Measurement]
    unit: str = "BLEU"

    def files(self, experiment: "Experiment") -> list[str]:
        """The scores of each system."""
        return BestGain(self.part, self.systems, self.unit).files(experiment)

    def read(self, paths: Sequence[Path]) -> Measurement:
        """The loss, its p, and the name of the system as a note."""
        gains = [
            BestGain(self.part, (name,), self.unit).read([path])
            for name, path in zip(self.systems, paths, strict=True)
        ]
        losses = [replace(gain, value=-gain.value) for gain in gains]
        return self.of_all(losses, key=lambda loss: loss.value)


@dataclass(frozen=True)
class LargestGain:
    """The gain of a system over another one on the test set with the largest gain.

    Attributes:
        part: the system.
        over: the other one.
        unit: the metric; TER falls, the others rise.
    """

    part: str
    over: str
    unit: str = "BLEU"

    def files(self, experiment: "Experiment") -> list[str]:
        """The scores of the system."""
        return SystemScore(self.part, self.unit, self.over).files(experiment)

    def read(self, paths: Sequence[Path]) -> Measurement:
        """The gain, its p, and the test set as a note."""
        gains = {
            name: _gain(metrics, self.unit, self.over, name)
            for name, metrics in read_json(paths[0])["scores"].items()
            if name != AVERAGE
        }
        return max(gains.values(), key=lambda gain: gain.value)


@dataclass(frozen=True)
class MeanGain:
    """The largest gain of some systems over another one, on average over test sets.

    Attributes:
        part: the other system.
        systems: the systems, the best of which may be another one on each test set.
        test_sets: names; empty: the first one.
        unit: the metric; TER falls, the others rise.
    """

    part: str
    systems: tuple[str, ...]
    test_sets: tuple[str, ...]
    unit: str = "BLEU"

    def files(self, experiment: "Experiment") -> list[str]:
        """The scores of each system."""
        found = [gain.files(experiment) for gain in self._gains()]
        return found[0] if all(found) else []

    def read(self, paths: Sequence[Path]) -> Measurement:
        """The mean, without p; the best systems as a note."""
        gains = [gain.read(paths) for gain in self._gains()]
        note = ", ".join(gain.note for gain in gains)
        return Measurement(fmean(gain.value for gain in gains), note=note)

    def _gains(self) -> list[BestGain]:
        return [BestGain(self.part, self.systems, self.unit, name) for name in self.test_sets]


def _gain(metrics: Mapping[str, Any], unit: str, over: str, note: str) -> Measurement:
    """The difference from a system in the scores of a test set."""
    comparison = metrics[unit]["comparisons"][over]
    return Measurement(
        _sign(unit) * comparison["difference"],
        p_values={over: comparison["p_value"]},
        baseline=over,
        signature=metrics[unit]["signature"],
        note=note,
    )


def _sign(unit: str) -> int:
    """1 for a metric that rises with quality, else -1."""
    return 1 if unit in ("BLEU", "chrF") else -1
