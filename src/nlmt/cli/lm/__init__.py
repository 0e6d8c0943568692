"""`nlmt lm`: train, measure and apply language models."""

from nlmt.cli.lm import apply, encode, info, train
from nlmt.cli.parser import Options, Parser

COMMANDS = (train.add, encode.add, apply.add_perplexity, apply.add_score, info.add)


def run(options: Options) -> int | None:
    """Run one of the commands; return its exit status, if it is not 0."""
    status: int | None = options.command(options)
    return status


def check(options: Options) -> None:
    """Refuse options that do not fit together."""
    options.check(options)


def parser() -> Parser:
    """The arguments."""
    parser = Parser(prog="nlmt lm", description="Trains, measures and applies language models.")
    commands = parser.add_subparsers(title="commands", metavar="COMMAND", required=True)
    for add in COMMANDS:
        add(commands)
    return parser
