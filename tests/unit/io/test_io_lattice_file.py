"""Files of lattices: what comes back, one at a time, and what damage does."""

import os
import random
import re
import struct
import zlib
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from lattices import WEIGHTS, contents, random_lattice

from nlmt.errors import InputError
from nlmt.io._lattice import LatticeReader
from nlmt.io.lattice_builder import LatticeBuilder
from nlmt.io.lattice_file import LatticeFile, write_lattices


@pytest.fixture
def written(tmp_path: Path) -> Path:
    path = tmp_path / "some.lattices"
    write_lattices(path, (random_lattice(s, sentence=s + 3) for s in range(8)))
    return path


def test_what_is_written_is_read(written: Path, tmp_path: Path) -> None:
    read = LatticeFile(written)
    assert len(read) == 8
    assert read.weights == WEIGHTS
    for seed in (7, 0, 3):  # in any order
        assert contents(read[seed]) == contents(random_lattice(seed, sentence=seed + 3))
    assert [lattice.sentence for lattice in read] == list(range(3, 11))
    assert read[0].words is read[7].words
    with pytest.raises(IndexError):
        read[8]
    write_lattices(tmp_path / "again", read)
    assert (tmp_path / "again").read_bytes() == written.read_bytes()


def test_a_file_of_no_lattice_and_one_of_large_numbers(tmp_path: Path) -> None:
    write_lattices(tmp_path / "none", [])
    assert list(LatticeFile(tmp_path / "none")) == []
    large = random_lattice(5, nodes=400, arcs=3000, sentence=1 << 40)
    write_lattices(tmp_path / "large", [large])
    assert contents(LatticeFile(tmp_path / "large")[0]) == contents(large)


def test_lattices_that_cannot_be_written(tmp_path: Path) -> None:
    lattice = random_lattice(0)
    lattice.features[0, 0] = np.nan
    with pytest.raises(InputError, match="sentence 0: a feature value is not finite"):
        write_lattices(tmp_path / "nan", [lattice])
    assert not (tmp_path / "nan").exists()
    for weight, message in ((np.nan, "a weight of LM0"), (1e308, "a score of sentence 0")):
        lattice = replace(random_lattice(0), weights=WEIGHTS | {"LM0": [weight]})
        with pytest.raises(InputError, match=f"{message} is not a finite number"):
            lattice.best_path()
    lattice = replace(lattice, weights=WEIGHTS | {"TM0": [0.5, -np.inf]})
    with pytest.raises(InputError, match="a weight of TM0 is not a finite number"):
        write_lattices(tmp_path / "inf", [lattice])
    assert not (tmp_path / "inf").exists()


def test_a_file_whose_weight_is_no_number(written: Path) -> None:
    content = written.read_bytes()
    (size,) = struct.unpack_from("<I", content, 8)
    head = content[16 : 16 + size].replace(struct.pack("<d", 0.5), struct.pack("<d", np.nan))
    sizes = struct.pack("<II", size, zlib.crc32(head))
    written.write_bytes(content[:8] + sizes + head + content[16 + size :])
    with pytest.raises(InputError, match="damaged file of lattices: a weight is not finite"):
        LatticeFile(written)


def test_what_is_no_file_of_lattices(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="nothing: no such file"):
        LatticeFile(tmp_path / "nothing")
    for text in ("some words, not a lattice", "short"):
        (tmp_path / "text").write_text(text)
        with pytest.raises(InputError, match="no file of lattices"):
            LatticeFile(tmp_path / "text")
    with pytest.raises(FileNotFoundError, match="nothing"):  # removed after it was looked for
        LatticeReader(str(tmp_path / "nothing"))


def test_a_file_that_is_cut_off_while_it_is_read(tmp_path: Path) -> None:
    path = tmp_path / "large"
    write_lattices(path, [random_lattice(5, nodes=400, arcs=3000)] * 9)
    read = LatticeFile(path)
    os.truncate(path, path.stat().st_size // 2)
    with pytest.raises(InputError, match="large: damaged file of lattices: it is cut off"):
        list(read)


def test_damage_is_an_error_that_names_the_place(written: Path, tmp_path: Path) -> None:
    whole = written.read_bytes()
    broken = tmp_path / "broken"
    expected = [contents(lattice) for lattice in LatticeFile(written)]

    def read(content: bytes) -> str:
        broken.write_bytes(content)
        try:
            found = [contents(lattice) for lattice in LatticeFile(broken)]
        except InputError as error:
            return str(error)
        assert found == expected  # a bit that nobody looks at would be no harm
        return ""

    for size in range(0, len(whole), 41):
        assert "broken: " in read(whole[:size])
    rng = random.Random(1)  # noqa: S311
    unnoticed = 0
    places = []
    for _ in range(400):
        content = bytearray(whole)
        at = rng.randrange(len(whole))
        content[at] ^= 1 << rng.randrange(8)
        message = read(bytes(content))
        unnoticed += not message
        places += re.findall(r"lattice (\d) at byte \d+", message)
    assert unnoticed == 0
    assert set(places) == set("01234567")


class Records:
    """A file of lattices whose third record is replaced, with right checksums."""

    def __init__(self, whole: bytes) -> None:
        self.whole = whole
        self.words_at, self.count, packed_size = struct.unpack_from("<QQQ", whole, len(whole) - 44)
        self.index_at = self.words_at + packed_size
        self.begin, self.end = struct.unpack_from("<QQ", whole, self.index_at + 16)
        words = struct.unpack_from("<I", whole, self.begin + 12)[0]
        self.packed_at = self.begin + 28 + 4 * words

    def record(self) -> bytes:
        """The bytes of the record."""
        return zlib.decompress(self.whole[self.packed_at : self.end])

    def replaced(self, raw: bytes) -> bytes:
        """The file with other bytes in the record."""
        whole, packed = self.whole, zlib.compress(raw)
        table = whole[self.begin + 28 : self.packed_at]
        new = whole[self.begin : self.begin + 16] + struct.pack("<II", len(raw), len(packed))
        new += struct.pack("<I", zlib.crc32(packed, zlib.crc32(table, zlib.crc32(new))))
        shift = len(packed) - (self.end - self.packed_at)
        offsets = struct.unpack_from(f"<{self.count}Q", whole, self.index_at)
        moved = [offset + shift * (offset > self.begin) for offset in offsets]
        index = struct.pack(f"<{self.count}Q", *moved)
        tail = struct.pack("<QQQ", self.words_at + shift, self.count, self.index_at - self.words_at)
        tail += whole[len(whole) - 20 : len(whole) - 12]
        sum_ = zlib.crc32(tail, zlib.crc32(index, zlib.crc32(whole[self.words_at : self.index_at])))
        content = whole[: self.begin] + new + table + packed + whole[self.end : self.index_at]
        return content + index + tail + struct.pack("<I", sum_) + b"nlmtend1"


def leb128(value: int) -> bytes:
    """A whole number as the format writes it."""
    rest, low = divmod(value, 128)
    return bytes([low | 128]) + leb128(rest) if rest else bytes([low])


@pytest.mark.parametrize(
    ("width", "arcs", "message"),
    [
        (3, 4_000_000, "it is too large for the format"),
        (4096, 9_000, "it has too many arcs for its features"),
    ],
)
def test_few_bytes_do_not_ask_for_the_features_of_any_number_of_arcs(
    width: int, arcs: int, message: str, tmp_path: Path
) -> None:
    """Forty kilobytes of arcs that are all alike once asked for forty gigabytes of features."""
    builder = LatticeBuilder(0, {"F": [0.0] * width})
    builder.add(0, 1, ["a"], [0.0] * width)
    write_lattices(tmp_path / "x", [builder.build(2, 0, 1)] * 3)
    number = leb128(arcs)
    source, phrase, nodes = b"\1\0", b"\1\1\0\0\1\0", b"\2"
    raw = source + phrase + nodes + number + number + b"\0" + b"\1" * arcs + b"\0" * arcs
    content = Records((tmp_path / "x").read_bytes()).replaced(raw + bytes(5 * width))
    assert len(content) < 100_000
    (tmp_path / "x").write_bytes(content)
    with pytest.raises(InputError, match=f"lattice 2 .*{message}"):
        LatticeFile(tmp_path / "x")[2]


def test_records_with_a_right_checksum_are_checked_too(written: Path, tmp_path: Path) -> None:
    """Someone may mean harm: nothing that a record says is taken on trust."""
    records = Records(written.read_bytes())
    raw = records.record()
    rng = random.Random(2)  # noqa: S311
    refused = 0
    for _ in range(500):
        changed = bytearray(raw)
        for _ in range(rng.randrange(1, 4)):
            changed[rng.randrange(len(raw))] = rng.choice([0, 1, 2, 127, 128, 255])
        if rng.random() < 0.2:
            del changed[rng.randrange(len(raw)) :]
        (tmp_path / "x").write_bytes(records.replaced(bytes(changed)))
        read = LatticeFile(tmp_path / "x")
        try:
            read[2].nbest(3)
        except InputError as error:
            refused += "lattice 2 at byte" in str(error)
    assert refused > 250


# An unpacked lattice: source, phrases, nodes and arcs, arcs that leave, steps, phrase of each arc,
# and the values of the one feature.
BODY = [1, 0, 1, 1, 1, 0, 1, 1, 0, 0, 2, 1, 1, 0, 1, 0, 0, *struct.pack("<f", 0.5)]
HEAD = struct.pack("<III2sd", 1, 2, 1, b"LM", 0.25)
TEXT = b"a\nb\n"


def record(raw: bytes, ids: tuple[int, ...] = (0, 1)) -> bytes:
    table, packed = struct.pack(f"<{len(ids)}i", *ids), zlib.compress(raw)
    start = struct.pack("<IqIII", 0x5441C001, 7, len(ids), len(raw), len(packed))
    return start + struct.pack("<I", zlib.crc32(start + table + packed)) + table + packed


def file_of(records: list[bytes], head: bytes = HEAD, text: bytes = TEXT, **said: int) -> bytes:
    """A file whose checksums are right; its tail may say something else than what there is."""
    content = b"nlmtlat1" + struct.pack("<II", len(head), zlib.crc32(head)) + head
    first = len(content)
    packed, body = zlib.compress(text), b"".join(records)
    places = [first + sum(map(len, records[:i])) for i in range(len(records))]
    tail = {"words_at": first + len(body), "lattices": len(records), "packed": len(packed)}
    tail |= {"size": len(text), "words": text.count(b"\n")}
    places[0] = said.pop("first", places[0])
    index = struct.pack(f"<{len(places)}Q", *places)
    end = struct.pack("<QQQII", *(tail | said).values())
    return (
        content
        + body
        + packed
        + index
        + end
        + struct.pack("<I", zlib.crc32(packed + index + end))
        + b"nlmtend1"
    )


def test_a_file_made_by_hand(tmp_path: Path) -> None:
    (tmp_path / "x").write_bytes(file_of([record(bytes(BODY))]))
    lattice = LatticeFile(tmp_path / "x")[0]
    assert contents(lattice) == [7, ["a"], 2, [(0, 1, ["b"], [0, 1], [[0, 0]], [0.5])], [("LM", 1)]]
    assert lattice.weights == {"LM": [0.25]}


@pytest.mark.parametrize(
    ("said", "message"),
    [
        ({"head": struct.pack("<III2s", 1, 2, 1, b"LM")}, "it ends too early"),
        ({"head": struct.pack("<III2s", 1, 2, 4097, b"LM")}, "it has too many features"),
        ({"head": struct.pack("<III2sd", 1, 2, 1, b"L\xff", 0.25)}, "its head is broken"),
        (
            {"head": struct.pack("<III1sII1s", 2, 1, 0, b"A", 1, 1 << 31, b"B")},
            "it has too many features",
        ),
        ({"words_at": 20}, "its index is broken"),
        ({"words_at": 1 << 40}, "its index is broken"),
        ({"packed": 1 << 40}, "its index is broken"),
        ({"lattices": 2}, "its index is broken"),
        ({"packed": 11}, "its index is broken"),
        ({"first": 0}, "its index is broken"),
        ({"first": 80}, "its index is broken"),
        ({"first": (1 << 64) - 10}, "its index is broken"),
        ({"size": 0xFFFFFFFF}, "it is too large for the format"),
        ({"size": 5}, "its bytes do not unpack"),
        ({"words": 5}, "its words are broken"),
        ({"words": 1}, "its words are broken"),
        ({"text": b"a\nb"}, "its words are broken"),
        ({"text": b"a\n\xff\n"}, "its words are broken"),
    ],
)
def test_tables_with_right_checksums_are_checked(
    said: dict[str, Any], message: str, tmp_path: Path
) -> None:
    (tmp_path / "x").write_bytes(file_of([record(bytes(BODY))], **said))
    with pytest.raises(InputError, match=f"x: damaged file of lattices: {message}"):
        LatticeFile(tmp_path / "x")


def test_few_bytes_do_not_ask_for_any_number_of_words(tmp_path: Path) -> None:
    """Arcs share phrases, which texts spell out for each of them."""
    arcs = leb128(200_000)
    phrase = b"\1" + leb128(300_000) + bytes(300_000) + b"\0\1\0"
    steps = b"\2" + arcs + arcs + b"\0" + b"\1" * 200_000
    raw = b"\1\0" + phrase + steps + bytes(200_000 + 5)
    (tmp_path / "x").write_bytes(file_of([record(raw)]))
    with pytest.raises(InputError, match=r"lattice 0 .*its arcs have too many words"):
        LatticeFile(tmp_path / "x")[0]


@pytest.mark.parametrize(
    ("begin", "end", "numbers", "message"),
    [
        (1, 2, [2], "a number is out of range"),  # a word
        (2, 3, [0x80] * 5, "a number is broken"),
        (2, 3, [0xFF] * 4 + [0x7F], "a number is out of range"),  # of phrases
        (4, 5, [2], "a number is out of range"),  # a word of a phrase
        (6, 7, [2], "a number is out of range"),  # of source words that a phrase covers
        (8, 9, [1], "a number is out of range"),  # the source word of an alignment point
        (10, 99, [0, 0], "it has no node"),
        (10, 99, [3, 1, 1, 0, 0], "a path ends on the way"),
        (10, 99, [2, 2, 1, 0], "the number of arcs does not fit"),
        (14, 15, [0], "an arc does not lead upwards"),
        (10, 99, [3, 3, 2, 1, 0, 2, 1, 1], "its arcs are out of order"),
        (10, 99, [3, 2, 1, 1, 0, 2, 1], "no path leads to a node"),
        (15, 16, [1], "a number is out of range"),  # the phrase of an arc
        (16, 17, [2], "an unknown kind of feature"),
        (17, 99, struct.pack("<f", np.inf), "a feature value is not finite"),
        (16, 99, [1, 1, 0, 0, 0, 0, 1], "a number is out of range"),  # the value of an arc
        (19, 99, [], "it ends too early"),
        (99, 99, [0], "data after its end"),
    ],
)
def test_what_a_lattice_cannot_be(
    begin: int, end: int, numbers: list[int], message: str, tmp_path: Path
) -> None:
    raw = bytes([*BODY[:begin], *numbers, *BODY[end:]])
    (tmp_path / "x").write_bytes(file_of([record(raw)]))
    with pytest.raises(InputError, match=f"lattice 0 at byte 38: {message}"):
        LatticeFile(tmp_path / "x")[0]


@pytest.mark.parametrize("ids", [(0, 2), (-1, 1)])
def test_a_word_of_a_lattice_is_in_the_file(ids: tuple[int, int], tmp_path: Path) -> None:
    (tmp_path / "x").write_bytes(file_of([record(bytes(BODY), ids)]))
    with pytest.raises(InputError, match="lattice 0 at byte 38: a word is out of range"):
        LatticeFile(tmp_path / "x")[0]
