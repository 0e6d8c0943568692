"""KenLM's command-line tools: where they are, and running one with a clear end."""

import logging
import os
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterable, Sequence
from contextlib import suppress
from pathlib import Path

from nlmt.errors import InputError

log = logging.getLogger(__name__)


class ToolError(InputError):
    """A tool ended with an error; its messages are kept beside the one line that counts."""

    def __init__(self, what: str, messages: str) -> None:
        super().__init__(what)
        self.messages = messages


def find_tool(name: str) -> Path:
    """Path of a tool: beside the running Python, where `make setup` puts it, else in PATH.

    Raises:
        InputError: it is in neither.
    """
    beside = Path(sys.executable).with_name(name)
    if os.access(beside, os.X_OK):
        return beside
    found = shutil.which(name)
    if found is None:
        raise InputError(f"KenLM's {name} is not installed", mend="run make setup")
    return Path(found)


def run_tool(name: str, arguments: Sequence[str], lines: Iterable[str] = ()) -> None:
    """Run a tool with `lines` as its input; its messages go to the log.

    The tool never outlives the call: an error in `lines` or an interruption kills it.

    Raises:
        ToolError: the tool ended with an error: says its last words.
        InputError: the tool is missing, or whatever `lines` raises.
    """
    command = [str(find_tool(name)), *arguments]
    log.info("%s", " ".join(command))
    with tempfile.TemporaryFile() as stderr:
        with subprocess.Popen(
            command, stdin=subprocess.PIPE, stdout=subprocess.DEVNULL, stderr=stderr
        ) as process:
            assert process.stdin is not None
            try:
                process.stdin.writelines(f"{line}\n".encode() for line in lines)
            except BrokenPipeError:
                pass  # the tool gave up early; its own message says why
            except BaseException:
                process.kill()
                raise
            finally:
                with suppress(BrokenPipeError):
                    process.stdin.close()  # writes what is left in the buffer
            status = process.wait()
        stderr.seek(0)
        messages = [line.decode(errors="replace").strip() for line in stderr]
    # Neither progress bars nor build_binary's closing ERROR say anything.
    messages = [line for line in messages if line.strip("-*=0123456789") and line != "ERROR"]
    log.info("%s", "\n".join(messages))
    if status != 0:
        last = messages[-1] if messages else "it said nothing"
        raise ToolError(f"{name} failed ({_ending(status)}): {last}", "\n".join(messages))


def _ending(status: int) -> str:
    """How a process ended, from its exit status (negative: the signal)."""
    if status == -9:
        return "killed, perhaps for want of memory"
    return f"signal {-status}" if status < 0 else f"status {status}"
