"""Options of commands that interpolate language models, and the resulting model."""

import argparse
from collections.abc import Sequence
from pathlib import Path
from typing import TextIO

from nlmt.cli.arguments import zero_or_more
from nlmt.cli.files import TEXT
from nlmt.cli.parser import Options
from nlmt.errors import InputError
from nlmt.io.files import read_lines
from nlmt.lm.interpolation import Interpolation, as_word_model
from nlmt.lm.protocol import LanguageModel, is_conditioned


def add_options(parser: argparse.ArgumentParser) -> None:
    """Add --interpolate and --interpolate-on."""
    add = parser.add_mutually_exclusive_group().add_argument
    add(
        "--interpolate",
        type=zero_or_more,
        nargs="+",
        metavar="W",
        help="weight of each model, in order",
    )
    add("--interpolate-on", type=TEXT, metavar="TEXT", help="tune these weights on a text")


def check_options(options: Options, models: int) -> bool:
    """Whether to interpolate the models; ends the program if options do not fit."""
    mixed = options.interpolate is not None or options.interpolate_on is not None
    if mixed and models < 2:
        options.parser.error("interpolation needs two models or more")
    if options.interpolate is not None and len(options.interpolate) != models:
        options.parser.error("--interpolate needs a weight for each model")
    if options.interpolate is not None and not any(options.interpolate):
        options.parser.error("--interpolate needs a weight above 0")
    return mixed


def interpolated(
    models: Sequence[LanguageModel],
    paths: Sequence[Path],
    options: Options,
    report_to: TextIO,
) -> Interpolation:
    """The interpolation that the options request, with equal weights by default.

    The weights are printed to `report_to`; tuned ones with the perplexities of the text.

    Raises:
        InputError: a model without probabilities of words or with a source; unusable weights or
            text.
    """
    for model, path in zip(models, paths, strict=True):
        if is_conditioned(model):
            what = "a model that sees the source cannot be interpolated"
            raise InputError(what, path=path, hint="score with only this model")
    words = [as_word_model(model, path) for model, path in zip(models, paths, strict=True)]
    mixture = Interpolation(words, options.interpolate or [1.0] * len(words))
    if options.interpolate_on is None:
        for path, weight in zip(paths, mixture.weights, strict=True):
            print(f"{path}: weight {weight:.4f}", file=report_to)
        return mixture
    tuned = mixture.tuned(read_lines(options.interpolate_on))
    for path, weight, alone in zip(paths, tuned.model.weights, tuned.alone, strict=True):
        print(f"{path}: weight {weight:.4f}, perplexity {alone:.2f}", file=report_to)
    print(f"interpolated: perplexity {tuned.perplexity:.2f}", file=report_to)
    return tuned.model
