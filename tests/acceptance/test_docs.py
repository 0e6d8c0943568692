"""Every command and snippet of the documentation, page by page, in the order of the page.

A page is read as a user would follow it: its shell snippets run one after the other in a folder
with the texts and models that the page takes for given (`prepared.py`), Python snippets as
programs, and YAML is checked. A snippet with a title is written to the file of that name, for those
after it. `snippets.yaml` names what is not run, and why.
"""

import re
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
import yaml
from prepared import GIVEN, PROJECTS, ROOT, TABLE, environment, lay_out, lay_out_project, shell

PAGES = [ROOT / "README.md", ROOT / "CONTRIBUTING.md", *sorted((ROOT / "docs").glob("*.md"))]
COMMANDS = re.compile(r"^(cat|nlmt|snakemake|make|python|pip|srun|export|tools/|\.venv/bin/)", re.M)
FENCED = re.compile(r'^```(\w*)(?: title="([^"]*)")?\n(.*?)^```', re.M | re.S)
INDENTED = re.compile(r"(?:^    \S.*\n(?:^     .*\n)*)+", re.M)
LISTED: dict[str, list[dict[str, str]]] = yaml.safe_load(
    (Path(__file__).parent / "snippets.yaml").read_text()
)
# Run by a unit test, which has what they need.
ELSEWHERE = {
    "README.md": "tests/unit/test_documentation.py",
    "extending.md": "tests/unit, as tests/examples",
}


@dataclass(frozen=True)
class Snippet:
    """A block of a page: its language (empty: shell or output), its text, the file it is."""

    page: str
    language: str
    text: str
    file: str = ""

    @property
    def is_shell(self) -> bool:
        return self.language in ("", "sh", "bash") and bool(COMMANDS.search(self.text))

    @property
    def is_run(self) -> bool:
        if self.is_shell:
            return not self.is_listed("not run")
        return self.language == "python" and not self.file and self.page not in ELSEWHERE

    def is_listed(self, kind: str) -> bool:
        entries = (one for one in LISTED[kind] if one["page"] == self.page)
        return any(self.text.startswith(one["begins"]) for one in entries)


def snippets(page: Path) -> list[Snippet]:
    text = page.read_text(encoding="utf-8")
    fenced = [(m.start(), m[1], m[3], m[2] or "") for m in FENCED.finditer(text)]
    rest = FENCED.sub(lambda m: " " * len(m[0]), text)
    for m in INDENTED.finditer(rest):
        fenced.append((m.start(), "", re.sub("^    ", "", m[0], flags=re.M), ""))
    return [Snippet(page.name, language, body, file) for _, language, body, file in sorted(fenced)]


ALL = {page.name: snippets(page) for page in PAGES}


def test_what_is_not_run_is_there() -> None:
    for kind, entries in LISTED.items():
        for entry in entries:
            found = [one for one in ALL[entry["page"]] if one.text.startswith(entry["begins"])]
            assert found, f"{kind}: {entry}"
            assert entry["why"]


@pytest.mark.parametrize(
    "page",
    [n for n, found in ALL.items() if any(s.is_shell or s.language == "python" for s in found)],
)
def test_page(page: str, tmp_path: Path) -> None:
    folder, tools = tmp_path / "work", tmp_path / "tools"
    folder.mkdir()
    (lay_out_project if page in PROJECTS else lay_out)(folder)
    for script in (*PROJECTS.get(page, ()), *GIVEN.get(page, ())):
        made = shell(script, folder, tools)
        assert made.returncode == 0, f"{script}\n{made.stderr[-2000:]}"
    for snippet in ALL[page]:
        if snippet.file:
            (folder / snippet.file).parent.mkdir(exist_ok=True)
            (folder / snippet.file).write_text(snippet.text)
        if not snippet.is_run:
            continue
        if snippet.is_shell:
            done = shell(snippet.text, folder, tools)
        else:
            done = subprocess.run(
                [sys.executable, "-c", snippet.text], cwd=folder, env=environment(tools),
                capture_output=True, text=True, check=False,
            )  # fmt: skip
        assert done.returncode == 0, f"{snippet.text}\n{done.stdout[-500:]}{done.stderr[-2000:]}"


def yaml_snippets() -> list[Snippet]:
    return [s for found in ALL.values() for s in found if s.language == "yaml"]


@pytest.mark.parametrize("snippet", yaml_snippets(), ids=lambda s: f"{s.page}-{s.text[:12]}")
def test_configuration(snippet: Snippet, tmp_path: Path) -> None:
    values: Any = yaml.safe_load(snippet.text)
    assert isinstance(values, dict)
    if snippet.is_listed("fragments"):
        return
    (tmp_path / "mine.yaml").write_text(snippet.text)
    checked = shell(f"nlmt config check {tmp_path}/mine.yaml", ROOT, tmp_path / "tools")
    assert checked.returncode == 0, checked.stderr


def test_commands_of_the_table(tmp_path: Path) -> None:
    """The table of the README: commands with options are run, of the others the help is asked."""
    folder, tools = tmp_path / "work", tmp_path / "tools"
    folder.mkdir()
    lay_out(folder)
    made = shell(TABLE, folder, tools)
    assert made.returncode == 0, made.stderr[-2000:]
    rows = re.findall(r"^\| (`nlmt [^|]*) \|", (ROOT / "README.md").read_text(), re.M)
    assert len(rows) > 8
    for command in (command for row in rows for command in re.findall("`(nlmt [^`]*)`", row)):
        shown = command if " -" in command else f"{command} --help"
        done = shell(f"{shown} > out", folder, tools)
        assert done.returncode == 0, f"{shown}\n{done.stderr[-2000:]}"
