"""Running KenLM's command-line tools."""

import os
import shutil
import sys
from collections.abc import Iterable, Sequence
from pathlib import Path

from nlmt.errors import InputError
from nlmt.processes import run_program


def run_tool(name: str, arguments: Sequence[str], lines: Iterable[str] = ()) -> None:
    """Run a tool with `lines` as its input, as `run_program` does.

    It is beside the running Python, where `make setup` puts it, or in PATH.

    Raises:
        ToolError: the tool failed; has its last message.
        InputError: the tool is missing; or any error of `lines`.
    """
    beside = Path(sys.executable).with_name(name)
    tool = str(beside) if os.access(beside, os.X_OK) else shutil.which(name)
    if tool is None:
        raise InputError(f"KenLM's {name} is not installed", hint="run make setup")
    run_program([tool, *arguments], lines=lines)
