"""The parts of `python -m benchmarks starts` that read what programs print."""

from pathlib import Path

import pytest

from benchmarks import starts

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
