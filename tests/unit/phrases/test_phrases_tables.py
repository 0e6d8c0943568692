"""Scores by hand on a few pairs, order of lines, and bad input."""

import gzip
from pathlib import Path
from typing import Any

import pytest

from nlmt.errors import InputError
from nlmt.phrases import TablePaths, build_tables
from nlmt.phrases._phrases import EncodedBitext, Lexicon, write_tables


def build(folder: Path, source: str, target: str, alignment: str, **options: Any) -> list[str]:
    """The phrase table's lines for texts given with `/` between the sentences."""
    paths = [folder / name for name in ("source", "target", "alignment")]
    for path, text in zip(paths, (source, target, alignment), strict=True):
        lines = [line.strip() for line in text.split("/")] if text else []
        path.write_text("".join(f"{line}\n" for line in lines), encoding="utf-8")
    out = folder / "out"
    outputs = TablePaths(out / "p.gz", out / "r.gz", out / "f2e", out / "e2f")
    build_tables(*paths, outputs, **options)
    return gzip.decompress((out / "p.gz").read_bytes()).decode().splitlines()


def test_scores_and_null(tmp_path: Path) -> None:
    lines = build(tmp_path, "a b / a", "x y / z", "0-0 / 0-0")
    # p(NULL|b) is 1: b is never linked; neither is y. p(x|a) = p(z|a) = 1/2.
    assert lines == [
        "a b ||| x y ||| 0.5 1 0.5 0.5 ||| 0-0 ||| 2 2 1 ||| |||",
        "a b ||| x ||| 0.5 1 0.5 0.5 ||| 0-0 ||| 2 2 1 ||| |||",
        "a ||| x y ||| 0.5 1 0.333333 0.5 ||| 0-0 ||| 2 3 1 ||| |||",
        "a ||| x ||| 0.5 1 0.333333 0.5 ||| 0-0 ||| 2 3 1 ||| |||",
        "a ||| z ||| 1 1 0.333333 0.5 ||| 0-0 ||| 1 3 1 ||| |||",
    ]
    assert (tmp_path / "out" / "f2e").read_text().splitlines() == [
        "y NULL 1.0000000",
        "x a 0.5000000",
        "z a 0.5000000",
        "NULL b 1.0000000",
    ]


def test_tuples_in_place_of_phrases(tmp_path: Path) -> None:
    lines = build(tmp_path, "a b / a", "x y / z", "0-0 / 0-0", units="tuples")
    # y has no link and is of the tuple before it, b is one without a translation: p(b|NULL) is 1.
    assert lines == [
        "a ||| x y ||| 1 1 0.5 0.5 ||| 0-0 ||| 1 2 1 ||| |||",
        "a ||| z ||| 1 1 0.5 0.5 ||| 0-0 ||| 1 2 1 ||| |||",
        "b |||  ||| 1 1 1 1 ||| ||| 1 1 1 ||| |||",
    ]


def test_reordering_is_smoothed_by_a_half(tmp_path: Path) -> None:
    build(tmp_path, "a b", "x y", "0-1 1-0")
    table = gzip.decompress((tmp_path / "out" / "r.gz").read_bytes()).decode().splitlines()
    assert table == [
        "a b ||| x y ||| 0.6 0.2 0.2 0.6 0.2 0.2",
        "a ||| y ||| 0.2 0.6 0.2 0.2 0.2 0.6",
        "b ||| x ||| 0.2 0.2 0.6 0.2 0.6 0.2",
    ]


@pytest.mark.parametrize(
    ("alignments", "shown"),
    [
        ("0-0 / 0-0 1-0 / 0-0", "0-0"),  # the most frequent
        ("0-0 / 0-0 1-0", "0-0 1-0"),  # of two equally frequent ones the greater
        ("0-0 / 1-0", "1-0"),
        ("1-0 / 0-0 1-0", "1-0"),
    ],
)
def test_one_alignment_is_shown(tmp_path: Path, alignments: str, shown: str) -> None:
    pairs = alignments.count("/") + 1
    lines = build(tmp_path, " / ".join(["a b"] * pairs), " / ".join(["x"] * pairs), alignments)
    (line,) = [line for line in lines if line.startswith("a b ||| x |||")]
    assert line.split(" ||| ")[3] == shown


def test_lines_are_sorted_as_bytes(tmp_path: Path) -> None:
    words = ["}", "~", "é", "a", "aa", "|", "||", "||||", "zz", "日本", "a!"]
    source = " ".join(words)
    links = " ".join(f"{i}-{i}" for i in range(len(words)))
    lines = build(tmp_path, source, source, links, max_length=3)
    keys = [line.split(" ||| ", 2)[:2] for line in lines]
    assert len(keys) == 3 * len(words) - 3
    joined = [" ||| ".join(key).encode() + b" |||" for key in keys]
    assert joined == sorted(joined)


def test_longest_phrase(tmp_path: Path) -> None:
    line = "a b c d e f g h i"
    links = " ".join(f"{i}-{i}" for i in range(9))
    assert len(build(tmp_path, line, line, links)) == 9 + 8 + 7 + 6 + 5 + 4 + 3
    assert len(build(tmp_path, line, line, links, max_length=2)) == 9 + 8
    for length in (0, 8):
        with pytest.raises(InputError, match="1 to 7"):
            build(tmp_path, line, line, links, max_length=length)


def test_longest_sentence(tmp_path: Path) -> None:
    (line,) = build(tmp_path, "a " * 65534 + "b", "x", "65534-0", max_length=1)
    assert line.startswith("b ||| x ||| 1 1 1 1 ")


@pytest.mark.parametrize(
    ("source", "target", "alignment", "message"),
    [
        ("a / b", "x", "0-0 / 0-0", "target: ends after 1 lines"),
        ("a / b", "x / y", "0-0", "alignment: ends after 1 lines"),
        ("a / b", "x / y", "0-0 / 1-0", "alignment:2: link 1-0 lies outside the pair of 1 and 1"),
        ("a / b", "x / y", "0-0 / 0-1", "alignment:2: link 0-1 lies outside"),
        ("a", "x", "0:0", "alignment:1: '0:0' is not a link"),
        ("a", "x", "0-0-0", "alignment:1: '0-0-0' is not a link"),
        ("a", "x", "0-0 ||| -1.5", "alignment:1: a column behind the links, .* of fast_align -s"),
        ("a", "x", "-1-0", "alignment:1: '-1-0' is not a link"),
        ("a", "x", "99999999999-0", "alignment:1: '99999999999-0' is not a link"),
        ("a " * 65536, "x", "0-0", "source:1: a sentence of over 65535 words"),
        ("a", "x " * 65536, "0-0", "target:1: a sentence of over 65535 words"),
        ("a ||| b", "x", "0-0", r"source:1: '\|\|\|' is a word"),
        ("a", "x ||| y", "0-0", r"target:1: '\|\|\|' is a word"),
        ("", "", "", "source: no sentence pair"),
        ("a", "x", " ", "alignment: no phrase pair"),
    ],
)
def test_bad_input_is_named_and_nothing_is_written(
    tmp_path: Path, source: str, target: str, alignment: str, message: str
) -> None:
    with pytest.raises(InputError, match=message):
        build(tmp_path, source, target, alignment)
    out = tmp_path / "out"
    assert not out.exists() or not any(out.iterdir())


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="no device that is always full")
def test_a_full_disk_is_an_os_error(tmp_path: Path) -> None:
    bitext = EncodedBitext(str(tmp_path), 1000)
    bitext.add("a", "x", "0-0")
    bitext.finish()
    arguments = bitext, Lexicon(bitext, 1000), False, 7, 1, 1000, str(tmp_path)
    with pytest.raises(OSError, match="No space left on device: '/dev/full'"):
        write_tables(*arguments, "/dev/full", str(tmp_path / "r.gz"))
