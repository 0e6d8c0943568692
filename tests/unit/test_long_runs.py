"""The figures of long runs of tests, and the sums of them that the documentation shows."""

from pathlib import Path

import pandas as pd
import pytest

from tests.long_runs import Record
from tools import write_tables


def test_rows_of_several_runs_are_added_up(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    frame = tmp_path / "results/long_runs.tsv"
    frame.parent.mkdir()
    for findings in (0, 2):
        record = Record(frame, "readers")
        record.add("arpa", 1500, "inputs", findings)
        record.add("text", 10, "inputs", 0)
    rows = pd.read_csv(frame, sep="\t")
    assert rows["count"].tolist() == [1500, 10, 1500, 10]
    assert rows["cpu_s"].max() < 60  # since the last row, not of this process
    monkeypatch.setattr(write_tables, "DOCS", tmp_path)
    arpa, text = write_tables.long_runs().splitlines()[2:]
    commit = rows["commit"][0]
    assert arpa == f"| readers | arpa | 0.00 | 3,000 inputs | 2 | {commit} |"
    assert text == f"| readers | text | 0.00 | 20 inputs | 0 | {commit} |"


def test_nothing_is_kept_unless_wanted(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    Record(None, "readers").add("arpa", 1, "inputs", 0)
    assert not [*tmp_path.iterdir()]
