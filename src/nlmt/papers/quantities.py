"""Quantities in cells of tables, and the artefacts of a pair from which they are read."""

import statistics
from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Protocol

import numpy as np

from nlmt.errors import InputError
from nlmt.evaluation.difference import compare_perplexities
from nlmt.evaluation.system import AVERAGE
from nlmt.io.json_files import read_json
from nlmt.io.weights import read_weights
from nlmt.papers.results import Measurement

if TYPE_CHECKING:
    from nlmt.experiment import Experiment

EVERY = "every"  # test set: the average over all, or the only one


class Quantity(Protocol):
    """The quantity in one cell.

    Attributes:
        part: the system or language model that is measured.
        unit: as `nlmt.papers.published` names it.
    """

    @property
    def part(self) -> str:
        """The system or language model that is measured."""
        ...

    @property
    def unit(self) -> str:
        """The unit, as `nlmt.papers.published` names it."""
        ...

    def files(self, experiment: "Experiment") -> list[str]:
        """Its files, below the folder of a pair; empty where it cannot be made."""
        ...

    def read(self, paths: Sequence[Path]) -> Measurement:
        """Read the value from these files.

        Raises:
            InputError: a file is missing or damaged; names it.
        """
        ...


@dataclass(frozen=True)
class SystemScore:
    """A score of a system: the mean over its tuning runs.

    Attributes:
        part: the system.
        unit: the metric: BLEU, TER, (TER-BLEU)/2 or chrF.
        against: the system that p in the table compares it with; empty: its baseline.
        test_set: the test set; `average`: the mean over several, not run if there is only one;
            `EVERY`: the same, or the score on the only one; empty: its first one.
    """

    part: str
    unit: str = "BLEU"
    against: str = ""
    test_set: str = ""

    def files(self, experiment: "Experiment") -> list[str]:
        """The scores of the system."""
        systems = experiment.systems
        if self.part not in systems.names():
            return []
        test_sets = systems.test_sets(self.part)
        if self.test_set == AVERAGE:
            known = len(test_sets) > 1
        else:
            known = self.test_set in ("", EVERY, *test_sets)
        return [f"eval/{self.part}.json"] if known else []

    def read(self, paths: Sequence[Path]) -> Measurement:
        """Mean, runs and significance."""
        scores = read_json(paths[0])
        test_sets = scores["scores"]
        wanted = self.test_set
        if wanted == EVERY:
            wanted = AVERAGE if AVERAGE in test_sets else ""
        metrics = test_sets[wanted or next(iter(test_sets))]
        if self.unit not in metrics:
            known = ", ".join(metrics)
            raise InputError(f"no score {self.unit!r} (there are {known})", path=paths[0])
        score = metrics[self.unit]
        return Measurement(
            value=score["mean"],
            runs=tuple(score["runs"]),
            p_values={
                name: comparison["p_value"]
                for name, comparison in score["comparisons"].items()
                if comparison["p_value"] is not None
            },
            critical={
                name: (comparison["high"] - comparison["low"]) / 2
                for name, comparison in score["comparisons"].items()
                if comparison["low"] is not None
            },
            baseline=self.against or scores["baseline"],
            signature=score["signature"],
        )


@dataclass(frozen=True)
class TunedScore:
    """The BLEU of a system on its tuning set, with the final weights of tuning.

    Attributes:
        part: the system.
        unit: BLEU.
    """

    part: str
    unit: str = "BLEU"

    def files(self, experiment: "Experiment") -> list[str]:
        """The weights of each run."""
        if self.part not in experiment.systems.names():
            return []
        return [str(run["weights"]) for run in experiment.systems.tuned_runs(self.part)]

    def read(self, paths: Sequence[Path]) -> Measurement:
        """Mean and runs."""
        return mean_over([number_of(path, "bleu") for path in paths])


@dataclass(frozen=True)
class TunedWeight:
    """The weight of a feature of a system at the end of tuning.

    Attributes:
        part: the system.
        feature: label of the feature, which has one value.
        unit: weight; the absolute values of all weights add up to 1.
    """

    part: str
    feature: str
    unit: str = "weight"

    def files(self, experiment: "Experiment") -> list[str]:
        """The weights of each run."""
        return TunedScore(self.part).files(experiment)

    def read(self, paths: Sequence[Path]) -> Measurement:
        """Mean and runs."""
        runs = [read_weights(path) for path in paths]
        for path, weights in zip(paths, runs, strict=True):
            if self.feature not in weights:
                raise InputError(f"no weight of {self.feature}", path=path)
        return mean_over([weights[self.feature][0] for weights in runs])


@dataclass(frozen=True)
class ModelPerplexity:
    """The perplexity of a language model.

    Attributes:
        part: the model.
        split: the text, dev or test.
        unit: perplexity.
        against: the model that p over sentences compares it with; empty: none.
        further: further models to compare it with, only for the claims.
    """

    part: str
    split: str = "test"
    unit: str = "perplexity"
    against: str = ""
    further: tuple[str, ...] = ()

    def files(self, experiment: "Experiment") -> list[str]:
        """The perplexities of the model, and the log-probabilities of all models' sentences."""
        known = experiment.models.names()
        if self.part not in known:
            return []
        others = [name for name in (self.against, *self.further) if name in known]
        compared = [self.part, *others] if others else []
        sentences = [f"lm/{name}/log-probabilities.json" for name in compared]
        return [f"lm/{self.part}/perplexity.json", *sentences]

    def read(self, paths: Sequence[Path]) -> Measurement:
        """The perplexity with unknown words as <unk>, p-values, and the vocabulary."""
        measured = read_json(paths[0])
        facts = measured["vocabulary"]
        vocabulary = "" if facts["hash"] is None else f"{facts['words']} words {facts['hash']}"
        found = Measurement(measured[self.split]["perplexity"], vocabulary=vocabulary)
        if len(paths) == 1:
            return found
        own, *others = (np.array(read_json(path)[self.split]) for path in paths[1:])
        names = [path.parent.name for path in paths[2:]]
        p_values, critical = {}, {}
        for name, other in zip(names, others, strict=True):
            comparison = compare_perplexities(own, other, measured[self.split]["events"])
            p_values[name] = comparison.p_value
            critical[name] = (comparison.high - comparison.low) / 2
        return replace(found, p_values=p_values, critical=critical, baseline=self.against)


@dataclass(frozen=True)
class MeanOverSeeds:
    """The mean of a quantity over models that differ in their seed; each model is a run.

    Attributes:
        each: the quantity of each model, read from its first file; the table names the first model,
            and others may be missing in the configuration. The first model alone is read from all
            of its files, which compare it with other models.
    """

    each: tuple[Quantity, ...]

    @property
    def part(self) -> str:
        """The first model."""
        return self.each[0].part

    @property
    def unit(self) -> str:
        """The unit the models share."""
        return self.each[0].unit

    def files(self, experiment: "Experiment") -> list[str]:
        """One file of each existing model, if the first exists; all files of a single model."""
        first, *others = (quantity.files(experiment) for quantity in self.each)
        found = [paths[0] for paths in others if paths]
        return [first[0], *found] if first and found else first

    def read(self, paths: Sequence[Path]) -> Measurement:
        """Mean, runs, and the vocabulary if it is the same; a single model has no runs."""
        if any(path.name != paths[0].name for path in paths[1:]) or len(paths) == 1:
            return self.each[0].read(paths)
        found = [self.each[0].read([path]) for path in paths]
        vocabularies = {measurement.vocabulary for measurement in found}
        vocabulary = vocabularies.pop() if len(vocabularies) == 1 else ""
        mean = mean_over([measurement.value for measurement in found])
        return replace(mean, vocabulary=vocabulary)


@dataclass(frozen=True)
class PerplexityFall:
    """The reduction of another model's test perplexity by the best of some models.

    Attributes:
        part: the other model.
        models: the models.
        unit: per cent of the other model's.
    """

    part: str
    models: tuple[str, ...]
    unit: str = "%"

    def files(self, experiment: "Experiment") -> list[str]:
        """The perplexities of all models, the other model's first."""
        names = (self.part, *self.models)
        found = [ModelPerplexity(name).files(experiment) for name in names]
        return [path for paths in found for path in paths] if all(found) else []

    def read(self, paths: Sequence[Path]) -> Measurement:
        """The reduction, and the name of the model as a note."""
        other, *own = (ModelPerplexity(self.part).read([path]).value for path in paths)
        return Measurement(100 * (1 - min(own) / other), note=self.models[own.index(min(own))])


@dataclass(frozen=True)
class TextRecord:
    """A further statistic of a neural model on a text (`nlmt.neural.text_facts`).

    Attributes:
        part: the model.
        key: `mean_abs_log_z`, `predicted_share` or `source_cosine`.
        unit: of the value.
        split: the text, dev or test.
        factor: by which the value is multiplied, 100 for a share in per cent.
    """

    part: str
    key: str
    unit: str
    split: str = "test"
    factor: float = 1.0

    def files(self, experiment: "Experiment") -> list[str]:
        """The perplexities of the model."""
        known = self.part in experiment.models.names()
        return [f"lm/{self.part}/perplexity.json"] if known else []

    def read(self, paths: Sequence[Path]) -> Measurement:
        """The value."""
        measured = read_json(paths[0])[self.split]
        if self.key not in measured:
            raise InputError(f"no {self.key} of {self.split}", path=paths[0], hint="make it again")
        return Measurement(self.factor * float(measured[self.key]))


@dataclass(frozen=True)
class TrainingRecord:
    """A figure that the training of a neural model recorded.

    Attributes:
        part: the model.
        key: of its metrics.json.
        unit: of the value.
    """

    part: str
    key: str
    unit: str

    def files(self, experiment: "Experiment") -> list[str]:
        """The metrics of the training."""
        known = self.part in experiment.models.names()
        return [f"lm/{self.part}/metrics.json"] if known else []

    def read(self, paths: Sequence[Path]) -> Measurement:
        """The value."""
        return Measurement(float(number_of(paths[0], self.key)))


@dataclass(frozen=True)
class ModelSize:
    """The size of the files of a language model, which the decoder maps or reads.

    Attributes:
        part: the model.
        unit: MB, of a million bytes.
    """

    part: str
    unit: str = "MB"

    def files(self, experiment: "Experiment") -> list[str]:
        """The files that are read to use it."""
        models = experiment.models
        return models.read_files(self.part) if self.part in models.names() else []

    def read(self, paths: Sequence[Path]) -> Measurement:
        """The sum of their sizes."""
        for path in paths:
            if not path.is_file():
                raise InputError("no such file", path=path)
        return Measurement(sum(path.stat().st_size for path in paths) / 1e6)


@dataclass(frozen=True)
class ModelMemory:
    """The memory of a system's language models in the decoder.

    Attributes:
        part: the system.
        unit: MB, of a million bytes.
    """

    part: str
    unit: str = "MB"

    def files(self, experiment: "Experiment") -> list[str]:
        """The measured memory."""
        known = self.part in experiment.systems.names()
        return [f"decode/{self.part}/memory.json"] if known else []

    def read(self, paths: Sequence[Path]) -> Measurement:
        """The sum over its models."""
        return Measurement(sum(read_json(paths[0])["bytes"].values()) / 1e6)


def mean_over(runs: Sequence[float]) -> Measurement:
    """The mean over runs."""
    return Measurement(statistics.fmean(runs), tuple(runs))


def number_of(path: Path, key: str) -> float:
    """A number of a JSON file.

    Raises:
        InputError: there is none of that name.
    """
    values = read_json(path)
    if not isinstance(values.get(key), int | float):
        raise InputError(f"no number {key!r}", path=path)
    return float(values[key])
