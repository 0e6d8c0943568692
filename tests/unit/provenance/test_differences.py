"""Comparing files and folders of results."""

import gzip
import json
import shutil
from pathlib import Path

import pytest

from nlmt.cli import main
from nlmt.provenance.compare import compare, compare_scores
from nlmt.provenance.differences import difference


@pytest.mark.parametrize(
    ("name", "one", "other", "expected"),
    [
        ("m.json", '{"a": 1, "seconds": 2}', '{"a": 1, "seconds": 3}', ""),
        ("m.json", '{"a": [1, 2.0]}', '{"a": [1, 2.5]}', "1 values, most a.1: 2.0 | 2.5"),
        ("t.tsv", "x\tseconds\n1\t2\n", "x\tseconds\n1\t9\n", ""),
        ("t.tsv", "x\ty\n1\t2\n", "x\ty\n1.1\t9\n", "2 cells, most line 2, y: 2 | 9"),
        ("t.tsv", "x\n1\n", "y\n1\n", "other columns: ['x'] | ['y']"),
        ("t.hyp", "a\nb\n", "a\nc\nd\n", "2 of 3 lines, first line 2: b | c"),
        ("t.bin", "abc", "abd", "from byte 2; 3 bytes"),
        ("t.bin", "abc", "ab", "from byte 2; 3 and 2 bytes"),
    ],
)
def test_by_the_kind_of_file(
    tmp_path: Path, name: str, one: str, other: str, expected: str
) -> None:
    for folder, content in (("a", one), ("b", other)):
        (tmp_path / folder).mkdir()
        (tmp_path / folder / name).write_text(content)
    assert difference(tmp_path / "a" / name, tmp_path / "b" / name) == expected


def test_compressed_text_is_compared_by_its_lines(tmp_path: Path) -> None:
    one, other, third = (tmp_path / f"{name}.gz" for name in "abc")
    one.write_bytes(gzip.compress(b"x\ny\n", 1, mtime=0))
    other.write_bytes(gzip.compress(b"x\nz\n", 1, mtime=0))
    third.write_bytes(gzip.compress(b"x\ny\n", 1, mtime=5))
    assert difference(one, other) == "1 of 2 lines, first line 2: y | z"
    assert difference(one, third) == "the same text, compressed in another way"


@pytest.fixture
def folders(tmp_path: Path) -> tuple[Path, Path]:
    pair = tmp_path / "one/help/fr-en"
    for place in ("eval", "decode", "text", "lm"):
        (pair / place).mkdir(parents=True)
        (pair / place / "made.txt").write_text("a\n")
    scores = {"scores": {"test": {"BLEU": {"mean": 55.0}}}}
    (pair / "eval/nlm.json").write_text(json.dumps(scores))
    (tmp_path / "one/logs").mkdir()
    (tmp_path / "one/logs/x.log").write_text("1")
    shutil.copytree(tmp_path / "one", tmp_path / "two")
    return tmp_path / "one", tmp_path / "two"


def test_equal_folders(folders: tuple[Path, Path], capsys: pytest.CaptureFixture[str]) -> None:
    (folders[1] / "logs/x.log").write_text("2")
    assert main(["diff", *map(str, folders)]) == 0
    assert "BLEU 55.00, the same\nnothing differs" in capsys.readouterr().out


def test_the_first_difference_is_that_of_the_pipeline(
    folders: tuple[Path, Path], capsys: pytest.CaptureFixture[str]
) -> None:
    pair = folders[1] / "help/fr-en"
    (pair / "decode/made.txt").write_text("b\n")
    (pair / "lm/made.txt").unlink()
    scores = {"scores": {"test": {"BLEU": {"mean": 55.5}}}}
    (pair / "eval/nlm.json").write_text(json.dumps(scores))
    found = list(compare(*folders))
    assert [one.path for one in found] == [
        *("help/fr-en/lm/made.txt", "help/fr-en/decode/made.txt", "help/fr-en/eval/nlm.json"),
    ]
    assert found[0].what == f"only in {folders[0]}"
    (scored,) = compare_scores(*folders)
    assert (scored.first, scored.second) == (55.0, 55.5)
    assert main(["diff", *map(str, folders), "--show", "1"]) == 1
    text = capsys.readouterr().out
    assert "55.00 and 55.50 (+0.50)" in text
    assert "the first is help/fr-en/lm/made.txt" in text
    assert "... and 2 more" in text
