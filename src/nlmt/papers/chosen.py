"""The table of a paper with the settings that its models try, and their results on dev."""

from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

from nlmt.io.json_files import read_json
from nlmt.neural.settings.neural import NeuralSettings
from nlmt.papers.paper import PairFiles, Table
from nlmt.papers.results import Measurement, result_row
from nlmt.papers.tables import SHOWN, pair_table

if TYPE_CHECKING:
    from nlmt.experiment import Experiment

ALTERNATIVES = "alternatives"  # among the facts: those of each model

Alternatives = Mapping[str, Mapping[str, Any]]  # by name, the values of the settings that differ


def chosen_settings(paper: str) -> Table:
    """The dev score of each alternative of the models of a paper that choose by it.

    They are the settings of a `search`, and the rates of a transform of the source.
    """

    def needs(experiment: "Experiment", _settings: Any, pair: str) -> PairFiles:
        models = {name: experiment.models[name] for name in experiment.paper_models(paper)}
        found = {name: alternatives_of(model.settings) for name, model in models.items()}
        known = {name: one for name, one in found.items() if one}
        files = {name: [f"{models[name].folder}/metrics.json"] for name in known}
        return PairFiles(pair, files, {SHOWN: list(known), ALTERNATIVES: known})

    return pair_table(
        "Settings among which dev chooses",
        needs,
        _rows,
        note="Perplexities of dev, at best, of the first run of each model, which chooses the "
        "settings with the lowest for all of its runs; of the rates of a transform the squared "
        "errors of its first run, as each run chooses its own. Those of models with different "
        "words do not compare. A chosen number that is the least or the largest of its list is at "
        "the border: a better one may lie beyond.",
    )


def alternatives_of(settings: object) -> dict[str, dict[str, Any]]:
    """The alternatives of a model by their names in `metrics.json`, if anything is searched."""
    if not isinstance(settings, NeuralSettings):
        return {}
    found: dict[str, dict[str, Any]] = {}
    if settings.search:
        for name, one in settings.alternatives().items():
            found[name] = {key: getattr(one, key) for key in settings.search}
    if settings.source == "transform":
        for rate in settings.transform_rates:
            found[f"transform_rate {rate:g}"] = {"transform_rate": rate}
    return found


def _rows(part: PairFiles) -> Iterator[dict[str, Any]]:
    """The cells of one pair."""
    for model, paths in part.files.items():
        metrics = read_json(Path(paths[0]))
        searched = metrics.get("searched", {})
        ends = {"diverged": "training diverged", "trained": ""}
        notes = {
            name: ends.get(tried["end"], f"stopped after {tried['epochs']:g} epochs")
            for name, tried in searched.items()
        }
        rates = metrics.get("transform_errors", {})
        for unit, values in (
            ("perplexity", {name: tried["perplexity"] for name, tried in searched.items()}),
            ("squared error", {f"transform_rate {rate}": error for rate, error in rates.items()}),
        ):
            best = chosen(values, part.facts[ALTERNATIVES][model])
            for name, value in values.items():
                measured = None if value is None else Measurement(value)
                row = result_row(part.pair, model, name, unit, model, measured)
                yield {**row, "note": best.get(name, notes.get(name, ""))}


def chosen(values: Mapping[str, float | None], alternatives: Alternatives) -> dict[str, str]:
    """A note on the best of some alternatives, by its name; none where all have failed."""
    known = {name: value for name, value in values.items() if value is not None}
    if not known:
        return {}
    best = min(known, key=known.__getitem__)
    border = []
    for key, own in alternatives.get(best, {}).items():
        tried = [one[key] for one in alternatives.values() if key in one]
        numbers = [value for value in tried if isinstance(value, int | float)]  # words lack order
        if len(set(numbers)) > 1 and own in (min(numbers), max(numbers)):
            border.append(key)
    return {best: f"chosen, {' and '.join(border)} at the border" if border else "chosen"}
