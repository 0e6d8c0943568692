"""The lines of text files: plain, compressed, or in archives."""

from collections.abc import Iterator

from nlmt.corpora.archives import open_file
from nlmt.corpora.text_files import TextFile
from nlmt.errors import InputError
from nlmt.io.files import HEAD, MARK, in_parallel, not_text, not_utf8

_LONGEST = 1 << 24  # bytes of a line: more is no sentence, and would fill the memory


def lines_of(file: TextFile) -> Iterator[str]:
    """The lines of a text file, without their ends.

    Only a newline ends a line, with or without a carriage return before it; the other separators
    that Unicode knows stay inside. A byte-order mark at the start goes.

    Raises:
        InputError: no such file, damaged, not UTF-8, or not text.
    """
    number, head = 0, b""
    with open_file(file) as stream:
        while raw := stream.readline(_LONGEST):
            number += 1
            if number == 1:
                head, raw = raw[:HEAD], raw.removeprefix(MARK)
            if len(raw) == _LONGEST or b"\0" in raw:
                what = "a NUL byte" if b"\0" in raw else f"a line of more than {_LONGEST} bytes"
                raise not_text(what, str(file), number)
            try:
                line = raw.rstrip(b"\n").removesuffix(b"\r").decode("utf-8")
            except UnicodeDecodeError as error:
                raise not_utf8(error, head, str(file), number) from error
            yield line if file.column is None else _column(file, line, number)


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
        InputError: as in `lines_of`.
    """
    return "".join(f"{line}\n" for line in lines_of(file))


def parallel_lines(*files: TextFile) -> Iterator[tuple[str, ...]]:
    """Yield corresponding lines of all files.

    Raises:
        InputError: as in `lines_of`, or one file ends before another.
    """
    return in_parallel([(str(file), lines_of(file)) for file in files])
