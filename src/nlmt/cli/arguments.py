"""Kinds of arguments on the command line: numbers, for argparse's `type`, and weights."""

import argparse
from collections.abc import Sequence
from pathlib import Path
from typing import Any, Protocol

from nlmt.errors import InputError
from nlmt.io.files import read_lines
from nlmt.io.moses_ini import read_ini
from nlmt.io.weights import read_weights


class Commands(Protocol):
    """The commands below one, as `add_subparsers` of argparse returns them."""

    def add_parser(self, name: str, **settings: Any) -> argparse.ArgumentParser:
        """Add a command."""
        ...


def count(text: str) -> int:
    """A whole number, 0 or more."""
    return _at_least(0, text)


def positive(text: str) -> int:
    """A whole number, 1 or more."""
    return _at_least(1, text)


def read_texts(paths: Sequence[Path]) -> list[list[str]]:
    """The lines of texts that belong together: line i of each is of the same sentence.

    Raises:
        InputError: no such file, or one has another number of lines than the first; names it.
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

    Raises:
        InputError: no such file, or a malformed one.
    """
    if path.suffix != ".ini":
        return read_weights(path)
    ini = read_ini(path)
    return {f.label: list(ini.weights[f.label]) for f in ini.features if f.label in ini.weights}


def add_renamed(parser: argparse.ArgumentParser, old: str, new: str) -> None:
    """Make an option of earlier versions end the program with a message that names the new one."""

    class Renamed(argparse.Action):
        def __call__(
            self,
            parser: argparse.ArgumentParser,
            namespace: argparse.Namespace,
            values: object,
            option_string: str | None = None,
        ) -> None:
            parser.error(f"{old} is now called {new}")

    parser.add_argument(old, nargs="?", action=Renamed, help=argparse.SUPPRESS)


def _at_least(least: int, text: str) -> int:
    number = int(text)
    if number < least:
        raise argparse.ArgumentTypeError(f"{number} is less than {least}")
    return number
