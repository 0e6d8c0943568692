"""Progress of commands on a pseudo terminal: shown there, over nothing that is to stay."""

import io
import os
import pty
import select
import subprocess
import sys
import threading
from collections.abc import Iterator
from pathlib import Path

import pytest

from nlmt import live
from nlmt.live import shown_steps
from nlmt.runlog import LOGS_ONLY
from nlmt.steps import step

PATIENCE = 120  # seconds, on a busy machine
ERASED = "\x1b[1A\x1b[J"


class Terminal:
    """A pseudo terminal: what programs write to, and what appears on it."""

    def __init__(self) -> None:
        self._master, self.place = pty.openpty()
        self.shown = ""

    def wait_for(self, text: str) -> None:
        """Until it has appeared, after what was waited for before."""
        begin = len(self.shown)
        while text not in self.shown[begin:]:
            ready, _, _ = select.select([self._master], [], [], PATIENCE)
            assert ready, f"no {text!r} in {self.shown!r}"
            self.shown += os.read(self._master, 4096).decode()

    def close(self) -> None:
        os.close(self._master)


@pytest.fixture
def terminal(monkeypatch: pytest.MonkeyPatch) -> Iterator[Terminal]:
    monkeypatch.delenv(LOGS_ONLY, raising=False)
    monkeypatch.setenv("TERM", "xterm")
    found = Terminal()
    yield found
    found.close()


def test_lines_are_written_over_and_output_stays(
    terminal: Terminal, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(live, "SHORT_SECONDS", 0.0)
    monkeypatch.setattr(live, "REDRAW_SECONDS", 0.01)
    with os.fdopen(terminal.place, "w") as stream:
        monkeypatch.setattr(sys, "stdout", stream)
        monkeypatch.setattr(sys, "stderr", stream)
        with shown_steps("nlmt count"):
            terminal.wait_for("nlmt count")
            with step("count", 4) as one:
                one.done = 2
                terminal.wait_for("count  [##########..........]  2 of 4 sentences")
                print("half", end="")
                terminal.wait_for(f"{ERASED}half")
                before = len(terminal.shown)
                print(" of it")
                terminal.wait_for("2 of 4 sentences")
                # Nothing is drawn within a line.
                assert terminal.shown[before:].startswith(" of it\r\n")
        print("end")
        terminal.wait_for("end")
        assert sys.stdout is stream
    assert terminal.shown.split("\x1b[J")[-1] == "end\r\n"


@pytest.mark.parametrize("variables", [{LOGS_ONLY: "1"}, {"TERM": "dumb"}])
def test_a_terminal_that_is_not_to_be_used(
    terminal: Terminal, monkeypatch: pytest.MonkeyPatch, variables: dict[str, str]
) -> None:
    for name, value in variables.items():
        monkeypatch.setenv(name, value)
    with os.fdopen(terminal.place, "w") as stream:
        monkeypatch.setattr(sys, "stderr", stream)
        with shown_steps("nlmt count"):
            assert sys.stderr is stream


def test_nothing_is_shown_elsewhere(monkeypatch: pytest.MonkeyPatch) -> None:
    stream = io.StringIO()
    monkeypatch.setattr(sys, "stderr", stream)
    threads = threading.active_count()
    with shown_steps("nlmt count"):
        assert sys.stderr is stream
        assert threading.active_count() == threads
    assert stream.getvalue() == ""


def test_a_command_shows_what_it_is_at(terminal: Terminal, tmp_path: Path) -> None:
    text = "a b a b\nb a\n"
    command = [sys.executable, "-m", "nlmt.cli", "classes", "brown", "--text", "-"]
    command += ["--classes", "2", "--out", str(tmp_path / "classes.tsv")]
    process = subprocess.Popen(
        command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=terminal.place, text=True
    )
    os.close(terminal.place)
    terminal.wait_for("nlmt classes")  # it waits for its input
    printed, _ = process.communicate(text, timeout=PATIENCE)
    assert process.returncode == 0
    assert "classes: 2" in printed
    assert (tmp_path / "classes.tsv").exists()
    assert "nlmt" not in printed
