"""Cells with scores of systems, their gains over others, and results of tuning."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from statistics import fmean
from typing import TYPE_CHECKING, Any

from nlmt.errors import InputError
from nlmt.evaluation import Difference
from nlmt.evaluation.rank_correlation import rank_correlation
from nlmt.evaluation.system import AVERAGE, sign_of
from nlmt.io.json_files import read_json
from nlmt.io.weights import read_weights
from nlmt.lm.places import name_of_model
from nlmt.papers.quantities import (
    Quantity,
    combined,
    files_by_quantity,
    is_trained,
    number_of,
    perplexity,
)
from nlmt.papers.results import NOTHING, Measurement, mean_over

if TYPE_CHECKING:
    from nlmt.experiment import Experiment

EVERY = "every"  # test set: the average over all, or the only one


def score(system: str, metric: str = "BLEU", against: str = "", test_set: str = "") -> Quantity:
    """A score of a system: the mean over its runs, with significance.

    Args:
        system: the system.
        metric: BLEU, TER, (TER-BLEU)/2 or chrF.
        against: the system that p in the table compares it with; empty: its baseline.
        test_set: the test set; `average`: the mean over several, not run if there is only one;
            `EVERY`: the same, or the score on the only one; empty: its first one.
    """

    def read(paths: Sequence[Path]) -> Measurement:
        found = _metric(paths[0], metric, test_set)
        return Measurement(
            value=found["mean"],
            runs=tuple(found["runs"]),
            differences=_differences(found),
            baseline=against or read_json(paths[0])["baseline"],
            signature=found["signature"],
        )

    return Quantity(system, metric, _files(system, test_set), read)


def average_bleu(system: str, against: str) -> Quantity:
    """BLEU of a system: the average over its test sets, or that on its only one."""
    return score(system, against=against, test_set=EVERY)


def gain(system: str, over: str, metric: str = "BLEU", test_set: str = "") -> Quantity:
    """The gain of a system, named by the note, over another one, with p; TER gains by falling."""
    return Quantity(
        over,
        metric,
        _files(system, test_set),
        lambda paths: _gain(_metric(paths[0], metric, test_set), metric, over, system),
    )


def best_gain(
    over: str, systems: Sequence[str], metric: str = "BLEU", test_set: str = ""
) -> Quantity:
    """The largest gain of some systems over another one; the note names the system."""
    gains = [gain(system, over, metric, test_set) for system in systems]

    def best(found: Sequence[Measurement]) -> Measurement:
        return replace(max(found, key=_value), chosen_of=len(found))

    return combined(over, metric, gains, best)


def loss(over: str, systems: Sequence[str], of_all: Callable[..., Measurement]) -> Quantity:
    """The smallest or largest loss (min, max) of BLEU of some systems against another one."""

    def choose(gains: Sequence[Measurement]) -> Measurement:
        losses = [replace(one, value=-one.value) for one in gains]
        return replace(of_all(losses, key=_value), chosen_of=len(losses))

    return combined(over, "BLEU", [gain(system, over) for system in systems], choose)


def mean_gain(over: str, systems: Sequence[str], test_sets: Sequence[str], metric: str) -> Quantity:
    """The largest gain of some systems over another one, on average over test sets, without p.

    Args:
        over: the other system, which the table names.
        systems: the systems; of each test set the best one counts, which the note names.
        test_sets: names; empty: the first one.
        metric: as in `gain`.
    """
    gains = [best_gain(over, systems, metric, test_set) for test_set in test_sets]

    def files(experiment: "Experiment") -> list[str]:
        found = [one.files(experiment) for one in gains]
        return found[0] if all(found) else []

    def read(paths: Sequence[Path]) -> Measurement:
        found = [one.read(paths) for one in gains]
        return Measurement(fmean(map(_value, found)), note=", ".join(one.note for one in found))

    return Quantity(over, metric, files, read)


def largest_gain(system: str, over: str, metric: str = "BLEU") -> Quantity:
    """The gain of a system over another one on the test set with the largest; the note names it."""

    def read(paths: Sequence[Path]) -> Measurement:
        gains = [
            _gain(metrics[metric], metric, over, name)
            for name, metrics in read_json(paths[0])["scores"].items()
            if name != AVERAGE
        ]
        return replace(max(gains, key=_value), chosen_of=len(gains))

    return Quantity(system, metric, _files(system), read)


def correlation_with_perplexity(systems: Mapping[str, str], metric: str) -> Quantity:
    """Spearman's correlation of test perplexity and a score over the models that were made.

    Means over runs are ranked among models of the same vocabulary, whose systems have the same
    baseline (`nlmt.evaluation.rank_correlation`). A model that was not trained in every run is left
    out (`is_trained`), and named in the note.

    Args:
        systems: the system that uses a model, by the model's name.
        metric: as in `score`, on the first test set.
    """

    def files(experiment: "Experiment") -> list[str]:
        of_model = experiment.models.paths
        found = [
            (
                of_model(model, "perplexity.json"),
                score(system, metric).files(experiment),
                of_model(model, "metrics.json"),
            )
            for model, system in systems.items()
        ]
        return [path for own in found if all(own) for paths in own for path in paths]

    def read(paths: Sequence[Path]) -> Measurement:
        groups: dict[tuple[str, str], list[tuple[float, float]]] = {}
        own, untrained = files_by_quantity(paths), []
        for model, system, metrics in zip(own[::3], own[1::3], own[2::3], strict=True):
            if not all(map(is_trained, metrics)):
                untrained.append(name_of_model(metrics[0]))
                continue
            one, other = perplexity("").read(model), score("", metric).read(system)
            values = groups.setdefault((one.vocabulary, other.baseline), [])
            values.append((one.value, other.value))
        found = rank_correlation(list(groups.values()))
        left_out = f"; not trained: {', '.join(untrained)}" if untrained else ""
        if found is None:
            return Measurement(0.0, note=f"no two models compare{left_out}")
        note = (
            f"{sum(map(len, groups.values()))} models in {len(groups)} groups, 95 % interval "
            f"{found.low:.2f} to {found.high:.2f}, exact p {found.p_value:.3f}{left_out}"
        )
        return Measurement(found.difference, differences={NOTHING: found}, note=note)

    return Quantity("", "rank correlation", files, read)


def tuned_score(system: str) -> Quantity:
    """The BLEU of a system on its tuning set, with the final weights of each run."""
    return _of_tuning(system, "BLEU", lambda path: number_of(path, "bleu"))


def tuned_weight(system: str, feature: str) -> Quantity:
    """The weight of a feature with one value; the absolute values of all weights add up to 1."""

    def read(path: Path) -> float:
        weights = read_weights(path)
        if feature not in weights:
            raise InputError(f"no weight of {feature}", path=path)
        return weights[feature][0]

    return _of_tuning(system, "weight", read)


def _of_tuning(system: str, unit: str, read: Callable[[Path], float]) -> Quantity:
    """The mean over the runs of a number of their weights' files."""

    def files(experiment: "Experiment") -> list[str]:
        if system not in experiment.systems.names():
            return []
        return [str(run["weights"]) for run in experiment.systems[system].tuned_runs]

    return Quantity(system, unit, files, lambda paths: mean_over([read(path) for path in paths]))


def _files(system: str, test_set: str = "") -> "Callable[[Experiment], list[str]]":
    """Finds the scores of a system that is tested on a set."""

    def files(experiment: "Experiment") -> list[str]:
        systems = experiment.systems
        if system not in systems.names():
            return []
        test_sets = systems[system].test_sets
        several = len(test_sets) > 1
        known = several if test_set == AVERAGE else test_set in ("", EVERY, *test_sets)
        return [f"eval/{system}.json"] if known else []

    return files


def _metric(path: Path, metric: str, test_set: str) -> Mapping[str, Any]:
    """The scores of a system by one metric on a test set."""
    test_sets = read_json(path)["scores"]
    if test_set == EVERY:
        test_set = AVERAGE if AVERAGE in test_sets else ""
    metrics = test_sets[test_set or next(iter(test_sets))]
    if metric not in metrics:
        raise InputError(f"no score {metric!r} (there are {', '.join(metrics)})", path=path)
    found: Mapping[str, Any] = metrics[metric]
    return found


def _differences(scores: Mapping[str, Any]) -> dict[str, Difference]:
    """The differences from other systems in the scores by a metric, where they have an interval."""
    return {
        name: Difference(one["difference"], one["deviation"], one["freedom"])
        for name, one in scores["comparisons"].items()
        if one["deviation"] is not None
    }


def _gain(scores: Mapping[str, Any], metric: str, over: str, note: str) -> Measurement:
    """The difference from a system in the scores by a metric, positive where it is better."""
    sign = sign_of(metric)
    known = _differences(scores)
    return Measurement(
        sign * scores["comparisons"][over]["difference"],
        differences={over: known[over]} if over in known else {},
        baseline=over,
        signature=scores["signature"],
        note=note,
    )


def _value(measured: Measurement) -> float:
    return measured.value
