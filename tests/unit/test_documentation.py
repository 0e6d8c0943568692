"""The documentation: links lead somewhere, tables are current, and examples run."""

import gzip
import hashlib
import importlib
import importlib.util
import json
import re
import shutil
import subprocess
import sys
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import yaml

from nlmt.io.moses_ini import read_ini
from nlmt.papers import PAPERS
from nlmt.papers.claim_views import MARKS, counts_of
from nlmt.papers.publish import read_publications
from tools.write_tables import FINDINGS, PLACE, PUBLISHED, VALUES, findings, with_tables

ROOT = Path(__file__).parents[2]
GOLDEN = ROOT / "tests/golden"
PAGES = [*sorted(ROOT.glob("*.md")), *sorted((ROOT / "docs").glob("*.md"))]
EXAMPLES = sorted((ROOT / "tests/examples").glob("*.py"))
NOTEBOOKS = sorted((ROOT / "docs/notebooks").glob("*.ipynb"))
MADE_LATER = {"nlmt.sif", "config/downloads.lock"}  # made by readers and runs
# Numbers with a unit of memory, time, quality or speed.
MEASURE = re.compile(
    r"\d(?:[\d.,]*\d)?\s?(?:[kMGT]B|m?s|seconds|min|minutes|h|hours|days|BLEU|tokens/s)\b"
)
NOT_MEASURED = {
    "clusters.md": {"300 seconds": "default of Slurm"},
    "faults.md": {"10 s": "limit of an input", "256 MB": "limit of an input"},
    "evaluation.md": {"0.1 BLEU": "least gain that is warned of"},
    "nbest.md": {"64 MB": "size of a block"},
    "needs.md": {
        "500 MB": "what every job asks for",
        "30 minutes": "what every job asks for",
        "24,000 MB": "limit of a step",
        "6 MB": "limit of a step",
    },
    "neural.md": {"160 MB": "limit of a cache", "1 GB": "limit of a cache"},
    "papers.md": {
        "1.0 BLEU": "published",
        "1 BLEU": "example of a finding",
        "1 GB": "published",
        "1.4 days": "published",
    },
}
# `nlmt.cli` is described by docs/commands.md.
PACKAGES = {path.parent.name for path in (ROOT / "src/nlmt").glob("*/__init__.py")} - {"cli"}


def anchors(page: Path) -> set[str]:
    """The addresses of the headings of a page."""
    headings = re.findall("^#+ (.*)", page.read_text(encoding="utf-8"), re.M)
    return {re.sub("[^a-z0-9 _-]", "", one.lower()).replace(" ", "-") for one in headings}


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_links_lead_to_files_and_headings(page: Path) -> None:
    text = page.read_text(encoding="utf-8")
    for target, heading in re.findall(r"\]\(([^)#]*)(?:#([^)]*))?\)", text):
        if "://" in target:
            continue
        path = page.parent / target if target else page
        assert path.exists(), f"{page.name}: {target}"
        assert not heading or heading in anchors(path), f"{page.name}: {target}#{heading}"


def places(nav: Any) -> Iterator[str]:
    """The pages of a part of `nav` in mkdocs.yml."""
    if isinstance(nav, str):
        yield nav
    for part in nav.values() if isinstance(nav, dict) else nav if isinstance(nav, list) else ():
        yield from places(part)


def test_the_site_has_every_page() -> None:
    nav = list(places(yaml.safe_load((ROOT / "mkdocs.yml").read_text())["nav"]))
    assert len(nav) == len(set(nav))
    expected = {path.name for path in (ROOT / "docs").glob("*.md")}
    expected |= {f"notebooks/{path.stem}.md" for path in NOTEBOOKS}
    expected |= {f"library/{name}.md" for name in PACKAGES}
    assert {page for page in nav if not page.startswith("project/")} == expected


def test_the_library_page_names_what_there_is() -> None:
    text = (ROOT / "docs/library.md").read_text(encoding="utf-8")
    rows = re.findall(r"^\| [^|]* \| `(nlmt\.[a-z]*)` \| ([^|]*) \|", text, re.M)
    assert len(rows) > 10
    for package, names in rows:
        for name in re.findall("`([^`]*)`", names):
            module, _, attribute = f"{package}.{name}".rpartition(".")
            assert hasattr(importlib.import_module(module), attribute), name


def exists_in_library(name: str) -> bool:
    """Whether a dotted name is a module, or an attribute of one."""
    module, _, attribute = name.rpartition(".")
    try:
        found = importlib.import_module(module)
        return hasattr(found, attribute) or importlib.util.find_spec(name) is not None
    except ModuleNotFoundError:
        return False


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_pages_name_what_the_library_and_the_repository_have(page: Path) -> None:
    code = set(re.findall("`([^`\\s]+)`", page.read_text(encoding="utf-8"))) - MADE_LATER
    names = {one for one in code if re.fullmatch(r"nlmt(\.\w+)+", one)}
    assert not [name for name in sorted(names) if not exists_in_library(name)]
    folders = "benchmarks|config|cpp|docs|profiles|rules|src|tests|tools|workflow"
    paths = {one for one in code if re.fullmatch(rf"(?:{folders})/[\w./-]+", one)}
    assert not [path for path in sorted(paths) if not (ROOT / path).exists()]


@pytest.mark.parametrize("example", EXAMPLES, ids=lambda path: path.stem)
def test_the_documents_show_the_examples_that_are_tested(example: Path) -> None:
    shown = re.compile(rf"^```python.*\n{re.escape(example.read_text())}```", re.M)
    assert any(shown.search(page.read_text(encoding="utf-8")) for page in PAGES)


@pytest.mark.parametrize("notebook", NOTEBOOKS, ids=lambda path: path.stem)
def test_notebooks_are_stored_without_output(notebook: Path) -> None:
    for cell in json.loads(notebook.read_text(encoding="utf-8"))["cells"]:
        assert not cell.get("outputs"), cell["source"]
        assert cell.get("execution_count") is None


def test_a_notebook_gets_what_its_cells_show(tmp_path: Path) -> None:
    cells = [
        "import pandas as pd\nprint('begins')\npd.DataFrame({'a': [1]})",
        "pd.Series([1, 2]).plot();",
        "text = 'kept'",
        "text",
    ]
    code = [{"cell_type": "code", "source": [one], "outputs": []} for one in cells]
    notebook, run = tmp_path / "x.ipynb", tmp_path / "run/x.ipynb"
    notebook.write_text(json.dumps({"cells": [{"cell_type": "markdown", "source": []}, *code]}))
    subprocess.run([sys.executable, ROOT / "tools/run_notebook.py", notebook, run], check=True)
    _, *found = json.loads(run.read_text())["cells"]
    printed, table = found[0]["outputs"]
    assert printed["text"] == "begins\n"
    assert "<table" in table["data"]["text/html"]
    assert [list(one["data"]) for one in found[1]["outputs"]] == [["image/png"]]
    assert found[2]["outputs"] == []
    assert found[3]["outputs"][0]["data"] == {"text/plain": "'kept'"}


def test_the_index_lists_every_page() -> None:
    index = (ROOT / "docs/index.md").read_text(encoding="utf-8")
    for page in (ROOT / "docs").glob("*.md"):
        assert page.name == "index.md" or f"]({page.name})" in index, page.name
    for notebook in NOTEBOOKS:
        assert f"](notebooks/{notebook.name})" in index


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


@pytest.mark.parametrize("page", PAGES, ids=lambda path: path.name)
def test_tables_are_those_of_the_frames(page: Path) -> None:
    text = page.read_text(encoding="utf-8")
    assert with_tables(text) == text, "make generated"


def test_the_picture_of_findings_is_that_of_the_frames() -> None:
    picture = findings()
    assert FINDINGS.read_text(encoding="utf-8") == picture, "make generated"
    counts: Counter[str] = Counter({"holds": 1, "opposite": 1})  # of the legend
    for key in PAPERS.names():
        for one in read_publications(PUBLISHED, key, VALUES):
            for count in counts_of(one.results.verdicts, one.results.pairs):
                counts.update({MARKS[verdict][0]: n for verdict, n in count.verdicts.items()})
    for mark in ("holds", "opposite"):
        assert picture.count(f'<rect class="{mark}"') == counts[mark]


@pytest.mark.parametrize("page", [*PAGES, ROOT / "data/README.md"], ids=lambda path: path.name)
def test_measured_numbers_are_in_generated_tables(page: Path) -> None:
    prose = PLACE.sub("", page.read_text(encoding="utf-8"))
    assert {*MEASURE.findall(prose)} == {*NOT_MEASURED.get(page.name, {})}


def test_the_readme_has_the_hash_of_its_table() -> None:
    table = (ROOT / "docs/results/demo.txt").read_bytes()
    readme = (ROOT / "README.md").read_text(encoding="utf-8")
    assert f"as above | `{hashlib.sha256(table).hexdigest()[:16]}` |" in readme
