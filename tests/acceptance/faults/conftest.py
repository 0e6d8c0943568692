"""A finished project to compare with, one to do harm to, and the table of what was seen."""

import shutil
from collections.abc import Callable
from pathlib import Path

import pytest
from disturbed import Finished, run_undisturbed

from tests.workflow.conftest import make_project

_ROWS = pytest.StashKey[list[tuple[str, str]]]()


@pytest.fixture(scope="session")
def finished(tmp_path_factory: pytest.TempPathFactory) -> Finished:
    """A project in which the tiny workflow has run; tests leave it as it is."""
    return run_undisturbed(tmp_path_factory.mktemp("undisturbed"))


@pytest.fixture
def project(tmp_path: Path) -> Path:
    """A fresh project folder."""
    folder = tmp_path / "project"
    folder.mkdir()
    return make_project(folder)


@pytest.fixture
def copy(finished: Finished, tmp_path: Path) -> Path:
    """A copy of the finished project that a test may change; times are kept."""
    return Path(shutil.copytree(finished.folder, tmp_path / "copy"))


@pytest.fixture
def seen(request: pytest.FixtureRequest) -> Callable[[str, str], None]:
    """Adds a line to the table at the end: the fault, and what was seen."""
    rows = request.config.stash.setdefault(_ROWS, [])
    return lambda fault, what: rows.append((fault, what))


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter) -> None:
    """Print the table."""
    rows = terminalreporter.config.stash.get(_ROWS, [])
    if rows:
        terminalreporter.section("faults and what was seen")
    for fault, what in rows:
        terminalreporter.write_line(f"{fault} | {what}")
