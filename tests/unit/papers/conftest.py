"""The papers' frames, made from small artefacts."""

from dataclasses import replace
from pathlib import Path

import pandas as pd
import pytest
from paper_artefacts import (
    ROOT,
    VALUES,
    MakeTables,
    experiment,
    write_artefact,
    write_overview_files,
)

from nlmt.experiment import Experiment
from nlmt.kinds import KINDS
from nlmt.lm import TrainingData
from nlmt.papers import PAPERS
from nlmt.papers.overview import overview_entries
from nlmt.papers.tables import with_published_values
from nlmt.settings_check import read_settings


@pytest.fixture(scope="session")
def default_experiment() -> Experiment:
    return experiment()


@pytest.fixture(scope="session")
def short_list_model(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The folder of a feed-forward model with a short-list of 50 words."""
    folder = tmp_path_factory.mktemp("short-list")
    golden, kind = ROOT / "tests/golden", KINDS.get("neural")
    settings = {
        **{"kind": "neural", "order": 3, "dim": 8, "minibatch": 100, "epochs": 1},
        **{"output": "short-list", "short_list": 50, "objective": "likelihood"},
    }
    data = TrainingData([golden / "train.en"], golden / "dev.en")
    kind.train(read_settings(kind.settings, settings), data, folder, threads=1)
    return folder


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
            published = VALUES / key / f"{name}.tsv"
            frames[name] = with_published_values(table, table.make(parts), published)
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
