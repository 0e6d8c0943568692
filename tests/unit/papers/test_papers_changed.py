"""Whose changed sentences a page shows, and which."""

from collections.abc import Mapping
from pathlib import Path

import pandas as pd
import pytest
from paper_artefacts import sentence_changes

from nlmt.errors import InputError
from nlmt.papers.changed import best_systems, read_best_changes
from nlmt.papers.results import Measurement, result_frame, result_row
from nlmt.report import write_changes

KNOWN = ("one", "two", "three")


def table(
    values: Mapping[tuple[str, str], float], *, unit: str = "BLEU", signature: str = "nrefs:1"
) -> pd.DataFrame:
    """A table of fr-en; values by column and system."""
    return result_frame(
        result_row("fr-en", system, column, unit, system, Measurement(value, signature=signature))
        for (column, system), value in values.items()
    )


def test_the_best_of_each_table_are_taken(monkeypatch: pytest.MonkeyPatch) -> None:
    tables = [
        table({("BLEU", "one"): 30, ("BLEU", "two"): 31, ("BLEU", "baseline"): 40}),
        table({("test1", "two"): 20, ("test1", "one"): 19, ("test2", "three"): 50}),
        table({("TER", "one"): 60}, unit="TER"),
        table({("BLEU of the tuning set", "one"): 60}, signature=""),
        table({("BLEU", "three"): float("nan")}),
        table({("all", "baseline"): 30, ("without", "one"): 31}),
    ]
    assert best_systems(tables, "fr-en", KNOWN) == ["two", "one"]
    assert best_systems(tables, "en-cs", KNOWN) == []
    monkeypatch.setattr("nlmt.papers.changed.SYSTEMS", 1)
    assert best_systems(tables, "fr-en", KNOWN) == ["two"]


def test_changes_of_these_are_read(tmp_path: Path) -> None:
    paths = [
        tmp_path / f"help/{pair}/report/side-by-side/{name}.json"
        for pair in ("fr-en", "en-cs")
        for name in KNOWN
    ]
    changes = sentence_changes()
    write_changes(paths[1], changes)
    tables = {"table1": table({("BLEU", "two"): 31, ("BLEU", "one"): 30})}
    found = read_best_changes(tables, ("fr-en", "en-cs"), paths)
    assert found == {"fr-en": [changes], "en-cs": []}
    paths[1].unlink()
    with pytest.raises(InputError, match="no such file"):
        read_best_changes(tables, ("fr-en", "en-cs"), paths)
