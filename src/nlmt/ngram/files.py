"""KenLM's files: recognising them, and reading the words that they list.

KenLM's Python package has no list of a model's words, so it is read from the file: from the
unigrams of an ARPA file, and from the end of a binary file, where `build_binary` writes the words
in the order of their ids, each followed by a zero byte.
"""

import gzip
import io
import lzma
import re
import struct
import zlib
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import dropwhile, takewhile
from pathlib import Path

from nlmt.errors import InputError
from nlmt.io.fields import split_fields
from nlmt.io.files import BZIP2, GZIP, XZ
from nlmt.io.streams import DECOMPRESSORS
from nlmt.vocabulary import SPECIAL, Vocabulary

BINARY = b"mmap lm http://kheafield.com/code"
ARPA = b"\\data\\"
COMMENT = b"#"  # KenLM allows such lines before the counts
HEAD = 4096  # bytes of a file in which to look for the first line with text

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
_NO_WORDS = (*SPECIAL, "<UNK>")  # KenLM takes the last for <unk>
# As n-grams are distinct, no compressed file has more of them per byte than this.
_MOST_OF_A_BYTE = 64
_LINE = 1 << 16  # bytes: a longer line is read in parts, as a few bytes may expand to any length

# KenLM's messages say where its own code failed before they describe the file's fault.
_PLACE = re.compile(r"^.*? threw \w+(?: because `.*?')?\.\s*", re.DOTALL)
_BYTE = re.compile(r" Byte: \d+\)?$|\)$")


def reason(error: Exception) -> str:
    """KenLM's description of a file's fault, in one line."""
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
            return True  # KenLM then reports its fault
    if head.startswith((BINARY, BZIP2, XZ)):
        return True
    lines = dropwhile(lambda line: not line.strip() or line.startswith(COMMENT), head.split(b"\n"))
    return next(lines, b"").startswith(ARPA)


@dataclass(frozen=True)
class KenlmFacts:
    """The header of a KenLM file.

    `form` is ARPA, or the data structure of a binary file; `counts` are of n-grams of each order.
    """

    form: str
    counts: tuple[int, ...]


def read_facts(path: Path) -> KenlmFacts:
    """The header of a KenLM file.

    Raises:
        InputError: another kind of file, or a damaged one.
    """
    with path.open("rb") as file:
        head = file.read(_PARAMETERS + _HEADER.size + 8 * LONGEST)
    if head.startswith(BINARY):
        try:
            order, _, kind, *_ = _HEADER.unpack_from(head, _PARAMETERS)
            counts = struct.unpack_from(f"<{order}Q", head, _PARAMETERS + _HEADER.size - 8)
            return KenlmFacts(f"KenLM binary, {_STRUCTURES[kind]}", counts)
        except (struct.error, KeyError) as error:
            raise InputError("damaged or truncated", path=path, hint="make it again") from error
    return KenlmFacts("ARPA", _counts_of_arpa(path))


def check_counts(path: Path) -> None:
    """Refuse an ARPA file whose counts do not fit in its size.

    KenLM would allocate memory for them, or overflow 64 bits and crash.

    Raises:
        InputError: names the line.
    """
    with path.open("rb") as file:
        head = file.read(HEAD)
    if head.startswith(tuple(DECOMPRESSORS)) or head.lstrip().startswith((ARPA, COMMENT)):
        _counts_of_arpa(path)


def _counts_of_arpa(path: Path) -> tuple[int, ...]:
    """The counts of n-grams in an ARPA file's header."""
    most = _MOST_OF_A_BYTE * path.stat().st_size
    counts = []
    for number, line in enumerate(read_arpa(path), start=1):
        if found := _COUNT.match(line):
            count = float(found[1])  # of which `int` would refuse thousands of digits
            if not 0 <= count <= most:
                raise InputError("no number of n-grams", path=path, line=number)
            counts.append(int(count))
        elif line.strip() and not line.startswith((COMMENT.decode(), ARPA.decode())):
            break  # the first n-grams
    return tuple(counts)


def read_arpa(path: Path) -> Iterator[str]:
    """The lines of an ARPA file, plain or compressed, in any encoding that extends ASCII."""
    try:
        with path.open("rb") as file:
            head = file.peek(len(XZ))
            found = [kind for mark, kind in DECOMPRESSORS.items() if head.startswith(mark)]
            stream = io.BufferedReader(found[0](file), _LINE) if found else file
            while line := stream.readline(_LINE):
                yield line.decode(errors="surrogateescape")
    except (OSError, EOFError, zlib.error, lzma.LZMAError) as error:
        raise InputError("damaged or truncated compressed file", path=path) from error


def read_vocabulary(path: Path) -> Vocabulary | None:
    """The words of a KenLM file; None for a binary one without words."""
    with path.open("rb") as file:
        head = file.read(_PARAMETERS + _HEADER.size)
    words = _binary_words(path, head) if head.startswith(BINARY) else _arpa_words(path)
    if words is None:
        return None
    known = dict.fromkeys(w for w in words if w not in _NO_WORDS)
    return Vocabulary((*SPECIAL, *known))


def _binary_words(path: Path, head: bytes) -> list[str] | None:
    damaged = InputError("damaged or truncated", path=path, hint="make it again")
    try:
        *_, has_words, _, count = _HEADER.unpack_from(head, _PARAMETERS)
    except struct.error as error:
        raise damaged from error
    if not has_words:
        return None
    size = path.stat().st_size
    length = 16 * count + 16
    with path.open("rb") as file:
        while True:
            length = min(length, size)
            file.seek(size - length)
            words = file.read(length).split(b"\0")  # nothing follows the last zero byte
            if len(words) > count + 2 or length == size:
                break
            length *= 2
    # The first one is always <unk>; any bytes may precede it. The count is that of an ARPA file,
    # which may lack <unk>, or have <UNK> beside it.
    for written in (count, count + 1, count - 1):
        if any(word.endswith(b"<unk>") for word in words[-written - 1 : -written]):
            return [word.decode(errors="surrogateescape") for word in words[-written:-1]]
    raise damaged


def _arpa_words(path: Path) -> list[str]:
    numbered = enumerate(read_arpa(path), start=1)
    lines = dropwhile(lambda row: row[1].strip() != "\\1-grams:", numbered)
    next(lines, None)
    words: list[str] = []
    for number, line in takewhile(lambda row: not row[1].startswith("\\"), lines):
        fields = split_fields(line.rstrip("\r\n"))
        if len(fields) == 1:
            raise InputError(f"not a unigram: {fields[0]!r}", path=path, line=number)
        words += fields[1:2]
    return words
