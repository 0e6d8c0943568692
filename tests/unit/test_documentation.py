"""The documentation: links lead somewhere, pictures are current, and examples run."""

import gzip
import json
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from nlmt.io.moses_ini import read_ini

ROOT = Path(__file__).parents[2]
GOLDEN = ROOT / "tests/golden"
PAGES = [*sorted(ROOT.glob("*.md")), *sorted((ROOT / "docs").glob("*.md"))]


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_links_lead_to_files(page: Path) -> None:
    for target in re.findall(r"\]\(([^)#]+)(?:#[^)]*)?\)", page.read_text(encoding="utf-8")):
        assert "://" in target or (page.parent / target).exists(), f"{page.name}: {target}"


def test_the_index_lists_every_page() -> None:
    index = (ROOT / "docs/index.md").read_text(encoding="utf-8")
    for page in (ROOT / "docs").glob("*.md"):
        assert page.name == "index.md" or f"]({page.name})" in index, page.name


def test_the_picture_of_the_pipeline_is_current(tmp_path: Path) -> None:
    made = tmp_path / "pipeline.svg"
    tool = ROOT / "tools/draw_pipeline.py"
    subprocess.run([sys.executable, tool, made], check=True)
    assert made.read_bytes() == (ROOT / "docs/pipeline.svg").read_bytes()


def lay_out_results(pair: Path) -> None:
    """The files of a language pair that the example names, from the golden data."""
    for folder in ("tm/baseline", "tune/baseline/run1", "text", "lm/kn5"):
        (pair / folder).mkdir(parents=True)
    shutil.copy(GOLDEN / "moses.ini", pair / "tm/baseline")
    (pair / "tm/baseline/model").symlink_to(GOLDEN / "model")
    weights = {
        label: list(values) for label, values in read_ini(GOLDEN / "moses.ini").weights.items()
    }
    (pair / "tune/baseline/run1/weights.json").write_text(json.dumps({"weights": weights}))
    for language in ("fr", "en"):
        lines = (GOLDEN / f"test.{language}").read_bytes().splitlines(keepends=True)[:30]
        (pair / f"text/test.{language}.gz").write_bytes(gzip.compress(b"".join(lines)))
    model = gzip.decompress((GOLDEN / "model/lm.arpa.gz").read_bytes())
    (pair / "lm/kn5/model.binary").write_bytes(model)  # KenLM tells ARPA by its content


def test_the_example_of_the_readme_runs(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    (code,) = re.findall(r"```python\n(.*?)```", (ROOT / "README.md").read_text(), re.DOTALL)
    lay_out_results(tmp_path / "results/help/fr-en")
    monkeypatch.chdir(tmp_path)
    exec(compile(code, "README.md", "exec"), {})  # noqa: S102 - our own
    score, perplexity = capsys.readouterr().out.splitlines()
    assert score.startswith("Score(value=")
    assert float(perplexity) > 1
