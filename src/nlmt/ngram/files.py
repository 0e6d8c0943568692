"""KenLM's files: recognising them, and the words that they list.

KenLM's Python package has no list of a model's words, so it is read from the file: from the
unigrams of an ARPA file, and from the end of a binary file, where `build_binary` writes the words
in the order of their ids, each followed by a zero byte.
"""

import gzip
import struct
import zlib
from itertools import dropwhile, takewhile
from pathlib import Path

from nlmt.io.files import read_lines
from nlmt.vocabulary import SPECIAL, Vocabulary

BINARY = b"mmap lm http://kheafield.com/code"
GZIP, BZIP2, XZ = b"\x1f\x8b", b"BZh", b"\xfd7zXZ\x00"
ARPA = b"\\data\\"
HEAD = 4096  # bytes of a file in which the first line with text is looked for

# lm/binary_format.hh of KenLM, format version 5: 88 bytes that identify the format, then order (1
# byte, 3 of padding), a float, the type of the model, whether the words are in the file, the
# version of the search, and the number of n-grams of each order, that of unigrams first.
_PARAMETERS = 88
_HEADER = struct.Struct("<B3xfi?3xIQ")


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
    *_, has_words, _, count = _HEADER.unpack_from(head, _PARAMETERS)
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
    lines = dropwhile(lambda line: line.strip() != "\\1-grams:", read_lines(path))
    next(lines, None)
    entries = takewhile(lambda line: not line.startswith("\\"), lines)
    return [line.split()[1] for line in entries if line.strip()]
