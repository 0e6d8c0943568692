"""A paper with one table: perplexities of n-gram models, after Kneser and Ney (1995)."""

from collections.abc import Iterator
from typing import Any

from nlmt.experiment import Experiment, PaperSettings
from nlmt.io.json_files import read_json
from nlmt.papers import PAPERS, PairFiles, Paper
from nlmt.papers.results import mean_over, result_row
from nlmt.papers.tables import pair_table
from nlmt.settings import setting


class KneserSettings(PaperSettings):
    """Settings of the table."""

    models: tuple[str, ...] = setting(("kn5",), "Language models of the table.")


def needs(experiment: Experiment, settings: KneserSettings, pair: str) -> PairFiles:
    """The perplexities of each model."""
    paths = experiment.models.paths
    return PairFiles(pair, {name: paths(name, "perplexity.json") for name in settings.models})


def rows(part: PairFiles) -> Iterator[dict[str, Any]]:
    """A row for each model: the mean over its runs, if there is such a model."""
    for model, paths in part.files.items():
        runs = [read_json(path)["test"]["perplexity"] for path in paths]
        measured = mean_over(runs) if runs else None
        yield result_row(part.pair, model, "test", "perplexity", model, measured)


PAPERS.register(
    "kneser1995",
    Paper(
        title="Kneser and Ney (1995)",
        about="Improved backing-off for m-gram language modeling.",
        settings=KneserSettings,
        tables={"perplexities": pair_table("Perplexities of the test text", needs, rows)},
    ),
)
