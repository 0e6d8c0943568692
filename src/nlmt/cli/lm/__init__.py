"""`nlmt lm`: train, measure and apply language models."""

import argparse
from collections.abc import Callable
from typing import cast

from nlmt.cli.lm import apply, encode, info, train
from nlmt.cli.parser import Parser, parsed

COMMANDS = (train.add, encode.add, apply.add_perplexity, apply.add_score, info.add)


def run(arguments: list[str]) -> int:
    """Run one of the commands."""
    with parsed(parser(), arguments, lambda options: options.check(options)) as options:
        options.arguments = arguments  # which start the processes that train together
        return cast(Callable[[argparse.Namespace], int], options.command)(options)


def parser() -> Parser:
    """The arguments."""
    parser = Parser(prog="nlmt lm", description="Trains, measures and applies language models.")
    commands = parser.add_subparsers(title="commands", metavar="COMMAND", required=True)
    for add in COMMANDS:
        add(commands)
    return parser
