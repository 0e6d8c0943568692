"""The papers' frames, made from small artefacts."""

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pandas as pd
import pytest
from paper_artefacts import ROOT, experiment, write_artefact, write_overview_files

from nlmt.experiment import Experiment
from nlmt.papers import PAPERS
from nlmt.papers.overview import overview_entries
from nlmt.papers.tables import make_table

MakeTables = Callable[..., dict[str, pd.DataFrame]]


@pytest.fixture(scope="session")
def default_experiment() -> Experiment:
    return experiment()


@pytest.fixture
def make_tables(tmp_path: Path, default_experiment: Experiment) -> MakeTables:
    """Makes all tables of a paper from artefacts that are written where they are missing."""

    def make(
        key: str, pairs: tuple[str, ...] = ("fr-en",), of: Experiment = default_experiment
    ) -> dict[str, pd.DataFrame]:
        frames = {}
        for name, table in PAPERS.get(key).tables.items():
            parts = []
            for pair in pairs:
                part = table.needs(of, of.paper(key), pair)
                files = {
                    what: [str(tmp_path / pair / path) for path in paths]
                    for what, paths in part.files.items()
                }
                for path in {path for paths in part.files.values() for path in paths}:
                    if not (tmp_path / pair / path).exists():
                        write_artefact(tmp_path / pair, path, of)
                parts.append(replace(part, files=files))
            published = ROOT / f"config/papers/{key}/{name}.tsv"
            frames[name] = make_table(table, parts, published if published.exists() else None)
        return frames

    return make


@pytest.fixture
def overview(tmp_path: Path, default_experiment: Experiment) -> pd.DataFrame:
    """The table of all systems of three papers, by way of its file."""
    found = [
        entry
        for paper in ("auli2013", "luong2015", "schwenk2010", "combined")
        for pair in ("fr-en", "en-cs")
        for entry in overview_entries(default_experiment, paper, pair)
    ]
    return write_overview_files(tmp_path, found, default_experiment)
