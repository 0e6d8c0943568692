"""`nlmt lm info`: describe a language model."""

from nlmt.cli.files import IN_EITHER
from nlmt.cli.parser import Commands, Options
from nlmt.kinds import find_language_model

DESCRIPTION = """\
Prints parts, sizes, configuration and training of a neural model; form, number of n-grams and words
of a KenLM file, binary or ARPA; for a class n-gram model also its words and classes.
"""


def add(commands: Commands) -> None:
    """Add the command to `nlmt lm`."""
    parser = commands.add_parser("info", help="describe a model", description=DESCRIPTION)
    what = "folder of a neural or class n-gram model, or a KenLM file"
    parser.add_argument("model", type=IN_EITHER, metavar="MODEL", help=what)
    parser.set_defaults(command=run, check=lambda options: None)


def run(options: Options) -> None:
    """Print a description that depends on the kind."""
    kind, path = find_language_model(options.model)
    for line in kind.describe(path):
        print(line)
