"""Quantities in cells of tables: their files among a pair's artefacts, and how they are read."""

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

from nlmt.errors import InputError
from nlmt.evaluation.difference import Difference, compare_means, compare_perplexities
from nlmt.io.files import check_file
from nlmt.io.json_files import read_json
from nlmt.lm.places import by_model, is_of_run
from nlmt.papers.results import Measurement, mean_over

if TYPE_CHECKING:
    from nlmt.experiment import Experiment

SENTENCES = "sentences.json"  # values of single sentences, beside perplexity.json
OfRuns: TypeAlias = Sequence[NDArray[np.float64]]  # a value of each sentence of a text


@dataclass(frozen=True)
class Quantity:
    """The quantity in one cell.

    Attributes:
        part: the system or language model that is measured, or one of several measurements of it
            (`model:test`); empty: none.
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
    """A quantity of one file in the folder of a language model, the mean over its runs."""
    return Quantity(
        model,
        unit,
        lambda experiment: experiment.models.paths(model, file),
        lambda paths: _mean([read(path) for path in paths]),
    )


def of_first_run(
    model: str, unit: str, files: Sequence[str], read: Callable[[Sequence[Path]], Measurement]
) -> Quantity:
    """A quantity of files in the folder of a language model, or of its first run."""

    def found(experiment: "Experiment") -> list[str]:
        models = experiment.models
        known = model in models.names()
        return [f"{models[model].folder}/{file}" for file in files] if known else []

    return Quantity(model, unit, found, read)


def _mean(runs: Sequence[Measurement]) -> Measurement:
    """The mean over runs, which agree in all else."""
    if len(runs) == 1:
        return runs[0]
    mean = mean_over([run.value for run in runs])
    return replace(runs[0], value=mean.value, runs=mean.runs)


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
    """A quantity computed from others of one file each, or one for each run of a model.

    It is made where all of them can be made.
    """

    def files(experiment: "Experiment") -> list[str]:
        found = [quantity.files(experiment) for quantity in each]
        return [path for paths in found for path in paths] if all(found) else []

    def read(paths: Sequence[Path]) -> Measurement:
        own = zip(each, files_by_quantity(paths), strict=True)
        return combine([quantity.read(runs) for quantity, runs in own])

    return Quantity(part, unit, files, read)


def files_by_quantity(paths: Sequence[Path]) -> list[list[Path]]:
    """The files of each quantity: one alone, or consecutive ones of the runs of a model."""
    found: list[list[Path]] = []
    for path in paths:
        last = found[-1][-1] if found else Path()
        of_runs = is_of_run(path) and path.parent.parent == last.parent.parent
        if of_runs and path.name == last.name and path not in found[-1]:
            found[-1].append(path)
        else:
            found.append([path])
    return found


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
    """The perplexity of a language model, with its vocabulary: the mean over its runs.

    Unknown words are taken for <unk>.

    p over sentences compares it with `against` and, only for the claims, with `further` models, as
    far as they have the same vocabulary.
    """

    def read(path: Path) -> Measurement:
        facts = read_json(path)["vocabulary"]
        vocabulary = "" if facts["hash"] is None else f"{facts['words']} words {facts['hash']}"
        return Measurement(of_text(path, split, "perplexity"), vocabulary=vocabulary)

    others, key = (against, *further), "log_probability"
    return _on_text(model, "perplexity", split, read, others, key, compare_perplexities)


def normaliser(model: str, split: str = "test", *, against: str = "") -> Quantity:
    """The mean |log Z| of a neural model: the mean over its runs.

    p over sentences compares it with `against`.
    """

    def read(path: Path) -> Measurement:
        return Measurement(of_text(path, split, "mean_abs_log_z"))

    return _on_text(model, "nats", split, read, (against,), "abs_log_z", compare_means)


def _on_text(
    model: str,
    unit: str,
    split: str,
    read_run: Callable[[Path], Measurement],
    others: Sequence[str],
    key: str,
    compare: Callable[[OfRuns, OfRuns, int], Difference],
) -> Quantity:
    """A quantity of a language model on a text: the mean over its runs, from perplexity.json.

    `compare` takes the values of all sentences under `key`, of the runs of the model and of one of
    `others`, and the number of words and sentence ends. p is against the first of them, unless it
    is empty. A model of another vocabulary is not compared.
    """
    compared = [name for name in dict.fromkeys(others) if name]

    def files(experiment: "Experiment") -> list[str]:
        paths = experiment.models.paths
        own = paths(model, "perplexity.json", SENTENCES)
        beside = [path for name in compared for path in paths(name, "perplexity.json", SENTENCES)]
        return [*own, *beside] if own and beside else paths(model, "perplexity.json")

    def read(paths: Sequence[Path]) -> Measurement:
        of_models = by_model(paths)
        found = {
            name: _mean([read_run(path) for path in own if path.name != SENTENCES])
            for name, own in of_models.items()
        }
        first, *further = found
        if not further:
            return found[first]
        runs = {
            name: [np.array(of_text(path, split, key)) for path in own if path.name == SENTENCES]
            for name, own in of_models.items()
        }
        events = of_text(paths[0], split, "events")
        differences = {
            name: compare(runs[first], runs[name], events)
            for name in further
            if found[name].vocabulary == found[first].vocabulary
        }
        return replace(found[first], differences=differences, baseline=others[0])

    return Quantity(model, unit, files, read)


def of_text(path: Path, split: str, key: str) -> Any:
    """The value of a text under a key of perplexity.json, or the values in sentences.json.

    Raises:
        InputError: it lacks the key.
    """
    return read_json(path)[split][key]


def perplexity_fall(other: str, models: Sequence[str]) -> Quantity:
    """The reduction of another model's test perplexity by the best of some models, in per cent."""

    def fall(found: Sequence[Measurement]) -> Measurement:
        before, *own = (measurement.value for measurement in found)
        return Measurement(100 * (1 - min(own) / before), note=models[own.index(min(own))])

    return combined(other, "%", [perplexity(name) for name in (other, *models)], fall)


def training_record(model: str, key: str, unit: str) -> Quantity:
    """A figure that the training of a neural model recorded, by its key in metrics.json."""
    return of_model(model, unit, "metrics.json", lambda path: Measurement(number_of(path, key)))


def is_trained(metrics: Path) -> bool:
    """Whether a neural model is better on dev than a unigram model, by its metrics.json."""
    return number_of(metrics, "dev_unigram_perplexity") > float(
        of_text(metrics, "dev", "perplexity")
    )


def model_size(model: str) -> Quantity:
    """The size of a language model's files, which the decoder maps or reads, in 10^6 bytes."""

    def files(experiment: "Experiment") -> list[str]:
        models = experiment.models
        return models[model].read_files if model in models.names() else []

    return Quantity(model, "MB", files, lambda paths: Measurement(megabytes(paths)))


def megabytes(paths: Iterable[Path | str]) -> float:
    """The size of files together.

    Raises:
        InputError: there is no such file.
    """
    return sum(check_file(path).stat().st_size for path in paths) / 1e6


def model_memory(system: str) -> Quantity:
    """The memory of a system's language models in the decoder, in 10^6 bytes."""
    return of_system(
        system,
        "MB",
        f"decode/{system}/memory.json",
        lambda path: Measurement(sum(read_json(path)["bytes"].values()) / 1e6),
    )


def short_list_share(model: str, system: str) -> Quantity:
    """The share of a rescoring system's requests that a model's short-list covers, in per cent.

    It is that of each run's model and list.
    """

    def files(experiment: "Experiment") -> list[str]:
        models, systems = experiment.models, experiment.systems
        if model not in models.names() or system not in systems.names():
            return []
        ids = dict.fromkeys(models.of_run(model, run).id for run in systems[system].runs)
        return [f"rescore/{system}/requests/{one}.json" for one in ids]

    return Quantity(
        model,
        "%",
        files,
        lambda paths: _mean([share_of_requests(path, "predicted") for path in paths]),
    )


def share_of_requests(path: Path, key: str) -> Measurement:
    """A file's count under a key, in per cent of its requests."""
    return Measurement(100 * number_of(path, key) / number_of(path, "requests"))
