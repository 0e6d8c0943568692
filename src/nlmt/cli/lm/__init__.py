"""`nlmt lm`: train, measure and apply language models."""

import argparse
from collections.abc import Callable
from typing import cast

from nlmt.cli.lm import encode, info, perplexity, score, train
from nlmt.cli.parser import Parser, parsed

COMMANDS = (train, encode, perplexity, score, info)


def run(arguments: list[str]) -> int:
    """Run one of the commands."""
    start = argparse.Namespace(arguments=arguments)
    with parsed(parser(), arguments, lambda options: options.check(options), start) as options:
        return cast(Callable[[argparse.Namespace], int], options.command)(options)


def parser() -> Parser:
    """The arguments."""
    parser = Parser(prog="nlmt lm", description="Trains, measures and applies language models.")
    commands = parser.add_subparsers(title="commands", metavar="COMMAND", required=True)
    for command in COMMANDS:
        command.add(commands)
    return parser
