"""A paper with one table: perplexities of n-gram models, after Kneser and Ney (1995)."""

from collections.abc import Sequence
from pathlib import Path
from typing import Any, ClassVar

import pandas as pd

from nlmt.experiment import PAPERS, Experiment, PairFiles, PaperSettings, Table
from nlmt.io.json_files import read_json
from nlmt.settings import setting


class KneserSettings(PaperSettings):
    """What the table shows."""

    models: tuple[str, ...] = setting(("kn5",), "Language models of the table.")


def needs(_experiment: Experiment, settings: KneserSettings, pair: str) -> PairFiles:
    """The perplexities of the models."""
    files = [f"lm/{model}/perplexity.json" for model in settings.models]
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


class Kneser1995:
    """See `nlmt.experiment.papers.Paper`."""

    title = "Kneser and Ney (1995)"
    about = "Improved backing-off for m-gram language modeling."
    settings = KneserSettings
    tables: ClassVar = {
        "perplexities": Table(
            title="Perplexities of the test text",
            needs=needs,
            make=make,
            columns={"pair": "pair", "model": "model", "perplexity": "perplexity"},
        )
    }


PAPERS.register("kneser1995", Kneser1995())
