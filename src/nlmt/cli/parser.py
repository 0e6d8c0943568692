"""The parser of all commands: arguments in any order, and checks of files before reading."""

import argparse
import importlib
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from typing import Any, TypeAlias

from typing_extensions import override

from nlmt.cli.arguments import metavar_of
from nlmt.cli.commands import COMMANDS
from nlmt.cli.files import HELP, FileKind, FilesOf, check_files, standard_streams
from nlmt.errors import InputError, UsageError


class Parser(argparse.ArgumentParser):
    """A parser that keeps the layout of descriptions and knows which arguments name files."""

    def __init__(self, *args: Any, **settings: Any) -> None:
        """Create a parser, as `argparse.ArgumentParser`."""
        settings.setdefault("formatter_class", argparse.RawDescriptionHelpFormatter)
        super().__init__(*args, **settings)
        self._files: list[FilesOf] = []
        self._mixed = False

    @override
    def add_argument(self, *names: str, **settings: Any) -> argparse.Action:
        """Add an argument, whose values are named by their type in help texts."""
        metavar = metavar_of(settings.get("type"))
        return super().add_argument(*names, **({"metavar": metavar} if metavar else {}) | settings)

    def file_arguments(self) -> list[FilesOf]:
        """The arguments that name files."""
        named = [FilesOf(a, a.type) for a in self._actions if isinstance(a.type, FileKind)]
        return [*named, *self._files]

    def name_files(
        self, action: argparse.Action, kind: FileKind, first: int, last: int | None = None
    ) -> None:
        """Declare that some values of an action are files."""
        self._files.append(FilesOf(action, kind, first, last))

    @override
    def parse_known_args(  # type: ignore[override]
        self, args: Sequence[str] | None = None, namespace: argparse.Namespace | None = None
    ) -> tuple[argparse.Namespace, list[str]]:
        """Parse arguments, of which positional ones, even optional ones, may follow options."""
        if self._mixed or self._subparsers is not None:
            found, rest = super().parse_known_args(args, namespace)
        else:
            self._mixed = True
            try:
                found, rest = self.parse_known_intermixed_args(args, namespace)
            finally:
                self._mixed = False
        if not self._mixed:
            found.files = [*getattr(found, "files", ()), *self.file_arguments()]
            found.parser = getattr(found, "parser", self)
        return found, rest

    @override
    def format_help(self) -> str:
        """The help text, with an explanation of `-` if there are files."""
        text = super().format_help()
        files = any(some.kind.file for some in self.file_arguments())
        return f"{text}\n{HELP}\n" if files else text


Commands: TypeAlias = "argparse._SubParsersAction[Parser]"
Options: TypeAlias = argparse.Namespace  # of a command line, with their `parser`


@contextmanager
def parsed(
    parser: Parser,
    arguments: Sequence[str],
    check: Callable[[Options], object] | None = None,
) -> Iterator[Options]:
    """Yield the options of the command line, after checking all of them.

    `check` refuses wrong values and contradictory options: it raises, or ends the program by
    `options.parser.error`, whose parser is that of the subcommand.

    Raises:
        UsageError: an error of `check` that names no file.
        InputError: a file that cannot be read or written.
    """
    options = parser.parse_args(arguments)
    files: list[FilesOf] = options.files
    if check is not None:
        try:
            check(options)
        except InputError as error:
            if error.path is None:
                raise UsageError(error.what, hint=error.hint) from error
            raise
    check_files(files, options)
    with standard_streams(files, options):
        yield options


def all_parsers() -> Iterator[tuple[str, dict[str, argparse.ArgumentParser]]]:
    """Each command with its parsers, by the option that chooses them (`tune --decode`), or ""."""
    for name, (module, _) in COMMANDS.items():
        found = importlib.import_module(module)
        modules = {"": found, **getattr(found, "BY_OPTION", {})}
        yield name, {option: one.parser() for option, one in modules.items()}


def commands_below(parser: argparse.ArgumentParser) -> dict[str, argparse.ArgumentParser]:
    """The subcommands of a command, such as `train` and `score` of `nlmt lm`."""
    for action in parser._actions:
        if isinstance(action, argparse._SubParsersAction):
            return dict(action.choices)
    return {}


def shown_options(action: argparse.Action) -> list[str]:
    """Each option once; those that take one dash or two, like Moses' flags, with one."""
    options = action.option_strings
    return [name for name in options if not (name.startswith("--") and name[1:] in options)]
