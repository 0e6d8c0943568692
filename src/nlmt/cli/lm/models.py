"""Options of commands that apply models to a text, and the models that they name."""

import argparse
import sys
from collections.abc import Callable
from pathlib import Path

from nlmt.cli.arguments import add_threads
from nlmt.cli.files import IN, IN_EITHER
from nlmt.cli.interpolation import add_options, check_options, interpolated
from nlmt.cli.parser import Commands, Parser
from nlmt.errors import InputError
from nlmt.kinds import load_language_model
from nlmt.lm import LanguageModel

EPILOG = """\
A model is the folder of one that was trained here, or an ARPA or binary file of KenLM. Several
models are interpolated: the probability of a word is the weighted mean of theirs, with equal
weights, with those of --interpolate, or with the best ones for the text of --interpolate-on. The
weights are printed on standard error. Words are out of vocabulary (OOV) if no model knows them.

examples:
  nlmt lm {name} model test.en
  nlmt lm {name} model lm.binary test.en --interpolate-on dev.en
"""


def add_command(
    commands: Commands, name: str, what: str, run: Callable[[argparse.Namespace], int]
) -> Parser:
    """Add a command that applies models to a text."""
    parser = commands.add_parser(
        name, help=what, description=f"Print the {what}.", epilog=EPILOG.format(name=name)
    )
    model = "folder or file of a model; several are interpolated"
    parser.add_argument("model", type=IN_EITHER, nargs="+", metavar="MODEL", help=model)
    parser.add_argument("text", type=IN, help="sentences, plain or gzip")
    add_options(parser)
    what = "source sentences, line for line, for one model that is conditioned on them"
    parser.add_argument("--source", type=IN, help=what)
    what = "links 0-0 1-2 of each sentence pair, source-target; not for lsa, transform"
    parser.add_argument("--alignment", type=IN, help=what)
    add_threads(parser)
    parser.set_defaults(command=run, check=check, parser=parser)
    return parser


def check(options: argparse.Namespace) -> None:
    """Refuse contradictory options.

    Raises:
        InputError: a source or alignment with several models; an alignment without source text.
    """
    check_options(options.parser, options, len(options.model))
    if options.source is None:
        if options.alignment is not None:
            raise InputError("--alignment without --source", hint="give both, or none")
    elif len(options.model) > 1:
        what = "--source and --alignment are for one model that is conditioned on the source"
        raise InputError(what, hint="leave them out")


def load_models(options: argparse.Namespace) -> list[LanguageModel]:
    """The models that the options name."""
    return [load_language_model(path, threads=options.threads) for path in options.model]


def one_model(models: list[LanguageModel], options: argparse.Namespace) -> LanguageModel:
    """The model, or the interpolation of several."""
    if len(models) == 1:
        return models[0]
    return interpolated(models, options.model, options, sys.stderr)


def source_files(options: argparse.Namespace) -> list[Path]:
    """The given ones of source text and alignment."""
    return [path for path in (options.source, options.alignment) if path is not None]
