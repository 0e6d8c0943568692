"""Comparing files and folders of results."""

import gzip
import json
import shutil
from dataclasses import asdict
from pathlib import Path

import pytest
from job_records import job_record

from nlmt.cli import main
from nlmt.provenance.compare import compare, compare_scores
from nlmt.provenance.differences import difference


@pytest.mark.parametrize(
    ("name", "one", "other", "expected"),
    [
        ("m.json", '{"a": 1, "seconds": 2}', '{"a": 1, "seconds": 3}', ""),
        (
            "speed.json",
            '{"load": [1], "busy": true, "a": 1}',
            '{"load": [2], "busy": false, "a": 1}',
            "",
        ),
        (
            "m.json",
            '{"load": [1], "Training": "x"}',
            '{"load": [2], "Training": "y"}',
            "2 values, most Training: x | y",
        ),
        ("m.json", '{"a": [1, 2.0]}', '{"a": [1, 2.5]}', "1 values, most a.1: 2.0 | 2.5"),
        ("t.tsv", "x\tseconds\n1\t2\n", "x\tseconds\n1\t9\n", ""),
        ("t.tsv", "x\ty\n1\t2\n", "x\ty\n1.1\t9\n", "2 cells, most line 2, y: 2 | 9"),
        ("t.tsv", "x\n1\n", "y\n1\n", "other columns: ['x'] | ['y']"),
        ("t.tsv", "y\n1\n", "x\n1\n", "other columns: ['y'] | ['x']"),
        ("t.hyp", "a\nb\n", "a\nc\nd\n", "2 of 3 lines, first line 2: b | c"),
        ("t.tsv", "x\n1\n2\n", "x\n1\n", "1 cells, most line 3, x: 2 | "),
        ("t.tsv", "x\ty\n1\t9\n", "x\ty\n1\n", "1 cells, most line 2, y: 9 | "),
        ("t.tsv", "x\n0\n", "x\n0.0\n", "1 cells, most line 2, x: 0 | 0.0"),
        ("t.tsv", "", "x\n", "other columns: [] | ['x']"),
        ("t.tsv", "x\n", "", "other columns: ['x'] | []"),
        ("t.hyp", "a\n", "a\nb\n", "1 of 2 lines, first line 2: nothing | b"),
        ("t.hyp", "a" * 60, "b" * 61, f"1 of 1 lines, first line 1: {'a' * 60} | {'b' * 60}..."),
        # Of the numbers 0.5 | 0 differs most, by its whole size; a text more than any number.
        ("m.json", "[9, 0.5, 0]", "[10, 0, 0]", "2 values, most 1: 0.5 | 0"),
        ("m.json", '[-1, [1, "a"]]', '[1, [1, "b"]]', "2 values, most 1.1: a | b"),
        ("m.json", '{"a": {"b": 1}}', '{"a": {}}', "1 values, most a.b: 1 | nothing"),
        ("m.json", '{"a": null}', "{}", "1 values, most a: null | nothing"),
        ("m.json", '{"a": 1, "b": 2}', '{"b": 2, "a": 1}', ""),
        ("t.bin", "abc", "abd", "from byte 2; 3 bytes"),
        (
            "t.bin",
            "a" * (1 << 20) + "bc",
            "a" * (1 << 20) + "bd",
            "from byte 1048577; 1048578 bytes",
        ),
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
    shutil.copy(one, other)
    assert difference(one, other) == ""
    for name in ("a.bin.gz", "b.tar.gz"):
        (tmp_path / name).write_bytes(gzip.compress(name.encode()))
    assert "first line 1: a.bin.gz | b.tar.gz" in difference(
        tmp_path / "a.bin.gz", tmp_path / "b.tar.gz"
    )


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
        *("help/fr-en/lm/made.txt", "help/fr-en/decode/made.txt", "help/fr-en/eval/nlm.json")
    ]
    assert found[0].what == f"only in {folders[0]}"
    (scored,) = compare_scores(*folders)
    assert (scored.first, scored.second) == (55.0, 55.5)
    assert main(["diff", *map(str, folders), "--show", "1"]) == 1
    text = capsys.readouterr().out
    assert "55.00 and 55.50 (+0.50)" in text
    assert "the first is help/fr-en/lm/made.txt" in text
    assert "... and 2 more" in text


def test_what_prepares_text_comes_before_it(folders: tuple[Path, Path]) -> None:
    for folder in folders:
        for name in ("raw", "casing", "pieces", "text", "recaser"):
            path = folder / "help/fr-en" / name / "made.txt"
            path.parent.mkdir(exist_ok=True)
            path.write_text(folder.name)
    found = [Path(one.path).parent.name for one in compare(*folders)]
    assert found == ["raw", "casing", "pieces", "text", "recaser"]


def test_what_is_left_out_and_what_only_one_folder_has(folders: tuple[Path, Path]) -> None:
    (folders[1] / "logs/more.log").touch()
    (folders[1] / "benchmarks").mkdir()
    (folders[1] / "benchmarks/x.tsv").touch()
    (folders[1] / "help/fr-en/eval/.lock").touch()
    assert list(compare(*folders)) == []
    (folders[1] / "help/fr-en/eval/more.json").write_text('{"scores": {"test": {"TER": {}}}}')
    other = {"scores": {"other": {"BLEU": {"mean": 1.5}}}}
    (folders[1] / "help/fr-en/eval/other.json").write_text(json.dumps(other))
    found = list(compare(*folders))
    assert [one.path for one in found] == [
        "help/fr-en/eval/more.json",
        "help/fr-en/eval/other.json",
    ]
    assert found[0].what == f"only in {folders[1]}"
    assert [
        (one.path, one.test_set, one.first, one.second) for one in compare_scores(*folders)
    ] == [
        ("help/fr-en/eval/nlm.json", "test", 55.0, 55.0),
        ("help/fr-en/eval/other.json", "other", None, 1.5),
    ]


@pytest.mark.parametrize("below", ["", "help"])
def test_within_a_stage_files_come_as_their_jobs_began(
    folders: tuple[Path, Path], below: str
) -> None:
    """Tests that the jobs of the first folder order files; those without a record come last."""
    for folder, times in zip(folders, ({"b": 2, "a": 3}, {"a": 1, "b": 2, "c": 0}), strict=True):
        for name in ("a", "b", "c", "d"):
            (folder / "help/fr-en/lm" / name).write_text(folder.name)
        for name, second in times.items():
            job = folder / f"provenance/jobs/make/{name}.json"
            job.parent.mkdir(parents=True, exist_ok=True)
            outputs = {f"results/help/fr-en/lm/{name}": "", "results/elsewhere": ""}
            record = job_record(outputs=outputs, started=f"2026-01-02T03:04:0{second}")
            job.write_text(json.dumps(asdict(record)))
    found = [Path(one.path).name for one in compare(*(folder / below for folder in folders))]
    assert found == ["c", "b", "a", "d"]
    (folders[1] / "help/fr-en/text/made.txt").write_text("b\n")
    (folders[1] / "new").touch()
    found = [Path(one.path).name for one in compare(*folders)]
    assert found == ["made.txt", "c", "b", "a", "d", "new"]
