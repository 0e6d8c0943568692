"""Types of command-line arguments, options of several commands; reading of texts and weights."""

import argparse
import logging
import math
import os
import re
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any

from nlmt.cli.files import IN, FileKind
from nlmt.errors import InputError, in_file
from nlmt.io.files import read_lines
from nlmt.io.lattice import is_fixed
from nlmt.io.moses_ini import read_ini
from nlmt.io.nbest import LABEL
from nlmt.io.weights import read_weights
from nlmt.io.yaml_files import parse_yaml

logger = logging.getLogger(__name__)


def metavar_of(kind: object) -> str | None:
    """The name in help texts of values of a type; None where it has none."""
    if isinstance(kind, FileKind):
        return kind.metavar
    names: dict[object, str] = {count: "N", positive: "N", key_and_value: "KEY=VALUE"}
    return names.get(kind, "X" if kind in (number_of, zero_or_more, above_zero, float) else None)


def add_threads(parser: argparse.ArgumentParser) -> None:
    """Add the option `--threads`, by default all processors."""
    parser.add_argument(
        "--threads",
        type=positive,
        default=len(os.sched_getaffinity(0)),
        help="only changes the time (default: all)",
    )


def add_system(parser: argparse.ArgumentParser) -> None:
    """Add the options that choose a system of a language pair, and its run."""
    parser.add_argument(
        "--system", metavar="NAME", help="name of the system (default: the best on the tuning set)"
    )
    parser.add_argument(
        "--run",
        type=positive,
        default=1,
        help="seed of the run of tuning and training (default: 1)",
    )


def add_configuration(parser: argparse.ArgumentParser) -> None:
    """Add the options of Snakemake that lay settings over the default configuration."""
    add = parser.add_argument
    add("--config", type=key_and_value, nargs="+", default=[], help="as Snakemake's")
    add("--configfile", nargs="+", type=IN, default=[], help="as Snakemake's")


def count(text: str) -> int:
    """Parse a whole number, 0 or more."""
    return _at_least(0, text)


def positive(text: str) -> int:
    """Parse a whole number, 1 or more."""
    return _at_least(1, text)


def key_and_value(text: str) -> tuple[str, Any]:
    """Parse KEY=VALUE, the value as in YAML."""
    key, equals, value = text.partition("=")
    if not equals:
        raise argparse.ArgumentTypeError(f"{text!r} is not KEY=VALUE")
    try:
        return key, parse_yaml(value)
    except InputError as error:
        raise argparse.ArgumentTypeError(f"{text!r}: {error.what}") from error


def zero_or_more(text: str) -> float:
    """Parse a finite number, 0 or more."""
    number = number_of(text)
    if number < 0:
        raise argparse.ArgumentTypeError(f"{text} is less than 0")
    return number


def above_zero(text: str) -> float:
    """Parse a finite number above 0."""
    number = number_of(text)
    if number <= 0:
        raise argparse.ArgumentTypeError(f"{text} is not above 0")
    return number


def number_of(text: str) -> float:
    """Parse a finite number."""
    try:
        number = float(text)
    except ValueError:
        number = math.nan
    if not math.isfinite(number):
        raise argparse.ArgumentTypeError(f"{text!r} is not a number")
    return number


def label(text: str) -> str:
    """Parse the label of a feature, as Moses reads it."""
    if not LABEL.fullmatch(text):
        raise argparse.ArgumentTypeError(f"{text!r} is not a label: letters and digits, as in NLM0")
    return text


def read_texts(paths: Sequence[Path]) -> list[list[str]]:
    """The lines of parallel texts: line i of each belongs to the same sentence.

    Raises:
        InputError: no such file, or its number of lines is not the first one's; names it.
    """
    texts = [list(read_lines(path)) for path in paths]
    for path, lines in zip(paths, texts, strict=True):
        if len(lines) != len(texts[0]):
            raise InputError(
                f"{len(lines)} lines, but {paths[0]} has {len(texts[0])}",
                path=path,
                hint="line i of each must belong to the same sentence",
            )
    return texts


def weights_from(path: Path) -> dict[str, list[float]]:
    """Weights of a weights.json or a moses.ini, in the order of its features.

    The format is recognised by its first character, `{` for JSON.
    """
    first = next((line.strip() for line in read_lines(path) if line.strip()), "")
    if first.startswith("{"):
        return read_weights(path)
    hint = "a weights.json or a moses.ini"
    if not first.startswith(("[", "#")):
        raise InputError("no weights", path=path, hint=hint)
    weights = read_ini(path).ordered_weights()
    if not weights:
        raise InputError("no features with weights", path=path, hint=hint)
    return weights


def weights_for(labels: Iterable[str], path: Path, used_by: Path) -> dict[str, list[float]]:
    """The weights of a file for the features of a list or lattices; logs its other weights.

    Raises:
        InputError: as in `weights_from`.
    """
    weights, known = weights_from(path), set(labels)
    name_unused(weights, known, path, used_by)
    return {label: values for label, values in weights.items() if label in known}


def name_unused(weights: Iterable[str], labels: set[str], path: Path, used_by: Path) -> None:
    """Log the weights of a file for which a list or lattices have no features."""
    other = [label for label in weights if label not in labels and not is_fixed(label)]
    if other and labels:
        logger.warning("%s: %s not used: %s lacks them", path, " ".join(other), used_by)


def fitting_weights(path: Path, ini: Path) -> dict[str, list[float]]:
    """The weights of a file, which must be for features of a moses.ini.

    Raises:
        InputError: a feature that the moses.ini lacks, or a wrong number of weights.
    """
    weights = weights_from(path)
    with in_file(path):
        read_ini(ini).with_weights(weights)
    return weights


def warn_of_unknown_words(unknown: int, words: int, hint: str) -> None:
    """Log a warning, with what to do, if most words of an input have no translation."""
    if unknown > 0.5 * words:  # the input is another one than the model's
        what = "%d of the %d words of the input have no translation: %s"
        logger.warning(what, unknown, words, hint)


def _at_least(least: int, text: str) -> int:
    if not re.fullmatch("[+-]?[0-9]{1,18}", text):
        raise argparse.ArgumentTypeError(f"{text!r} is not a whole number")
    number = int(text)
    if number < least:
        raise argparse.ArgumentTypeError(f"{number} is less than {least}")
    return number
