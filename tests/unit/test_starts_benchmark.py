"""The parts of `python -m benchmarks starts` that read what programs print, and its table."""

from pathlib import Path

import pandas as pd
import pytest

from benchmarks import starts
from tools import write_tables

TIMES = """\
import time: self [us] | cumulative | imported package
import time:      1500 |       1500 |   numpy.random
import time:      2600 |       4100 | numpy
import time:       100 |        100 | nlmt
import time:      9000 |       9000 | pandas
import time:         1 |          1 | re
"""


def test_imports_of_scripts_are_those_at_their_top() -> None:
    script = '"""A."""\nimport re\nfrom a.b import c, d as e\nif x:\n    import late\n'
    assert starts.import_statements(script) == "import re\nfrom a.b import c, d as e"


def test_heaviest_packages_with_their_modules() -> None:
    assert starts.heaviest(TIMES) == "pandas 9 ms, numpy 4 ms, nlmt 0 ms"


def test_number_of_jobs() -> None:
    table = "job      count\n-----  -------\ndecode       2\ntotal      675\n"
    assert starts.total_jobs(f"{table}\n{table}") == 675


def test_each_script_is_measured(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for name, code in (("a", "import re\n"), ("b", "x = 1\n")):
        (tmp_path / f"{name}.py").write_text(code)
    monkeypatch.setattr(starts, "SCRIPTS", tmp_path)
    monkeypatch.setattr(starts, "_planning", dict)
    _, alone, *scripts = starts.run()
    assert alone["step"] == "python -c pass"
    assert {row["step"] for row in scripts} == {"a", "b"}
    assert all(float(str(row["figure"])) > 0 for row in scripts)


def test_table(monkeypatch: pytest.MonkeyPatch) -> None:
    rows = [("snakemake -n all", "6,754 jobs", "31.0", ""), ("python -c pass", "", "0.02", "")]
    rows += [(f"s{i}", "imports", f"{0.9 - i / 100:.2f}", "pandas 9 ms") for i in range(21)]
    frame = pd.DataFrame(rows, columns=["step", "setting", "figure", "note"])
    monkeypatch.setattr(write_tables, "frame_of", lambda _: frame.assign(unit="CPU s"))
    _, _, *lines = write_tables.starts().splitlines()
    assert lines[0] == "| `snakemake -n all`, 6,754 jobs | 31.0 |  |"
    assert lines[2] == "| `s0` | 0.90 | pandas 9 ms |"
    assert lines[2 + write_tables.SLOWEST] == "| half of the 21 scripts, at most | 0.80 |  |"
