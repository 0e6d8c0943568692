"""Provenance of the numbers in a table: configuration, seeds, versions, run time."""

import json
import platform
from collections.abc import Iterable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import TYPE_CHECKING, Any

import yaml

from nlmt import __version__
from nlmt.provenance.timeline import benchmark_seconds
from nlmt.settings import to_plain

if TYPE_CHECKING:
    from nlmt.experiment import Experiment

# Packages on whose versions numbers may depend.
_PACKAGES = ("numpy", "torch", "kenlm", "eflomal", "sacrebleu", "sacremoses", "snakemake")


@dataclass(frozen=True)
class Part:
    """A system or language model of a table, and its configuration.

    Attributes:
        systems: the configuration of itself and of the systems whose translations and weights it
            uses, with all keys that were given.
        language_models: the configuration of all their models.
        seeds: of the runs; empty for a model.
    """

    name: str
    systems: Mapping[str, Any]
    language_models: Mapping[str, Any]
    seeds: Sequence[int]

    @property
    def uses(self) -> list[str]:
        """The systems and models whose jobs made it, itself among them."""
        return [*self.systems, *self.language_models]


def part_of(experiment: "Experiment", name: str) -> Part | None:
    """The configuration of a part of a table; None where it has no entry."""
    systems, models = experiment.systems, experiment.models
    if name in systems.names():
        taken = [name, systems[name].decoded_by, systems[name].tuned_by]
        used = list(dict.fromkeys(taken))
        trained = systems.models_of(used)
        seeds = systems[name].runs
    elif name in models.names():
        used, trained, seeds = [], [name], []
    else:
        return None
    return Part(
        name,
        {system: to_plain(systems[system].settings) for system in used},
        {model: models[model].parameters for model in trained},
        seeds,
    )


def run_times(folder: Path, task: str, pair: str, names: Iterable[str]) -> dict[str, float]:
    """Seconds of all jobs of systems and models, by name, from Snakemake's benchmark files.

    A job that was not run here, or whose benchmark file was removed, is left out.
    """
    wanted, found = set(names), dict[str, float]()
    of_pair = f"*/{task}.{pair}."
    # What a run has of its own is in a folder of the name: <task>.<pair>.<name>/run1.tsv
    for path in sorted([*folder.glob(f"{of_pair}*.tsv"), *folder.glob(f"{of_pair}*/run*.tsv")]):
        rest = path.relative_to(folder).parts[1].removeprefix(f"{task}.{pair}.")
        name = rest.partition(".")[0]
        if name in wanted:
            found[name] = found.get(name, 0.0) + benchmark_seconds(path)
    return found


def versions() -> str:
    """The versions on which numbers may depend, in one line."""
    found = [f"nlmt {__version__}", f"Python {platform.python_version()}"]
    for package in _PACKAGES:
        with suppress(PackageNotFoundError):
            found.append(f"{package} {version(package)}")
    return ", ".join(found)


def configuration_text(parts: Sequence[Part]) -> str:
    """The entries of several parts as YAML, each only once."""
    values: dict[str, dict[str, Any]] = {"systems": {}, "language_models": {}}
    for part in parts:
        values["systems"].update(part.systems)
        values["language_models"].update(part.language_models)
    return as_yaml({key: entries for key, entries in values.items() if entries})


def as_yaml(values: Mapping[str, Any]) -> str:
    """Values that JSON could have as YAML for pages."""
    copied = json.loads(json.dumps(values))  # an object that is there twice would be an alias
    return str(yaml.safe_dump(copied, sort_keys=False, default_flow_style=None, width=100))


def duration(seconds: float) -> str:
    """A run time in words."""
    if seconds < 100:
        return f"{seconds:.1f} s"
    if seconds < 6000:
        return f"{seconds / 60:.0f} min"
    return f"{seconds / 3600:.1f} h"
