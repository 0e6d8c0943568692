"""Files named on the command line: their checks, and `-`.

An argument that names files has one of the kinds below as its `type`. All files are checked before
a command reads anything; then `-`, pipes and process substitutions are copied to temporary files,
so that every command can read them repeatedly.
"""

import argparse
import os
import shutil
import sys
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager, nullcontext, redirect_stdout
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any

from nlmt.errors import InputError, UsageError
from nlmt.io.files import check_link, decoded_lines, read_lines
from nlmt.io.other_formats import check_text
from nlmt.io.temporary import temporary_folder
from nlmt.registry import closest
from nlmt.steps import hidden_steps

STANDARD = Path("-")
HELP = "- as a FILE is standard input or output; pipes are read like files"


@dataclass(frozen=True)
class FileKind:
    """The kind of file that an argument names; `type=` of argparse.

    Attributes:
        written: whether it is an output.
        file: whether it may be a file.
        folder: whether it may be a folder.
        streamed: read or written once, from its beginning: `-` and pipes stay as they are.
        sentences: a sentence a line; known other formats are refused, but in what is read as it
            comes.
    """

    written: bool = False
    file: bool = True
    folder: bool = False
    streamed: bool = False
    sentences: bool = False

    @property
    def metavar(self) -> str | None:
        """The name of its values in help texts; None where it is not clear from the kind."""
        return None if self.file and self.folder else "FILE" if self.file else "DIR"

    def __call__(self, text: str) -> Path:
        """The path of an argument."""
        if not text:
            raise argparse.ArgumentTypeError("an empty name")
        return Path(text)

    def check(self, path: Path) -> None:
        """Refuse a path that cannot be read or written.

        Raises:
            InputError: says what the path is, and what it should be.
        """
        if path == STANDARD:
            if not self.file:
                raise InputError("- is not a folder", hint="give the name of a folder")
            return
        try:
            (_check_written if self.written else _check_read)(path, self)
            if self.sentences and path.is_file():
                check_text(path)
        except OSError as error:  # a name that is too long
            raise InputError(str(error.strerror), path=path) from error


IN = FileKind()
TEXT = FileKind(sentences=True)
TEXT_STREAM = FileKind(sentences=True, streamed=True)
IN_FOLDER = FileKind(file=False, folder=True)
IN_EITHER = FileKind(folder=True)
OUT = FileKind(written=True)
OUT_STREAM = FileKind(written=True, streamed=True)
OUT_FOLDER = FileKind(written=True, file=False, folder=True)
OUT_EITHER = FileKind(written=True, folder=True)


@dataclass(frozen=True)
class FilesOf:
    """The values of an action that name files: all of them, or a range of positions.

    Attributes:
        action: of the parser.
        kind: of these files.
        first: position of the first file among the values of one occurrence.
        last: position of the last one; None for the last value.
    """

    action: argparse.Action
    kind: FileKind
    first: int = 0
    last: int | None = None

    def replace(self, options: argparse.Namespace, make: Callable[[Path], Path]) -> None:
        """Replace each file by the result of `make`."""
        name = self.action.dest
        setattr(options, name, self._made(getattr(options, name, None), make))

    def _made(self, value: Any, make: Callable[[Path], Path]) -> Any:
        if value is None:
            return None
        if not isinstance(value, list | tuple):
            return make(Path(value))
        if any(isinstance(part, list | tuple) for part in value):  # a repeated option
            return [self._made(part, make) for part in value]
        last = len(value) if self.last is None else self.last
        return [
            make(Path(part)) if self.first <= place <= last else part
            for place, part in enumerate(value)
        ]


def check_files(files: list[FilesOf], options: argparse.Namespace) -> None:
    """Refuse files that cannot be read or written, or that conflict.

    Raises:
        InputError: a line for each file that cannot be read or written, or the first conflict.
    """
    read: list[Path] = []
    written: list[Path] = []
    faults: list[str] = []

    def look(path: Path, kind: FileKind) -> Path:
        try:
            kind.check(path)
        except InputError as error:
            faults.append(str(error))
        (written if kind.written else read).append(path)
        return path

    for some in files:
        some.replace(options, partial(look, kind=some.kind))
    if faults:
        raise InputError("\n".join(dict.fromkeys(faults)))
    if read.count(STANDARD) > 1:
        raise UsageError("standard input (-) can be read only once", hint="name the other files")
    places: set[Path] = set()
    sources = {path.resolve() for path in read if path != STANDARD and path.is_file()}
    for path in written:
        if path != STANDARD and path.exists() and not path.is_file():
            continue  # a folder, which may contain inputs, too; /dev/null, a pipe
        place = STANDARD if path == STANDARD else path.resolve()
        if place in sources:
            raise InputError("input and output are the same file", path=path)
        if place in places:
            raise InputError("two outputs are the same file", path=path)
        places.add(place)


@contextmanager
def standard_streams(files: list[FilesOf], options: argparse.Namespace) -> Iterator[None]:
    """Replace `-` and pipes by temporary files.

    Output to `-` is printed once it is complete; everything else printed meanwhile goes to standard
    error.

    Raises:
        InputError: from within, with the user's name instead of a temporary file's.
    """
    names: dict[str, str] = {}
    printed: list[Path] = []
    with ExitStack() as stack:
        folder: list[Path] = []

        def hold(path: Path, kind: FileKind) -> Path:
            """A temporary file in place of `-` or a pipe."""
            standard = path == STANDARD
            if kind.streamed or not (standard or (not kind.written and _is_stream(path))):
                return path
            if not folder:
                folder.append(stack.enter_context(temporary_folder()))
            held = folder[0] / str(len(names))
            if kind.written:
                printed.append(held)
                names[str(held)] = "standard output"
            else:
                held = _copied(path, held)
                names[str(held)] = "standard input" if standard else str(path)
                if kind.sentences:
                    check_text(held)
            return held

        try:
            for some in files:
                some.replace(options, partial(hold, kind=some.kind))
            if not printed:
                yield
                return
            with redirect_stdout(sys.stderr):
                yield
        except InputError as error:
            raise _renamed(error, names) from error
        sys.stdout.flush()
        with printed[0].open("rb") as file:
            shutil.copyfileobj(file, sys.stdout.buffer)
        sys.stdout.buffer.flush()


def input_lines(path: Path) -> Iterator[str]:
    """The lines of a file, plain or gzip, or of standard input as they come.

    Raises:
        InputError: as `read_lines`.
    """
    if path != STANDARD:
        yield from read_lines(path)
        return
    typed = sys.stdin.isatty()
    if typed:
        print("type a sentence a line; Ctrl-D at the beginning of a line ends", file=sys.stderr)
    with hidden_steps() if typed else nullcontext():
        yield from decoded_lines(sys.stdin.buffer, "standard input")


def _check_read(path: Path, kind: FileKind) -> None:
    check_link(path)
    if not path.exists():
        what = "file or folder" if kind.file and kind.folder else "file" if kind.file else "folder"
        raise InputError(f"no such {what}", path=path, hint=_advice(path, kind))
    if path.is_dir() and not kind.folder:
        raise InputError("a folder, not a file", path=path)
    if not path.is_dir() and not kind.file:
        raise InputError("a file, not a folder", path=path)
    if not os.access(path, os.R_OK):
        raise InputError("no permission to read it", path=path)


def _advice(path: Path, kind: FileKind) -> str:
    """Advice on a file that is not there: what belongs in its place, or the nearest name."""
    if kind.streamed and " " in path.name:
        return "the name of a file is expected; text itself goes to standard input"
    while not path.parent.exists():
        path = path.parent
    listed = path.parent.is_dir() and os.access(path.parent, os.R_OK)
    names = [one.name for one in path.parent.iterdir()] if listed else []
    near = closest(path.name, names)
    return f"did you mean {path.with_name(near)}?" if near else ""


def _check_written(path: Path, kind: FileKind) -> None:
    if path.is_dir() and not kind.folder:
        raise InputError("a folder, not a file to write", path=path, hint="give another name")
    if path.exists() and not path.is_dir() and not kind.file:
        raise InputError("not a folder, but a file", path=path, hint="give another name")
    if path.exists() and not path.is_file() and not os.access(path, os.W_OK):
        raise InputError("no permission to write there", path=path)
    above = path.absolute().parent
    while not above.exists():
        above = above.parent
    if not above.is_dir():
        raise InputError(f"cannot be written: {above} is not a folder", path=path)
    if (path.is_file() or not path.exists()) and not os.access(above, os.W_OK | os.X_OK):
        raise InputError(f"no permission to write into {above}", path=path)


def _is_stream(path: Path) -> bool:
    return path.is_fifo() or path.is_char_device() or path.is_socket()


def _copied(path: Path, place: Path) -> Path:
    """A file with the content of standard input or a pipe, named `.gz` if it is gzip."""
    with ExitStack() as stack:
        standard = path == STANDARD
        if standard and sys.stdin.isatty():
            stack.enter_context(hidden_steps())
        source = sys.stdin.buffer if standard else stack.enter_context(path.open("rb"))
        first = source.read(2)
        held = place.with_suffix(".gz") if first == b"\x1f\x8b" else place
        with held.open("wb") as file:
            file.write(first)
            shutil.copyfileobj(source, file)
    return held


def _renamed(error: InputError, names: dict[str, str]) -> InputError:
    def named(text: str) -> str:
        for held, name in names.items():
            text = text.replace(held, name)
        return text

    path = None if error.path is None else named(str(error.path))
    kind = UsageError if isinstance(error, UsageError) else InputError
    return kind(named(error.what), path=path, line=error.line, hint=named(error.hint))
