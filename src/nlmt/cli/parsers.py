"""The parsers of all commands, from which completion and the reference are made."""

import argparse
import importlib
from collections.abc import Iterator


def all_parsers() -> Iterator[tuple[str, list[argparse.ArgumentParser]]]:
    """Each command with its parser, and those that its options select (`tune --decode`)."""
    from nlmt.cli import COMMANDS

    for name, (module, _) in COMMANDS.items():
        found = importlib.import_module(module)
        yield name, [found.parser(), *(other() for other in getattr(found, "OTHER_PARSERS", ()))]


def commands_below(parser: argparse.ArgumentParser) -> dict[str, argparse.ArgumentParser]:
    """The subcommands of a command: those of `nlmt lm` are `train`, `score` ..."""
    for action in parser._actions:
        if isinstance(action, argparse._SubParsersAction):
            return dict(action.choices)
    return {}


def shown_options(action: argparse.Action) -> list[str]:
    """Each option once; those that take one dash or two, like Moses' flags, with one."""
    options = action.option_strings
    return [name for name in options if not (name.startswith("--") and name[1:] in options)]
