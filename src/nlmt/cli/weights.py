"""`nlmt weights`: convert weights between kinds of files."""

from pathlib import Path

from nlmt.cli.arguments import fitting_weights, weights_from
from nlmt.cli.files import IN, OUT, STANDARD
from nlmt.cli.parser import Options, Parser
from nlmt.io.moses_ini import movable, read_ini, write_ini
from nlmt.io.weights import write_weights

DESCRIPTION = """\
Writes weights as a weights.json, or, with --ini, as a moses.ini with these weights: features and
search stay unchanged. Other features keep the weights of the moses.ini; weights of a feature that
it lacks are refused.
"""
EPILOG = """\
Relative paths in a moses.ini start from the present folder; those that exist only relative to the
folder of the moses.ini become absolute, so that the new one may be elsewhere.

examples:
  nlmt weights weights.json --ini moses.ini --out tuned.ini
  nlmt weights moses.ini --out weights.json
  nlmt weights moses.ini
"""


def run(options: Options) -> None:
    """Write the weights."""
    if options.ini is None:
        write_weights(options.out, weights_from(options.weights))
    else:
        write_tuned(options.ini, options.weights, options.out)


def write_tuned(ini: Path, weights: Path, out: Path) -> None:
    """Write a moses.ini with the weights of a file.

    Raises:
        InputError: weights of a feature that it lacks, or a wrong number of them.
    """
    fitting = fitting_weights(weights, ini)
    write_ini(out, movable(read_ini(ini), ini).with_weights(fitting))


def parser() -> Parser:
    """The arguments."""
    parser = Parser(prog="nlmt weights", description=DESCRIPTION, epilog=EPILOG)
    add = parser.add_argument
    add("weights", type=IN, help="a weights.json or a moses.ini")
    add("--ini", type=IN, metavar="INI", help="write this moses.ini with the weights")
    what = "file to write (default: standard output)"
    add("--out", type=OUT, default=STANDARD, help=what)
    return parser
