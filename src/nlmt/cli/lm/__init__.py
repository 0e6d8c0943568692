"""`nlmt lm`: train, measure and apply language models."""

import argparse
from collections.abc import Callable
from typing import cast

from nlmt.cli.lm import encode, info, perplexity, score, train

COMMANDS = (train, encode, perplexity, score, info)


def run(arguments: list[str]) -> int:
    """Run one of the commands."""
    options = _parser().parse_args(arguments, argparse.Namespace(arguments=arguments))
    return cast(Callable[[argparse.Namespace], int], options.command)(options)


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="nlmt lm", description=__doc__.split(": ", 1)[1])
    commands = parser.add_subparsers(title="commands", metavar="COMMAND", required=True)
    for command in COMMANDS:
        command.add(commands)
    return parser
