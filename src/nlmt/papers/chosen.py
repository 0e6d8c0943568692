"""The table of a paper with what each search of settings found on dev, and so chose."""

from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

from nlmt.io.json_files import read_json
from nlmt.papers.paper import PairFiles
from nlmt.papers.results import Measurement, result_row
from nlmt.papers.tables import SHOWN, PaperTable, pair_table

if TYPE_CHECKING:
    from nlmt.experiment import Experiment


def chosen_settings(paper: str, *, pair: str) -> PaperTable:
    """The dev score of each alternative of the models of a paper that choose by it.

    They are the settings of a `search`, and the rates of a transform of the source.
    """

    def needs(experiment: "Experiment", _settings: Any, pair: str) -> PairFiles:
        models = [experiment.models[name] for name in experiment.paper_models(paper)]
        files = {
            model.name: [f"{model.folder}/metrics.json"]
            for model in models
            if model.plan.search is not None or getattr(model.settings, "source", "") == "transform"
        }
        return PairFiles(pair, files, {SHOWN: list(files)})

    return pair_table(
        "Settings among which dev chooses",
        needs,
        _rows,
        pair=pair,
        note="Perplexities of dev, at best, of the first run of each model, which chooses the "
        "settings with the lowest for all of its runs; of the rates of a transform the squared "
        "errors of its first run, as each run chooses its own. Those of models with different "
        "words do not compare. A chosen number that is the least or the largest of its list is at "
        "the border: a better one may lie beyond.",
    )


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
            best = chosen(values)
            for name, value in values.items():
                measured = None if value is None else Measurement(value)
                row = result_row(part.pair, model, name, unit, model, measured)
                yield {**row, "note": best.get(name, notes.get(name, ""))}


def chosen(values: Mapping[str, float | None]) -> dict[str, str]:
    """A note on the best of some alternatives, by its name; none where all have failed.

    Names are as `learning_rate 1, minibatch 10`.
    """
    known = {name: value for name, value in values.items() if value is not None}
    if not known:
        return {}
    best = min(known, key=known.__getitem__)
    tried: dict[str, set[float]] = {}
    own: dict[str, float] = {}
    for name in values:
        for setting in name.split(", "):
            key, _, text = setting.partition(" ")
            try:
                number = float(text)
            except ValueError:  # a word has no order
                continue
            tried.setdefault(key, set()).add(number)
            if name == best:
                own[key] = number
    border = [
        key
        for key, number in own.items()
        if len(tried[key]) > 1 and number in (min(tried[key]), max(tried[key]))
    ]
    return {best: f"chosen, {' and '.join(border)} at the border" if border else "chosen"}
