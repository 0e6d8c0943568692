"""The papers' frames, made from small artefacts."""

from dataclasses import replace
from functools import cache
from pathlib import Path

import pandas as pd
import pytest
from default_experiment import default_experiment
from paper_artefacts import ROOT, VALUES, MakeTables, write_artefact, write_overview_files

from nlmt.experiment import Experiment
from nlmt.kinds import KINDS
from nlmt.lm import TrainingData
from nlmt.papers import PAPERS
from nlmt.papers.overview import overview_entries
from nlmt.papers.tables import with_published_values
from nlmt.settings_check import read_settings


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


def _tables(
    folder: Path, key: str, pairs: tuple[str, ...], of: Experiment
) -> dict[str, pd.DataFrame]:
    """All tables of a paper, from artefacts that are written where they are missing."""
    frames = {}
    paper = PAPERS.get(key)
    for name, table in paper.tables.items():
        parts = []
        for pair in pairs:
            part = table.needs(of, of.paper(key), pair)
            files = {
                what: [str(folder / pair / path) for path in paths]
                for what, paths in part.files.items()
            }
            for path in {path for paths in part.files.values() for path in paths}:
                if not (folder / pair / path).exists():
                    write_artefact(folder / pair, path, of)
            parts.append(replace(part, files=files))
        published = VALUES / key / f"{name}.tsv"
        frames[name] = with_published_values(
            table.make(parts), published, paper.published_pairs[name]
        )
    return frames


@pytest.fixture
def make_tables(tmp_path: Path) -> MakeTables:
    """Makes all tables of a paper; a test may have written some of the artefacts."""
    default = default_experiment()
    return lambda key, pairs=("fr-en",), of=default: _tables(tmp_path, key, pairs, of)


@pytest.fixture(scope="session")
def tables_of(tmp_path_factory: pytest.TempPathFactory) -> MakeTables:
    """Makes all tables of a paper once; tests leave them as they are."""
    folder, of = tmp_path_factory.mktemp("tables"), default_experiment()
    return cache(lambda key, pairs=("fr-en",): _tables(folder, key, pairs, of))


@pytest.fixture(scope="session")
def overview(tmp_path_factory: pytest.TempPathFactory) -> pd.DataFrame:
    """The table of all systems of three papers, by way of its file."""
    found = [
        entry
        for paper in ("auli2013", "luong2015", "schwenk2010", "combined")
        for pair in ("fr-en", "en-cs")
        for entry in overview_entries(default_experiment(), paper, pair)
    ]
    return write_overview_files(tmp_path_factory.mktemp("overview"), found, default_experiment())
