"""Quantities in cells of tables: their files among a pair's artefacts, and how they are read."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from nlmt.errors import InputError
from nlmt.evaluation.difference import compare_perplexities
from nlmt.io.json_files import read_json
from nlmt.papers.results import Measurement, mean_over

if TYPE_CHECKING:
    from nlmt.experiment import Experiment


@dataclass(frozen=True)
class Quantity:
    """The quantity in one cell.

    Attributes:
        part: the system or language model that is measured; empty: none.
        unit: as `nlmt.papers.published` names it.
        files: finds its files in an experiment, below the folder of a pair; none where it cannot
            be made.
        read: reads the value from these files; raises InputError that names the file where one is
            missing or damaged.
    """

    part: str
    unit: str
    files: "Callable[[Experiment], list[str]]"
    read: Callable[[Sequence[Path]], Measurement]


def of_model(model: str, unit: str, file: str, read: Callable[[Path], Measurement]) -> Quantity:
    """A quantity of one file in the folder of a language model, made where there is the model."""
    return Quantity(
        model,
        unit,
        lambda experiment: experiment.models.paths(model, file),
        lambda paths: read(paths[0]),
    )


def of_system(system: str, unit: str, path: str, read: Callable[[Path], Measurement]) -> Quantity:
    """A quantity that one file has, made where the experiment has the system."""
    return Quantity(
        system,
        unit,
        lambda experiment: [path] if system in experiment.systems.names() else [],
        lambda paths: read(paths[0]),
    )


def combined(
    part: str,
    unit: str,
    each: Sequence[Quantity],
    combine: Callable[[Sequence[Measurement]], Measurement],
) -> Quantity:
    """A quantity computed from others of one file each, made where all of them can be made."""

    def files(experiment: "Experiment") -> list[str]:
        found = [quantity.files(experiment) for quantity in each]
        return [path for paths in found for path in paths] if all(found) else []

    def read(paths: Sequence[Path]) -> Measurement:
        return combine([one.read([path]) for one, path in zip(each, paths, strict=True)])

    return Quantity(part, unit, files, read)


def number_of(path: Path, key: str) -> float:
    """A number of a JSON file.

    Raises:
        InputError: there is none of that name.
    """
    values = read_json(path)
    if not isinstance(values.get(key), int | float):
        raise InputError(f"no number {key!r}", path=path)
    return float(values[key])


def perplexity(
    model: str, split: str = "test", *, against: str = "", further: Sequence[str] = ()
) -> Quantity:
    """The perplexity of a language model, unknown words taken for <unk>, and its vocabulary.

    Args:
        model: the model.
        split: the text, dev or test.
        against: the model that p over sentences compares it with; empty: none.
        further: further models to compare it with, only for the claims.
    """

    def files(experiment: "Experiment") -> list[str]:
        models = experiment.models
        own = models.paths(model, "perplexity.json", "log-probabilities.json")
        others = [models.paths(name, "log-probabilities.json") for name in (against, *further)]
        compared = [path for paths in others for path in paths]
        return [*own, *compared] if own and compared else own[:1]

    def read(paths: Sequence[Path]) -> Measurement:
        measured = read_json(paths[0])
        facts = measured["vocabulary"]
        vocabulary = "" if facts["hash"] is None else f"{facts['words']} words {facts['hash']}"
        found = Measurement(measured[split]["perplexity"], vocabulary=vocabulary)
        if len(paths) == 1:
            return found
        own, *others = (np.array(read_json(path)[split]) for path in paths[1:])
        events = measured[split]["events"]
        differences = {
            path.parent.name: compare_perplexities(own, other, events)
            for path, other in zip(paths[2:], others, strict=True)
        }
        return replace(found, differences=differences, baseline=against)

    return Quantity(model, "perplexity", files, read)


def perplexity_fall(other: str, models: Sequence[str]) -> Quantity:
    """The reduction of another model's test perplexity by the best of some models, in per cent."""

    def fall(found: Sequence[Measurement]) -> Measurement:
        before, *own = (measurement.value for measurement in found)
        return Measurement(100 * (1 - min(own) / before), note=models[own.index(min(own))])

    return combined(other, "%", [perplexity(name) for name in (other, *models)], fall)


def mean_over_seeds(each: Sequence[Quantity]) -> Quantity:
    """The mean of a quantity over models that differ in their seed; each model is a run.

    Args:
        each: the quantity of each model, read from its first file; the table names the first model,
            and others may be missing in the configuration. The first model alone is read from all
            of its files, which compare it with other models, and has no runs.
    """

    def files(experiment: "Experiment") -> list[str]:
        first, *others = (quantity.files(experiment) for quantity in each)
        found = [paths[0] for paths in others if paths]
        return [first[0], *found] if first and found else first

    def read(paths: Sequence[Path]) -> Measurement:
        if len(paths) == 1 or len({path.name for path in paths}) > 1:
            return each[0].read(paths)
        found = [each[0].read([path]) for path in paths]
        vocabularies = {measurement.vocabulary for measurement in found}
        mean = mean_over([measurement.value for measurement in found])
        return replace(mean, vocabulary=vocabularies.pop() if len(vocabularies) == 1 else "")

    return Quantity(each[0].part, each[0].unit, files, read)


def text_record(
    model: str, key: str, unit: str, split: str = "test", factor: float = 1.0
) -> Quantity:
    """A further statistic of a neural model on a text (`nlmt.neural.text_facts`).

    Args:
        model: the model.
        key: `mean_abs_log_z`, `predicted_share` or `source_cosine`.
        unit: of the value.
        split: the text, dev or test.
        factor: by which the value is multiplied, 100 for a share in per cent.
    """

    def read(path: Path) -> Measurement:
        measured = read_json(path)[split]
        if key not in measured:
            raise InputError(f"no {key} of {split}", path=path, hint="make it again")
        return Measurement(factor * float(measured[key]))

    return of_model(model, unit, "perplexity.json", read)


def training_record(model: str, key: str, unit: str) -> Quantity:
    """A figure that the training of a neural model recorded, by its key in metrics.json."""
    return of_model(model, unit, "metrics.json", lambda path: Measurement(number_of(path, key)))


def model_size(model: str) -> Quantity:
    """The size of a language model's files, which the decoder maps or reads, in 10^6 bytes."""

    def files(experiment: "Experiment") -> list[str]:
        models = experiment.models
        return models[model].read_files if model in models.names() else []

    def read(paths: Sequence[Path]) -> Measurement:
        for path in paths:
            if not path.is_file():
                raise InputError("no such file", path=path)
        return Measurement(sum(path.stat().st_size for path in paths) / 1e6)

    return Quantity(model, "MB", files, read)


def model_memory(system: str) -> Quantity:
    """The memory of a system's language models in the decoder, in 10^6 bytes."""
    return of_system(
        system,
        "MB",
        f"decode/{system}/memory.json",
        lambda path: Measurement(sum(read_json(path)["bytes"].values()) / 1e6),
    )


def short_list_share(model: str, system: str) -> Quantity:
    """The share of a rescoring system's requests that a model's short-list covers, in per cent."""

    def files(experiment: "Experiment") -> list[str]:
        known = model in experiment.models.names() and system in experiment.systems.names()
        return [f"rescore/{system}/requests/{model}.json"] if known else []

    return Quantity(model, "%", files, lambda paths: share_of_requests(paths[0], "predicted"))


def share_of_requests(path: Path, key: str) -> Measurement:
    """A file's count under a key, in per cent of its requests."""
    return Measurement(100 * number_of(path, key) / number_of(path, "requests"))
