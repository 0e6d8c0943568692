"""Locating and running KenLM's command-line tools."""

import os
import shutil
import sys
from collections.abc import Iterable, Sequence
from pathlib import Path

from nlmt.errors import InputError
from nlmt.processes import run_program


def find_tool(name: str) -> Path:
    """Path of a tool: beside the running Python, where `make setup` puts it, or in PATH.

    Raises:
        InputError: it is in neither place.
    """
    beside = Path(sys.executable).with_name(name)
    if os.access(beside, os.X_OK):
        return beside
    found = shutil.which(name)
    if found is None:
        raise InputError(f"KenLM's {name} is not installed", hint="run make setup")
    return Path(found)


def run_tool(name: str, arguments: Sequence[str], lines: Iterable[str] = ()) -> None:
    """Run a tool with `lines` as its input, as `run_program` does.

    Raises:
        ToolError: the tool failed; has its last message.
        InputError: the tool is missing; or any error of `lines`.
    """
    run_program([find_tool(name), *arguments], lines=lines)
