"""The lines of text files: plain, compressed, or in archives."""

import io
import re
from collections.abc import Iterable, Iterator
from functools import partial
from typing import IO

from nlmt.corpora.archives import open_file
from nlmt.corpora.text_files import TextFile
from nlmt.errors import InputError
from nlmt.io.files import decoded_lines, in_parallel, not_text
from nlmt.io.other_formats import only_sentences

_LONGEST = 1 << 24  # bytes of a line: more is no sentence, and would fill the memory
_MOST = 1 << 26  # characters of a text that is read as a whole: a test set is far shorter
_SPACE = re.compile(r"[ \t\r\n\f]+")  # a no-break space is text


def lines_of(file: TextFile) -> Iterator[str]:
    """The lines of a text file, or of its column, as `decoded_lines`.

    Raises:
        InputError: no such file, damaged, not UTF-8, or not text.
    """
    with open_file(file) as stream:
        lines = decoded_lines(_short_lines(stream, file), str(file))
        for number, line in enumerate(lines, start=1):
            yield line if file.column is None else _column(file, line, number)


def _short_lines(stream: IO[bytes], file: TextFile) -> Iterator[bytes]:
    """The lines of a file, of which none is too long for a sentence."""
    lines = iter(partial(stream.readline, _LONGEST), b"")
    for number, line in enumerate(lines, start=1):
        if len(line) == _LONGEST:
            raise not_text(f"a line of more than {_LONGEST} bytes", str(file), number)
        yield line


def _column(file: TextFile, line: str, number: int) -> str:
    """The text in the file's column of a line."""
    columns = line.split("\t")
    assert file.column is not None
    if file.column >= len(columns):
        raise InputError(
            f"no column {file.column + 1}: the line has {len(columns)}, separated by tabs",
            path=str(file),
            line=number,
        )
    return columns[file.column]


def whole_text(file: TextFile) -> str:
    """A text file of moderate size, without a byte-order mark, lines ending in newlines.

    Raises:
        InputError: as in `lines_of`, or it is too long.
    """
    text = io.StringIO()
    for line in lines_of(file):
        text.write(f"{line}\n")
        if text.tell() > _MOST:
            what = f"more than {_MOST} characters, too many for a file that is read as a whole"
            hint = "give long text in files of the format plain"
            raise InputError(what, path=str(file), hint=hint)
    return text.getvalue()


def sentences_of(file: TextFile) -> Iterator[str]:
    """The lines of a text file, or of its column, each of which is a sentence.

    Raises:
        InputError: as in `lines_of`, or as in `only_sentences`.
    """
    return only_sentences(lines_of(file), str(file))


def parallel_lines(*files: TextFile) -> Iterator[tuple[str, ...]]:
    """Yield corresponding sentences of all files.

    Raises:
        InputError: as in `sentences_of`, or one file ends before another.
    """
    return in_parallel([(str(file), sentences_of(file)) for file in files])


def one_line(pieces: Iterable[str]) -> str:
    """The pieces of a text of markup on one line."""
    return _SPACE.sub(" ", "".join(pieces)).strip()
