"""Cells that show times and speeds, measured with nothing else running (`nlmt.papers.speed`)."""

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from nlmt.io.json_files import read_json
from nlmt.papers.quantities import number_of
from nlmt.papers.results import Measurement

if TYPE_CHECKING:
    from nlmt.experiment import Experiment


@dataclass(frozen=True)
class TrainingTime:
    """The time of a neural model's whole training on one thread of an idle machine.

    Attributes:
        part: the model.
        unit: seconds.
    """

    part: str
    unit: str = "seconds"

    def files(self, experiment: "Experiment") -> list[str]:
        """The metrics of the training, which count tokens, and the measured speed."""
        known = self.part in experiment.models.names()
        return [f"lm/{self.part}/{name}" for name in ("metrics.json", "speed.json") if known]

    def read(self, paths: Sequence[Path]) -> Measurement:
        """All tokens of all epochs divided by each repetition's speed; the value is the least."""
        tokens = number_of(paths[0], "tokens")
        times = [tokens / speed for speed in read_json(paths[1])["tokens_per_second"]]
        return Measurement(min(times), tuple(times), machine=machine_text(read_json(paths[1])))


@dataclass(frozen=True)
class TrainingSpeed:
    """The speed of a neural model's training on one thread of an idle machine.

    Attributes:
        part: the model.
        unit: tokens a second.
    """

    part: str
    unit: str = "tokens a second"

    def files(self, experiment: "Experiment") -> list[str]:
        """The measured speed."""
        known = self.part in experiment.models.names()
        return [f"lm/{self.part}/speed.json"] if known else []

    def read(self, paths: Sequence[Path]) -> Measurement:
        """The speed of each repetition; the value is the largest."""
        facts = read_json(paths[0])
        return _fastest(facts["tokens_per_second"], facts)


@dataclass(frozen=True)
class RescoringSpeed:
    """The speed, in n-grams requested from the model, of a system that rescores, on one thread.

    Attributes:
        part: the system.
        way: grouping of requests: `apart`, `ngrams` or `contexts` (`nlmt.papers.speed`).
        unit: requests a second.
    """

    part: str
    way: str
    unit: str = "requests a second"

    def files(self, experiment: "Experiment") -> list[str]:
        """The measured speed."""
        known = self.part in experiment.systems.names()
        return [f"rescore/{self.part}/speed.json"] if known else []

    def read(self, paths: Sequence[Path]) -> Measurement:
        """The speed of each repetition; the value is the largest."""
        facts = read_json(paths[0])
        return _fastest(facts["requests_per_second"][self.way], facts)


@dataclass(frozen=True)
class DecodingTime:
    """The time of a system per sentence, on one thread of an idle machine.

    Attributes:
        part: the system.
        unit: seconds a sentence.
        again: whether the text was translated before, so that scores of neural models are cached.
    """

    part: str
    unit: str = "seconds a sentence"
    again: bool = False

    def files(self, experiment: "Experiment") -> list[str]:
        """The measured speed."""
        known = self.part in experiment.systems.names()
        name = "speed_again" if self.again else "speed"
        return [f"decode/{self.part}/{name}.json"] if known else []

    def read(self, paths: Sequence[Path]) -> Measurement:
        """The time of each repetition; the value is the least."""
        facts = read_json(paths[0])
        times = tuple(map(float, facts["seconds_a_sentence"]))
        return Measurement(min(times), times, machine=machine_text(facts))


@dataclass(frozen=True)
class DecodingSpeedUp:
    """The decoding speed of a system relative to another one's.

    Attributes:
        part: the system.
        other: the other one.
        unit: times.
    """

    part: str
    other: str
    unit: str = "times"

    def files(self, experiment: "Experiment") -> list[str]:
        """The measured speed of both, the system's first."""
        found = [DecodingTime(name).files(experiment) for name in (self.part, self.other)]
        return [path for paths in found for path in paths] if all(found) else []

    def read(self, paths: Sequence[Path]) -> Measurement:
        """The least time of the other one divided by the system's."""
        own, other = (DecodingTime(self.part).read([path]) for path in paths)
        return Measurement(other.value / own.value, machine=own.machine)


def _fastest(speeds: Sequence[float], facts: dict[str, Any]) -> Measurement:
    """The highest speed of several repetitions, with all of them."""
    runs = tuple(map(float, speeds))
    return Measurement(max(runs), runs, machine=machine_text(facts))


def machine_text(facts: dict[str, Any]) -> str:
    """The machine on which a time was measured, in words."""
    threads = facts["threads"]
    return f"{threads} thread{'s' if threads > 1 else ''} of {facts['processor']}"
