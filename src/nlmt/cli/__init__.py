"""The command `nlmt`: each engine of the workflow on the user's files."""

import importlib
import logging
import os
import sys
from types import ModuleType

from nlmt import __version__
from nlmt.cli.commands import COMMANDS
from nlmt.cli.files import HELP
from nlmt.errors import InputError, UsageError
from nlmt.live import shown_steps
from nlmt.registry import nearest
from nlmt.runlog import INTERRUPTED, describe


def main(arguments: list[str] | None = None) -> int:
    """Run one command; a user's error is a line on the terminal and exit status 1, of usage 2."""
    arguments = sys.argv[1:] if arguments is None else arguments
    status: int | None = None
    try:
        status = _run(arguments)
        sys.stdout.flush()
    except OSError as error:
        # At its end Python would try to write the rest again.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        if isinstance(error, BrokenPipeError):  # the reader has ended, as in `nlmt ... | head`
            return status or 0
        if not status:  # otherwise the command itself has reported an error
            where = "" if status is None else "standard output: "
            print(f"nlmt: {where}{describe(error)}", file=sys.stderr)
        return status or 1
    return status


def _run(arguments: list[str]) -> int:
    if not arguments or arguments[0] in ("-h", "--help", "help"):
        print(_usage())
        return 0
    if arguments[0] in ("-V", "--version"):
        print(f"nlmt {__version__}")
        return 0
    name, *rest = arguments
    if name not in COMMANDS:
        print(f"nlmt: unknown command {name!r} ({nearest(name, COMMANDS)})", file=sys.stderr)
        return 2
    with shown_steps(f"nlmt {name}"):
        logging.basicConfig(level=logging.INFO, format="%(message)s", stream=sys.stderr)
        # Of other programs, only failures, whose errors have their last words.
        logging.getLogger("nlmt.processes").setLevel(logging.WARNING)
        return _run_and_report(name, rest)


def _run_and_report(name: str, arguments: list[str]) -> int:
    try:
        return run_command(name, arguments)
    except BrokenPipeError:
        raise
    except (InputError, OSError) as error:
        message = describe(error) if isinstance(error, OSError) else error
        print(f"nlmt {name}: {message}", file=sys.stderr)
        return 2 if isinstance(error, UsageError) else 1
    except MemoryError as error:
        what = f"out of memory ({error})" if str(error) else "out of memory"
        print(f"nlmt {name}: {what}: end other programs, or use a larger machine", file=sys.stderr)
        return 1
    except KeyboardInterrupt:
        print(f"nlmt {name}: interrupted", file=sys.stderr)
        return INTERRUPTED


def run_command(name: str, arguments: list[str]) -> int:
    """Check the arguments of a command, and run it; its exit status.

    Its module has the functions `parser`, `run` and, for options that may not fit, `check`.

    Raises:
        UsageError: arguments that do not fit together.
        InputError: a fault of the command's input.
    """
    from nlmt.cli.parser import parsed  # late: it imports numpy

    command = _chosen(importlib.import_module(COMMANDS[name][0]), arguments)
    with parsed(command.parser(), arguments, getattr(command, "check", None)) as options:
        options.arguments = arguments
        status: int | None = command.run(options)
    return status or 0


def _chosen(command: ModuleType, arguments: list[str]) -> ModuleType:
    """The module of a command, or the other one that an option chooses (`tune --decode`)."""
    given = {argument.partition("=")[0] for argument in arguments}
    others: dict[str, ModuleType] = getattr(command, "BY_OPTION", {})
    return next((other for option, other in others.items() if option in given), command)


def _usage() -> str:
    width = max(map(len, COMMANDS))
    lines = [f"  {name:<{width}}  {purpose}" for name, (_, purpose) in COMMANDS.items()]
    return "\n".join(
        ["usage: nlmt COMMAND ... (nlmt COMMAND --help; nlmt --version)", *lines, HELP]
    )
