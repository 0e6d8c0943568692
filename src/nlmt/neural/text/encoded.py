"""A text as a file of ids that training maps into memory: made once, read in bounded memory.

CSLM calls this step text2bin. A file has, in the machine's byte order:

- 24 bytes: `nlmt ids`; 4-byte numbers: byte order (0x01020304), version (1), bytes an id (2 or 4),
  `min_count` (0: given vocabulary)
- 32 bytes: 8-byte numbers: words, bytes of the words, sentences, events (words and sentence ends)
- 16 bytes: CRC-32 of the words, of the begins, of the ids, of all before
- the words, each with a newline, then zeros up to a multiple of 8
- 8 (sentences + 1) bytes: the event with which each sentence begins, and their number
- 2 or 4 bytes each: ids of the words, `</s>` (2) after each sentence

Opening a file checks its checksums, sizes, ids and sentence ends.
"""

import struct
import tempfile
import zlib
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from nlmt.errors import InputError
from nlmt.io.files import atomic_path, begins_with, check_file
from nlmt.neural import _text
from nlmt.neural.text.numbered import BEGIN_ID, END_ID, NumberedText, id_type
from nlmt.steps import Step, step
from nlmt.vocabulary import Vocabulary

# Different words that are counted in memory, some 60 bytes each; further ones are sorted on disk.
MOST_WORDS = 4_000_000
# Ids held in memory while a text is read.
BLOCK = 1 << 20


@dataclass(frozen=True)
class Size:
    """The length of a text: sentences, and words without `</s>`."""

    sentences: int
    words: int


def count_texts(
    paths: Sequence[Path | str], least: int = 1
) -> tuple[Counter[str], tuple[Size, ...]]:
    """The words that occur at least so often in texts of one sentence a line, and their sizes.

    Raises:
        InputError: no such file, broken UTF-8, or a damaged gzip stream.
    """
    counts = _text.WordCounts(tempfile.gettempdir(), MOST_WORDS)
    sizes = tuple(Size(*counts.read(str(check_file(path)))) for path in paths)
    return Counter(dict(counts.finish(least))), sizes


def read_blocks(path: Path | str, vocabulary: Vocabulary) -> Iterator[NDArray[np.int32]]:
    """The words of a text in blocks of whole sentences, `</s>` after each sentence."""
    reader = _text.TextReader(str(check_file(path)), list(vocabulary.words))
    while len(block := reader.read(BLOCK)):
        yield block


MAGIC, BYTE_ORDER, VERSION = b"nlmt ids", 0x01020304, 1
MAKE_AGAIN = "make it again: nlmt lm encode"
_FIELDS = struct.Struct("=8s4I4Q3I")
_CHECKSUM = struct.Struct("=I")
_HEADER = _FIELDS.size + _CHECKSUM.size
_ALIGNMENT = 8


@dataclass(frozen=True, eq=False)
class EncodedText:
    """A text in a file.

    Attributes:
        vocabulary: V words.
        min_count: the least number of occurrences of a word; 0 where the vocabulary was given.
        text: its arrays are parts of the mapped file.
    """

    vocabulary: Vocabulary
    min_count: int
    text: NumberedText


@dataclass(frozen=True)
class _Layout:
    """The positions of header, words, begins of sentences and ids in a file."""

    id_bytes: int
    vocabulary_bytes: int
    sentences: int
    events: int

    @property
    def begins(self) -> int:
        return -(-(_HEADER + self.vocabulary_bytes) // _ALIGNMENT) * _ALIGNMENT

    @property
    def stream(self) -> int:
        return self.begins + 8 * (self.sentences + 1)

    @property
    def size(self) -> int:
        return self.stream + self.id_bytes * self.events


def is_encoded(path: Path | str) -> bool:
    """Whether a file begins as an encoded text does."""
    return begins_with(Path(path), MAGIC)


def encode_texts(
    texts: Sequence[Path | str],
    outputs: Sequence[Path | str],
    *,
    min_count: int = 2,
    vocabulary: Vocabulary | None = None,
) -> tuple[Vocabulary, tuple[Size, ...]]:
    """Encode texts of one sentence a line, plain or gzip, with one vocabulary.

    Texts are read twice: words are counted, then numbered, by a given vocabulary, or with those
    that occur less often than `min_count` in all texts together as `<unk>`. A file is written whole
    or not at all.

    Raises:
        InputError: a text without a sentence, or one that cannot be read; an output that would
            overwrite a text or another output.
    """
    taken = {Path(text).resolve() for text in texts}
    for output in outputs:
        if Path(output).resolve() in taken:
            hint = "give each output a name of its own"
            raise InputError(
                "a text and an output, or two outputs, at once", path=output, hint=hint
            )
        taken.add(Path(output).resolve())
    with step("count words"):
        counts, sizes = count_texts(texts, min_count)
    for text, size in zip(texts, sizes, strict=True):
        if size.sentences == 0:
            raise InputError("no sentences", path=text, hint="give a text of one sentence a line")
    kept = Vocabulary.from_counts(counts) if vocabulary is None else vocabulary
    least = min_count if vocabulary is None else 0
    for text, output, size in zip(texts, outputs, sizes, strict=True):
        with step(f"encode {Path(text).name}", size.words + size.sentences, "words") as progress:
            _encode(text, Path(output), size, kept, least, progress)
    return kept, sizes


def _encode(
    text: Path | str, output: Path, size: Size, vocabulary: Vocabulary, least: int, progress: Step
) -> None:
    """Write one file; ids and begins of sentences grow side by side."""
    kind = np.dtype(id_type(len(vocabulary)))
    words = "".join(f"{word}\n" for word in vocabulary.words).encode()
    layout = _Layout(kind.itemsize, len(words), size.sentences, size.words + size.sentences)
    events, sentences, stream_sum = 0, 0, 0
    first = np.zeros(1, np.int64).tobytes()
    begins_sum = zlib.crc32(first)
    with (
        atomic_path(output) as temporary,
        temporary.open("wb") as ids,
        temporary.open("r+b") as begins,
    ):
        ids.seek(layout.stream)
        begins.seek(layout.begins)
        begins.write(first)
        for block in read_blocks(text, vocabulary):
            ends = (np.flatnonzero(block == END_ID) + events + 1).astype(np.int64).tobytes()
            begins_sum = zlib.crc32(ends, begins_sum)
            own = block.astype(kind).tobytes()
            stream_sum = zlib.crc32(own, stream_sum)
            events, sentences = events + len(block), sentences + len(ends) // 8
            progress.done = events
            if events <= layout.events and sentences <= layout.sentences:
                ids.write(own)
                begins.write(ends)
        if (events, sentences) != (layout.events, layout.sentences):
            raise InputError("the text changed while it was read", path=text, hint="try again")
        header = _FIELDS.pack(
            MAGIC,
            BYTE_ORDER,
            VERSION,
            kind.itemsize,
            least,
            len(vocabulary),
            len(words),
            sentences,
            events,
            zlib.crc32(words),
            begins_sum,
            stream_sum,
        )
        begins.seek(0)
        begins.write(header + _CHECKSUM.pack(zlib.crc32(header)) + words)


def open_encoded(path: Path | str) -> EncodedText:
    """Map an encoded text.

    All of it is read once, and every count, id and sentence end is checked.

    Raises:
        InputError: the file is damaged, truncated, of another version or from another machine.
    """
    path = check_file(path)

    def fault(what: str) -> InputError:
        return InputError(what, path=path, hint=MAKE_AGAIN)

    with path.open("rb") as stream:
        header = stream.read(_HEADER)
    if len(header) < _HEADER or not header.startswith(MAGIC):
        raise fault("not an encoded text, or a truncated one")
    fields = _FIELDS.unpack_from(header)
    if fields[1] != BYTE_ORDER:
        raise fault("written on a machine with another order of bytes")
    if fields[2] != VERSION:
        raise fault(f"version {fields[2]} of the format, not {VERSION}")
    if _CHECKSUM.unpack_from(header, _FIELDS.size)[0] != zlib.crc32(header[: _FIELDS.size]):
        raise fault("damaged: the header does not match its checksum")
    id_bytes, least, words, vocabulary_bytes, sentences, events, *checksums = fields[3:]
    layout = _Layout(id_bytes, vocabulary_bytes, sentences, events)
    size = path.stat().st_size
    if size != layout.size:
        raise fault(f"truncated or damaged: {size} bytes, not {layout.size}")
    mapped = np.asarray(np.memmap(path, np.uint8, "r"))
    text = mapped[_HEADER : _HEADER + vocabulary_bytes].tobytes()
    begins = mapped[layout.begins : layout.stream].view(np.int64)
    found = [zlib.crc32(text), zlib.crc32(begins.data)]
    vocabulary = _vocabulary(text)
    if vocabulary is None or len(vocabulary) != words or found != checksums[:2]:
        raise fault("damaged: words or sentences do not match their checksum")
    if id_bytes != np.dtype(id_type(words)).itemsize:
        raise fault(f"{id_bytes} bytes an id for {words} words")
    ids = mapped[layout.stream :]
    narrow = id_type(words) is np.uint16
    numbered = NumberedText(ids.view(np.uint16) if narrow else ids.view(np.int32), begins)
    if numbered.checksum != checksums[2]:
        raise fault("damaged: the ids do not match their checksum")
    try:
        counts = numbered.target_counts(vocabulary)
    except ValueError as error:
        raise fault(str(error)) from error
    if sentences < 1 or counts[BEGIN_ID] > 0 or counts[END_ID] != sentences or not _ends(numbered):
        raise fault("sentences do not end where they should")
    return EncodedText(vocabulary, least, numbered)


def _vocabulary(text: bytes) -> Vocabulary | None:
    """The words of a file; None where they are not a vocabulary."""
    try:
        return Vocabulary(tuple(text.decode().removesuffix("\n").split("\n")))
    except ValueError:
        return None


def _ends(text: NumberedText) -> bool:
    """Whether each sentence ends with `</s>` and the next one begins there."""
    begins = text.begins
    if begins[0] != 0 or begins[-1] != text.events:
        return False
    for first in range(0, text.sentences, BLOCK):
        some = begins[first : first + BLOCK + 1]
        if some.min() < 0 or some.max() > text.events or np.diff(some).min() < 1:
            return False
        if np.any(text.stream[some[1:] - 1] != END_ID):
            return False
    return True
