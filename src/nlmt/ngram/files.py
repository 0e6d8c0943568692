"""KenLM's files: recognising them, and the words that they list.

KenLM's Python package has no list of a model's words, so it is read from the file: from the
unigrams of an ARPA file, and from the end of a binary file, where `build_binary` writes the words
in the order of their ids, each followed by a zero byte.
"""

import gzip
import re
import struct
import zlib
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import dropwhile, takewhile
from pathlib import Path

from nlmt.errors import InputError
from nlmt.io.files import BZIP2, GZIP, XZ, read_lines
from nlmt.vocabulary import SPECIAL, Vocabulary

BINARY = b"mmap lm http://kheafield.com/code"
ARPA = b"\\data\\"
COMMENT = b"#"  # KenLM lets lines of them stand before the counts
HEAD = 4096  # bytes of a file in which the first line with text is looked for

# lm/binary_format.hh of KenLM, format version 5: 88 bytes that identify the format, then order (1
# byte, 3 of padding), a float, the type of the model, whether the words are in the file, the
# version of the search, and the number of n-grams of each order, that of unigrams first.
_PARAMETERS = 88
_HEADER = struct.Struct("<B3xfi?3xIQ")
_STRUCTURES = {
    0: "probing",
    1: "probing with rest costs",
    2: "trie",
    3: "trie, quantised",
    4: "trie, compressed pointers",
    5: "trie, quantised, compressed pointers",
}  # lm/model_type.hh
LONGEST = 255  # n-grams, by the size of the order
_COUNT = re.compile(r"ngram\s+\d+\s*=\s*([-+]?\d+)")
_MOST_OF_A_BYTE = 1032  # that deflate makes


# KenLM says where its own code failed before it says what is wrong with the file.
_PLACE = re.compile(r"^.*? threw \w+(?: because `.*?')?\.\s*", re.DOTALL)
_BYTE = re.compile(r" Byte: \d+\)?$|\)$")


def reason(error: Exception) -> str:
    """What KenLM found wrong with a file, in one line."""
    text = str(error)
    if isinstance(error, UnicodeDecodeError):  # it quotes bytes of the file
        text = error.object.decode(errors="replace")
    return " ".join(_BYTE.sub("", _PLACE.sub("", text)).split()) or "KenLM cannot read it"


def is_kenlm(path: Path) -> bool:
    """Whether a file begins as KenLM's do: binary, ARPA, or compressed ARPA."""
    with path.open("rb") as file:
        head = file.read(HEAD)
    if head.startswith(GZIP):
        try:
            with gzip.open(path) as file:
                head = file.read(HEAD)
        except (OSError, EOFError, zlib.error):
            return True  # KenLM says what is wrong with it
    if head.startswith((BINARY, BZIP2, XZ)):
        return True
    return head.lstrip().startswith(ARPA)


@dataclass(frozen=True)
class KenlmFacts:
    """What the head of a KenLM file says.

    Attributes:
        form: ARPA, or the data structure of a binary file.
        counts: of n-grams of each order, that of unigrams first.
        has_words: whether the file lists its words.
    """

    form: str
    counts: tuple[int, ...]
    has_words: bool


def read_facts(path: Path) -> KenlmFacts:
    """The head of a KenLM file.

    Raises:
        InputError: a file that begins otherwise, or an ARPA file under bzip2 or xz.
    """
    with path.open("rb") as file:
        head = file.read(_PARAMETERS + _HEADER.size + 8 * LONGEST)
    if head.startswith(BINARY):
        try:
            order, _, kind, has_words, _, _ = _HEADER.unpack_from(head, _PARAMETERS)
            counts = struct.unpack_from(f"<{order}Q", head, _PARAMETERS + _HEADER.size - 8)
            return KenlmFacts(f"KenLM binary, {_STRUCTURES[kind]}", counts, has_words)
        except (struct.error, KeyError) as error:
            raise InputError("damaged or truncated", path=path, hint="make it again") from error
    return KenlmFacts("ARPA", _counts_of_arpa(path), True)


def check_counts(path: Path) -> None:
    """Refuse counts of an ARPA file that is plain or gzip, of more n-grams than it has bytes.

    KenLM takes memory for them, or multiplies them beyond 64 bits and crashes.

    Raises:
        InputError: names the line.
    """
    with path.open("rb") as file:
        head = file.read(HEAD)
    if head.startswith(GZIP) or head.lstrip().startswith((ARPA, COMMENT)):
        _counts_of_arpa(path)


def _counts_of_arpa(path: Path) -> tuple[int, ...]:
    """The numbers of n-grams that an ARPA file states, after comments and before its n-grams."""
    most = _MOST_OF_A_BYTE * path.stat().st_size
    counts = []
    lines = takewhile(lambda line: not line.startswith("\\1-grams:"), read_arpa(path))
    for number, line in enumerate(lines, start=1):
        if found := _COUNT.match(line):
            if not 0 <= float(found[1]) <= most:  # of any length
                raise InputError("no number of n-grams", path=path, line=number)
            counts.append(int(found[1]))
    return tuple(counts)


def read_arpa(path: Path) -> Iterator[str]:
    """The lines of an ARPA file, plain or gzip; what is not ASCII may be of any encoding."""
    with path.open("rb") as file:
        head = file.read(len(XZ))
    if head.startswith((BZIP2, XZ)):
        raise InputError("bzip2 or xz, which only KenLM reads", path=path, hint="use gzip")
    try:
        with gzip.open(path, "rb") if head.startswith(GZIP) else path.open("rb") as stream:
            for line in stream:
                yield line.decode(errors="surrogateescape")
    except (OSError, EOFError, zlib.error) as error:
        raise InputError("damaged or truncated gzip file", path=path) from error


def read_vocabulary(path: Path) -> Vocabulary | None:
    """The words of a KenLM file; None for a binary one without words, and under bzip2 or xz.

    Raises:
        InputError: an ARPA file that is not UTF-8.
    """
    with path.open("rb") as file:
        head = file.read(_PARAMETERS + _HEADER.size)
    if head.startswith((BZIP2, XZ)):
        return None
    words = _binary_words(path, head) if head.startswith(BINARY) else _arpa_words(path)
    if words is None:
        return None
    return Vocabulary((*SPECIAL, *dict.fromkeys(w for w in words if w not in SPECIAL)))


def _binary_words(path: Path, head: bytes) -> list[str] | None:
    try:
        *_, has_words, _, count = _HEADER.unpack_from(head, _PARAMETERS)
    except struct.error as error:
        raise InputError("damaged or truncated", path=path, hint="make it again") from error
    if not has_words:
        return None
    size = path.stat().st_size
    length = 16 * count
    with path.open("rb") as file:
        while True:
            length = min(length, size)
            file.seek(size - length)
            words = file.read(length).split(b"\0")  # nothing follows the last zero byte
            if len(words) > count or length == size:
                # The first one is always <unk>; what is before it may be any bytes.
                return [w.decode(errors="surrogateescape") for w in words[-count:-1]]
            length *= 2


def _arpa_words(path: Path) -> list[str]:
    numbered = enumerate(read_lines(path), start=1)
    lines = dropwhile(lambda row: row[1].strip() != "\\1-grams:", numbered)
    next(lines, None)
    words: list[str] = []
    for number, line in takewhile(lambda row: not row[1].startswith("\\"), lines):
        fields = line.split()
        if len(fields) == 1:
            raise InputError(f"no unigram: {line!r}", path=path, line=number)
        words += fields[1:2]
    return words
