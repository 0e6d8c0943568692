"""Binary tables: the same bytes as from text tables, built in little memory, damage told."""

import bz2
import math
import os
import random
import struct
from collections import Counter
from collections.abc import Sequence
from itertools import product
from pathlib import Path

import pytest
from decoder_worlds import BIGRAMS
from test_decoder_golden import RUNS

from nlmt.cli import main
from nlmt.decoder import Decoder, NbestRequest
from nlmt.decoder.binary_tables import binarise_tables, check_binary_table
from nlmt.errors import InputError

pytestmark = pytest.mark.threads

PHRASES = "phrase-table.gz"
REORDERING = "reordering-table.wbe-msd-bidirectional-fe.gz"
SIZES, SETTINGS = 48 + 16 * 8, 48 + 32 * 8  # places in the header
INI = """[distortion-limit]
6
[feature]
UnknownWordPenalty
WordPenalty
PhraseDictionaryMemory name=TM0 num-features=2 path={phrases}
LexicalReordering name=LR0 num-features={width} type={kind} path={reordering}
Distortion
[weight]
WordPenalty0= -0.3
TM0= 0.4 0.2
LR0= {weights}
Distortion0= 0.1
"""


@pytest.fixture(scope="module")
def golden_table(golden: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("binary") / "tables.bin"
    model = golden / "model"
    counts = binarise_tables(model / PHRASES, model / REORDERING, path, threads=2)
    assert (counts.entries, counts.without_reordering) == (14433, 0)
    return path


@pytest.fixture(scope="module")
def golden_binary(golden: Path, golden_table: Path) -> Path:
    """The golden moses.ini, with the binary table in place of both."""
    text = (golden / "moses.ini").read_text()
    for name in (PHRASES, REORDERING):
        assert f"model/{name}" in text
        text = text.replace(f"model/{name}", str(golden_table))
    ini = golden_table.with_name("moses.ini")
    ini.write_text(text.replace("model/lm", str(golden / "model/lm")))
    return ini


def nbest(decoder: Decoder, lines: Sequence[str], path: Path, size: int = 50) -> bytes:
    request = NbestRequest(path, size, segmentation=True, alignment=True)
    best = decoder.decode(lines, nbest=request)
    return path.read_bytes() + "\n".join(one.traced for one in best).encode()


@pytest.mark.parametrize("name", RUNS)
def test_decodes_to_the_same_bytes(
    name: str, golden: Path, golden_binary: Path, golden_source: list[str], tmp_path: Path
) -> None:
    lines = golden_source[:10] if name in ("stack2000", "cube5000") else golden_source
    lists = [
        nbest(Decoder(ini, search=RUNS[name], threads=threads), lines, tmp_path / "list")
        for ini, threads in ((golden / "moses.ini", 2), (golden_binary, 1), (golden_binary, 2))
    ]
    assert lists[0] == lists[1] == lists[2]


def test_memory_and_threads_do_not_change_the_file(
    golden: Path, golden_table: Path, tmp_path: Path
) -> None:
    model, path = golden / "model", tmp_path / "small.bin"
    # 6 kB hold some fifty lines of each table: more runs than are merged at once.
    binarise_tables(model / PHRASES, model / REORDERING, path, memory=6_000)
    assert path.read_bytes() == golden_table.read_bytes()
    assert [file.name for file in tmp_path.iterdir()] == ["small.bin"]


def page_checksum(page: bytes) -> int:
    """That of a page of 4,096 bytes, by numbers of Python's own."""
    mask, factor = 2**64 - 1, 0xD6E8FEB86659FD93

    def mix(x: int) -> int:
        for _ in range(2):
            x = (x ^ x >> 32) * factor & mask
        return x ^ x >> 32

    def combine(seed: int, value: int) -> int:
        return mix(seed ^ (value + 0x9E3779B97F4A7C15 + (seed << 6)) & mask)

    sums = [1, 2, 3, 4]
    for place, part in enumerate(struct.unpack("<512Q", page)):
        x = (sums[place % 4] ^ part) * factor & mask
        sums[place % 4] = x ^ x >> 32
    return combine(combine(sums[0], sums[1]), combine(sums[2], sums[3]))


def with_right_header(content: bytearray) -> bytes:
    """A file whose first page was changed, with the checksum that its writer would give it."""
    content[4088:4096] = bytes(8)
    struct.pack_into("<Q", content, 4088, page_checksum(bytes(content[:4096])))
    return bytes(content)


def with_right_checksums(content: bytearray) -> bytes:
    """A file whose pages were changed, with the checksums that its writer would give them."""
    (checksums,) = struct.unpack_from("<Q", content, 32)
    for page in range(1, checksums // 4096):
        place = checksums + 8 * (page - 1)
        struct.pack_into(
            "<Q", content, place, page_checksum(bytes(content[4096 * page : 4096 * (page + 1)]))
        )
    return with_right_header(content)


def sections_of(content: bytes) -> list[range]:
    """The bytes of each section of a binary table."""
    begins, sizes = struct.unpack_from("<8Q", content, 48), struct.unpack_from("<8Q", content, 176)
    return [range(begin, begin + size) for begin, size in zip(begins, sizes, strict=True)]


@pytest.fixture
def tuple_model(golden: Path, tmp_path: Path) -> tuple[Path, Path]:
    """A small binary table, and a moses.ini with it and a language model of tuples."""
    phrases = [
        f"{source} ||| {target} ||| 0.5 0.25 ||| {links}"
        for source, target, links in [
            ("le", "the", "0-0"),
            ("le chien", "the dog", "0-0 1-1"),
            ("le chien noir", "the black dog", "0-0 1-2 2-1"),
            ("chien", "dog", "0-0"),
            ("chien noir", "black dog", "0-1 1-0"),
            ("noir", "black", "0-0"),
        ]
    ]
    reordering = [f"{line.split(' ||| 0.5')[0]} ||| 0.2 0.3 0.5 0.4 0.4 0.2" for line in phrases]
    _, ini = write_model(tmp_path, phrases, reordering, "wbe-msd-bidirectional-fe-allff", 6)
    (tmp_path / "tuples.arpa").write_text(BIGRAMS.replace("the", "le=the").replace("dog", "noir="))
    text = ini.read_text().replace(
        "[weight]", f"KENLM name=TM9 path={tmp_path}/tuples.arpa order=2 units=tuples\n[weight]"
    )
    ini.write_text(f"{text}TM9= 0.5\n")
    return tmp_path / "tables.bin", ini


@pytest.mark.parametrize("deeper", ["root", "phrase"])
def test_lengths_in_the_file_do_not_bound_alignment_points(
    deeper: str, tuple_model: tuple[Path, Path]
) -> None:
    table, ini = tuple_model
    content = bytearray(table.read_bytes())
    sections = sections_of(content)
    # With a longer root, the lengths of all phrases agree with each other.
    for node in sections[3][:-24:24] if deeper == "root" else [sections[3][24]]:
        (length,) = struct.unpack_from("<I", content, node + 20)
        struct.pack_into("<I", content, node + 20, length + 100)
    for entry in sections[4][::8]:
        (packed,) = struct.unpack_from("<Q", content, entry)
        position, words = packed & (1 << 40) - 1, packed >> 40 & 255
        content[sections[5].start + 4 * (position + words)] = 99  # the source of the first point
    table.write_bytes(with_right_checksums(content))
    with pytest.raises(InputError, match="damaged"):
        check_binary_table(str(table))
    with pytest.raises(InputError, match="damaged"):
        Decoder(ini).decode(["le chien noir"])


@pytest.mark.parametrize("value", [math.nan, math.inf, 1e30, -101.0])
@pytest.mark.parametrize("section", [6, 7])
def test_scores_are_those_of_a_text_table(
    section: int, value: float, tuple_model: tuple[Path, Path]
) -> None:
    table, ini = tuple_model
    content = bytearray(table.read_bytes())
    # The second score of each phrase pair; a first one of reordering that is NaN says that none is.
    scores = sections_of(content)[section]
    for place in scores[4 :: 8 if section == 6 else 24]:
        struct.pack_into("<f", content, place, value)
    table.write_bytes(with_right_checksums(content))
    for read in (lambda: check_binary_table(str(table)), lambda: Decoder(ini).decode(["le"])):
        with pytest.raises(InputError, match="damaged"):
            read()


def test_crafted_tables_are_refused_or_decoded(tuple_model: tuple[Path, Path]) -> None:
    table, ini = tuple_model
    good = table.read_bytes()
    rng = random.Random(1)  # noqa: S311
    lists = ini.with_name("list"), ini.with_name("lattice")
    ends = Counter[str]()
    for _ in range(400):
        content = bytearray(good)
        for _ in range(rng.choice([1, 1, 2, 4])):
            section = rng.choice(sections_of(good)[3:])
            place = section[rng.randrange(len(section))] & ~3
            old = struct.unpack_from("<I", good, place)[0]
            new = rng.choice([old + 1, old - 1, old ^ 1 << rng.randrange(32), rng.randrange(9)])
            struct.pack_into("<I", content, place, new & 0xFFFFFFFF)
        table.write_bytes(with_right_checksums(content))
        try:
            decoder = Decoder(ini)
            request = NbestRequest(lists[0], 20, segmentation=True, alignment=True)
            decoder.decode(["le chien noir", "noir le"], nbest=request)
        except InputError:
            ends["refused"] += 1
        else:
            ends["decoded"] += 1
    assert min(ends["refused"], ends["decoded"]) > 20


def test_a_header_with_a_right_checksum_is_not_trusted(tuple_model: tuple[Path, Path]) -> None:
    table, ini = tuple_model
    good = table.read_bytes()
    # Where the sections begin, and their sizes: of those that the header counts, and behind them.
    places = [*range(48, 48 + 64, 8), *range(SIZES, SIZES + 64, 8)]
    for count, place in product((8, 0), places):
        content = bytearray(good)
        struct.pack_into("<Q", content, 40, count)
        struct.pack_into("<Q", content, place, 2**40)
        table.write_bytes(with_right_header(content))
        with pytest.raises(InputError, match="damaged"):
            Decoder(ini)


@pytest.mark.parametrize(
    ("place", "form", "value", "message"),
    [
        (0, "<Q", 0, "no binary table of this kind of machine"),
        (20, "<I", 0x04030201, "no binary table of this kind of machine"),  # big-endian
        (16, "<I", 2, "version 2, but this program reads 1 .make it again"),
        (24, "<Q", 1, "bytes instead of 1 "),
        (32, "<Q", 0, "damaged"),  # where the checksums are
        (32, "<Q", 4097, "damaged"),
        (32, "<Q", 8192, "damaged"),
        (32, "<Q", 1 << 40, "damaged"),
        (40, "<Q", 17, "damaged"),  # number of sections
        (48, "<Q", 0, "damaged"),  # a section in the header
        (48, "<Q", 4097, "damaged"),
        (SIZES, "<Q", 0, "damaged"),  # no words
        (SIZES + 16, "<Q", 4, "damaged"),  # fewer slots than words
        (SIZES + 16, "<Q", 124, "damaged"),  # 31 of them
        (SIZES + 24, "<Q", 24, "damaged"),  # no node but the one behind the end
        (SIZES + 48, "<Q", 4, "damaged"),  # scores of half a translation
        (SIZES + 56, "<Q", 4, "damaged"),
        (SETTINGS, "<Q", 0, "damaged"),  # scores of a translation
        (SETTINGS, "<Q", 4096, "damaged"),
        (SETTINGS + 8, "<Q", 4096, "damaged"),
    ],
)
def test_a_header_that_cannot_be(
    place: int, form: str, value: int, message: str, tuple_model: tuple[Path, Path]
) -> None:
    table, _ = tuple_model
    content = bytearray(table.read_bytes())
    struct.pack_into(form, content, place, value)
    table.write_bytes(with_right_header(content))
    with pytest.raises(InputError, match=message):
        check_binary_table(str(table))


@pytest.mark.parametrize(
    ("section", "offset", "form", "value"),
    [
        (0, 8, "<Q", 1 << 40),  # the end of the first word
        (0, 16, "<Q", 0),  # that of the second, before its beginning
        (1, 0, "<B", 0xFF),  # the first byte of a word, which is not UTF-8
        (1, 0, "<B", 0x0A),  # or a newline
        (3, 16, "<I", 1 << 20),  # the first child of the root
        (3, 20, "<I", 1),  # words of the root
        (3, 24 + 8, "<I", 1 << 20),  # translations of the first phrase
        (3, 24 + 12, "<I", 1 << 20),  # its first word, greater than that of the next
        (3, 24 + 20, "<I", 2),  # its number of words
        (5, 0, "<I", 1 << 20),  # a word of a translation
        (5, 4, "<I", 0xFF00),  # the target of an alignment point
    ],
)
def test_contents_that_cannot_be(
    section: int, offset: int, form: str, value: int, tuple_model: tuple[Path, Path]
) -> None:
    table, _ = tuple_model
    content = bytearray(table.read_bytes())
    check_binary_table(str(table))
    struct.pack_into(form, content, sections_of(content)[section].start + offset, value)
    table.write_bytes(with_right_checksums(content))
    with pytest.raises(InputError, match="damaged"):
        check_binary_table(str(table))


def test_a_word_is_searched_for_no_longer_than_the_table(tuple_model: tuple[Path, Path]) -> None:
    table, ini = tuple_model
    content = bytearray(table.read_bytes())
    slots = sections_of(content)[2]
    content[slots.start : slots.stop] = bytes(len(slots))  # no slot is free
    table.write_bytes(with_right_checksums(content))
    with pytest.raises(InputError, match="damaged"):
        Decoder(ini).decode(["new"])


def test_damage_is_told_or_harmless(
    golden_table: Path, golden_binary: Path, golden_source: list[str], tmp_path: Path
) -> None:
    lines = golden_source[:3]
    good = golden_table.read_bytes()
    expected = nbest(Decoder(golden_binary), lines, tmp_path / "list")
    rng = random.Random(1)  # noqa: S311
    ini = tmp_path / "moses.ini"
    bad = tmp_path / "bad.bin"
    ini.write_text(golden_binary.read_text().replace(str(golden_table), str(bad)))
    places = [*range(0, 420, 7), *(rng.randrange(len(good)) for _ in range(150))]
    told = 0
    for place in places:
        content = bytearray(good)
        content[place] ^= 1 << rng.randrange(8)
        bad.write_bytes(content)
        with pytest.raises(InputError, match=r"damaged|bytes instead|no binary table|version"):
            check_binary_table(str(bad))
        try:
            assert nbest(Decoder(ini), lines, tmp_path / "list") == expected
        except InputError:
            told += 1
    assert told > 60
    for size in (0, 10, 4095, 4096, 5000, len(good) // 2, len(good) - 1):
        bad.write_bytes(good[:size])
        with pytest.raises(InputError):
            Decoder(ini)
    bad.write_bytes(good + b"x")
    with pytest.raises(InputError, match="bytes instead of"):
        Decoder(ini)


def write_model(
    folder: Path, phrases: list[str], reordering: list[str], kind: str, width: int
) -> tuple[Path, Path]:
    """A moses.ini with text tables and one with the binary table."""
    (folder / "phrases").write_text("".join(f"{line}\n" for line in phrases))
    (folder / "order").write_text("".join(f"{line}\n" for line in reordering))
    binarise_tables(folder / "phrases", folder / "order", folder / "tables.bin", memory=300)
    weights = " ".join(f"0.{i + 1}" for i in range(width))
    facts = {"kind": kind, "width": width, "weights": weights}
    inis = folder / "text.ini", folder / "binary.ini"
    for ini, names in zip(inis, (("phrases", "order"), ("tables.bin",) * 2), strict=True):
        ini.write_text(INI.format(phrases=folder / names[0], reordering=folder / names[1], **facts))
    return inis


@pytest.mark.parametrize(
    ("kind", "width", "by_target"),
    [
        ("wbe-msd-bidirectional-fe-allff", 6, True),
        ("wbe-msd-backward-f-allff", 3, False),
        ("wbe-mslr-bidirectional-fe-allff", 8, True),
    ],
)
def test_random_tables_in_any_order(kind: str, width: int, by_target: bool, tmp_path: Path) -> None:
    rng = random.Random(width)  # noqa: S311

    def numbers(count: int) -> str:
        return " ".join(f"{rng.choice([0.5, 0.25, rng.random(), 1e-7]):.6g}" for _ in range(count))

    words = [f"w{i}" for i in range(6)]
    sources = {" ".join(rng.choices(words, k=rng.randint(1, 4))) for _ in range(60)}
    phrases, reordering = [], []
    for source in sources:
        length = source.count(" ") + 1
        targets = {" ".join(rng.choices("abc", k=rng.randint(1, 3))) for _ in range(4)}
        for target in sorted(targets):
            links = [
                f"{i}-{j}" for i in range(length) for j in range(target.count(" ") + 1) if i >= j
            ]
            # Some lines stand twice, with other scores.
            for _ in range(rng.choice([1, 1, 2])):
                phrases.append(f"{source} ||| {target} ||| {numbers(2)} ||| {' '.join(links)}")
            for _ in range(rng.choice([0, 1, 1, 2]) if by_target else 0):
                reordering.append(f"{source} ||| {target} ||| {numbers(width)}")
        for _ in range(0 if by_target else rng.choice([0, 1, 1, 2])):
            reordering.append(f"{source} ||| {numbers(width)}")
    reordering.append(reordering[0].replace("w", "unseen"))
    rng.shuffle(phrases)
    rng.shuffle(reordering)
    inis = write_model(tmp_path, phrases, reordering, kind, width)
    lines = [" ".join(rng.choices([*words, "new"], k=7)) for _ in range(20)]
    text, binary = (nbest(Decoder(ini), lines, tmp_path / "list") for ini in inis)
    assert text == binary


@pytest.mark.parametrize("targets", [True, False], ids=["fe", "f"])
def test_reordering_scores_of_other_phrase_pairs(targets: bool, tmp_path: Path) -> None:
    """Before, between and after those of the phrase table, of known and of new words."""
    phrases = ["b ||| x ||| 1 1", "b a ||| y ||| 1 1", "c ||| x ||| 0.5 1", "c ||| z ||| 1 1"]
    others = ["a ||| x", "b ||| y", "b b ||| x", "c ||| new", "c ||| y", "c c ||| x", "new ||| x"]
    pairs = [line.split(" ||| 1")[0].split(" ||| 0")[0] for line in phrases]
    order = [
        f"{pair if targets else pair.split(' ||| ')[0]} ||| 0.{i + 1} 0.2 0.3"
        for i, pair in enumerate(sorted(pairs + others) if targets else ["a", "b", "b b", "c c"])
    ]
    kind = f"wbe-msd-backward-{'fe' if targets else 'f'}-allff"
    inis = write_model(tmp_path, phrases, order, kind, 3)
    lines = ["a b c", "b a c", "c c b"]
    text, binary = (nbest(Decoder(ini), lines, tmp_path / "list") for ini in inis)
    assert text == binary


LINES = ["le ||| the ||| 0.5 0.5 ||| 0-0", "chien ||| dog ||| 1 1 ||| 0-0"]
ORDER = ["le ||| the ||| 0.5 0.3 0.2 0.5 0.3 0.2"]


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (("num-features=2", "num-features=4"), "2 scores, but TM0 has num-features=4"),
        (
            ("num-features=6 type=wbe-msd", "type=wbe-mslr"),
            "6 reordering scores, but the type of LR0 needs 8",
        ),
        (("tables.bin\nDist", "order\nDist"), "must have the same binary table"),
        (("path={folder}/tables.bin\nLex", "path={folder}/phrases\nLex"), "the same binary table"),
        (
            ("\nLex", "\nPhraseDictionaryMemory name=TM1 num-features=2 path={folder}/b.bin\nLex"),
            "a second binary table",
        ),
        (
            (
                "\nLex",
                "\nPhraseDictionaryMemory name=TM1 num-features=2 path={folder}/phrases\nLex",
            ),
            "the one phrase table must",
        ),
    ],
)
def test_configurations_that_do_not_fit(
    change: tuple[str, str], message: str, tmp_path: Path
) -> None:
    _, ini = write_model(tmp_path, LINES, ORDER, "wbe-msd-bidirectional-fe-allff", 6)
    (tmp_path / "b.bin").write_bytes((tmp_path / "tables.bin").read_bytes())
    old, new = (part.replace("{folder}", str(tmp_path)) for part in change)
    text = ini.read_text()
    assert old in text
    ini.write_text(text.replace(old, new))
    with pytest.raises(InputError, match=message):
        Decoder(ini)


@pytest.mark.parametrize(
    ("phrases", "message"),
    [
        ("", "the phrase table is empty"),
        ("le the\n", "phrases:1: no ' ||| '"),
        ("le ||| 1 1\n", "phrases:1: no target phrase in the first line"),
        ("le |||\n", "phrases:1: no scores in the first line"),
        ("|||\n", "phrases:1: no scores in the first line"),
        ("le ||| the ||| ||| 0-0\n", "phrases:1: no scores in the first line"),
        ("le ||| the ||| 1 1\nle ||| a ||| 1\n", "phrases:2: 1 scores"),
        ("le ||| the ||| 1 1\nle ||| a ||| 1 -1\n", "phrases:2: '-1' is no probability"),
    ],
)
def test_malformed_text_leaves_nothing(phrases: str, message: str, tmp_path: Path) -> None:
    (tmp_path / "phrases").write_text(phrases)
    with pytest.raises(InputError, match=message.replace("|", r"\|")):
        binarise_tables(tmp_path / "phrases", None, tmp_path / "tables.bin")
    assert [file.name for file in tmp_path.iterdir()] == ["phrases"]


def test_files_that_cannot_be_read_or_written(tmp_path: Path) -> None:
    for path in (tmp_path / "none", tmp_path):
        with pytest.raises(InputError, match=f"{path}: no such file"):
            check_binary_table(str(path))
    (tmp_path / "phrases").write_text(f"{LINES[0]}\n")
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    reader = os.open(pipe, os.O_RDONLY | os.O_NONBLOCK)
    with pytest.raises(OSError, match="Illegal seek"):  # the header is written last
        binarise_tables(tmp_path / "phrases", None, pipe)
    os.close(reader)


def test_a_table_that_is_no_text_is_named(tmp_path: Path) -> None:
    (tmp_path / "table").write_bytes(bz2.compress(b"le ||| the ||| 1 1\n"))
    with pytest.raises(InputError, match="table: not UTF-8 text, but compressed with bzip2"):
        binarise_tables(tmp_path / "table", None, tmp_path / "tables.bin")


def test_scores_that_end_in_bars(tmp_path: Path) -> None:
    """Columns after the scores may be empty, in the first line too."""
    table = tmp_path / "table"
    table.write_text("le ||| the ||| 0.5 0.25 |||\nle chien ||| dog ||| 0.5 1 ||| 0-0\n")
    assert binarise_tables(table, None, tmp_path / "tables.bin").entries == 2


def test_command(
    golden: Path, golden_table: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    tables = [f"--phrase-table={golden / 'model' / PHRASES}", "--memory=100K", "--threads=2"]
    tables.append(f"--reordering-table={golden / 'model' / REORDERING}")
    out = tmp_path / "t.bin"
    assert main(["binarise", *tables, f"--out={out}"]) == 0
    assert out.read_bytes() == golden_table.read_bytes()
    assert main(["binarise", "--check", str(out)]) == 0
    assert "all checksums are right" in capsys.readouterr().out
    out.write_bytes(out.read_bytes()[:-9])
    assert main(["binarise", "--check", str(out)]) == 1
    assert main(["binarise"]) == 2
    assert main(["binarise", *tables, "--check", str(out)]) == 2
