"""The table of a paper with when the training of each neural model ended, run by run."""

from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from nlmt.io.json_files import read_json
from nlmt.papers.paper import PairFiles, Table
from nlmt.papers.published import LEVELS
from nlmt.papers.results import Measurement, result_row
from nlmt.papers.tables import SHOWN, pair_table

if TYPE_CHECKING:
    from nlmt.experiment import Experiment


def training_table(paper: str, further: Sequence[str] = ()) -> Table:
    """Epochs, dev perplexity and time of each run of the neural models of a paper's systems.

    `further` are models that no system uses.
    """

    def needs(experiment: "Experiment", _settings: Any, pair: str) -> PairFiles:
        models = experiment.models
        used = experiment.systems.models_of(experiment.paper_systems(paper))
        known = [name for name in further if name in models.names()]
        names = list(dict.fromkeys(models.neural([*used, *known])))
        files = {name: models.paths(name, "metrics.json", "config.json") for name in names}
        return PairFiles(pair, files, {SHOWN: names})

    return pair_table(
        "When training ended",
        needs,
        _rows,
        note="Epochs that were trained, and the one after which dev perplexity was lowest, whose "
        "weights are the model's. Where that is the last epoch allowed, a longer training might "
        "have gone lower. Times are those of the workflow's jobs, beside whatever else ran; of a "
        "search, that of the settings it chose.",
    )


def _rows(part: PairFiles) -> Iterator[dict[str, Any]]:
    """The cells of one pair."""
    for model, paths in part.files.items():
        for run, files in enumerate(zip(paths[::2], paths[1::2], strict=True), 1):
            metrics, config = (read_json(Path(path)) for path in files)
            allowed = config["model"]["epochs"]
            last = "the last epoch allowed" if metrics["best_epoch"] >= allowed else ""
            for column, unit, value, note in (
                ("epochs", "epochs", metrics["epochs"], ""),
                ("best epoch", "epochs", metrics["best_epoch"], last),
                ("dev perplexity", "perplexity", metrics["dev"]["perplexity"], ""),
                ("time", "seconds", metrics["seconds"], ""),
            ):
                row = f"{model}{LEVELS}run {run}"
                measured = Measurement(float(value), note=note)
                yield result_row(part.pair, row, column, unit, model, measured)
