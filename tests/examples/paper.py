"""A paper with one table: perplexities of n-gram models, after Kneser and Ney (1995)."""

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pandas as pd

from nlmt.experiment import Experiment, PaperSettings
from nlmt.io.json_files import read_json
from nlmt.papers import PAPERS, PairFiles, Paper, Table
from nlmt.settings import setting


class KneserSettings(PaperSettings):
    """Settings of the table."""

    models: tuple[str, ...] = setting(("kn5",), "Language models of the table.")


def needs(experiment: Experiment, settings: KneserSettings, pair: str) -> PairFiles:
    """The perplexities of the models."""
    paths = experiment.models.paths
    files = [path for model in settings.models for path in paths(model, "perplexity.json")]
    return PairFiles(pair, {"perplexities": files})


def make(parts: Sequence[PairFiles]) -> pd.DataFrame:
    """A row for each pair and model."""
    rows: list[dict[str, Any]] = [
        {
            "pair": part.pair,
            "model": Path(path).parent.name,
            "perplexity": read_json(path)["test"]["perplexity"],
        }
        for part in parts
        for path in part.files["perplexities"]
    ]
    return pd.DataFrame(rows)


PAPERS.register(
    "kneser1995",
    Paper(
        title="Kneser and Ney (1995)",
        about="Improved backing-off for m-gram language modeling.",
        settings=KneserSettings,
        tables={
            "perplexities": Table(
                title="Perplexities of the test text",
                needs=needs,
                make=make,
            )
        },
    ),
)
