"""The table of a paper with what each search of settings found on dev, and so chose."""

from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

from nlmt.io.json_files import read_json
from nlmt.papers.paper import PairFiles
from nlmt.papers.results import Measurement, result_row
from nlmt.papers.tables import SHOWN, PaperTable, pair_table

if TYPE_CHECKING:
    from nlmt.experiment import Experiment


def chosen_settings(paper: str, *, pair: str) -> PaperTable:
    """The dev perplexity of each alternative of the models of a paper that search (`search`)."""

    def needs(experiment: "Experiment", _settings: Any, pair: str) -> PairFiles:
        models = [experiment.models[name] for name in experiment.paper_models(paper)]
        files = {
            model.name: [f"{model.folder}/metrics.json"]
            for model in models
            if model.plan.search is not None
        }
        return PairFiles(pair, files, {SHOWN: list(files)})

    return pair_table(
        "Settings among which dev chooses",
        needs,
        _rows,
        pair=pair,
        note="Perplexities of dev, at best, of the first run of each model, which chooses the "
        "settings with the lowest for all of its runs. Those of models with different words do "
        "not compare.",
    )


def _rows(part: PairFiles) -> Iterator[dict[str, Any]]:
    """The cells of one pair."""
    for model, paths in part.files.items():
        found = read_json(Path(paths[0])).get("searched", {})
        for settings, tried in found.items():
            perplexity, end = tried["perplexity"], tried["end"]
            measured = None if perplexity is None else Measurement(perplexity)
            row = result_row(part.pair, model, settings, "perplexity", model, measured)
            stopped = f"stopped after {tried['epochs']:g} epochs" if end == "stopped" else ""
            yield {**row, "note": "training diverged" if end == "diverged" else stopped}
