"""`nlmt nbest`, and `-`, replacing and interpolation in `nlmt rescore`."""

import gzip
import io
import json
import sys
from pathlib import Path

import pytest

from nlmt.cli import main
from nlmt.evaluation import BLEU
from nlmt.io.nbest import read_nbest

MODEL = str(Path(__file__).parents[2] / "golden/model/lm.arpa.gz")
LIST = (
    "0 ||| a b  ||| LM0= -1 T= 0 -2 ||| -1 ||| 0-1=0-1\n"
    "0 ||| a c d e  ||| LM0= -2 T= 0 -1 ||| -2\n"
    "2 ||| a b  ||| LM0= -4 T= 1 -3 ||| -4\n"
    "2 |||  ||| LM0= -5 T= 1 -1 ||| -5\n"
)


@pytest.fixture
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    Path("list").write_text(LIST)
    Path("ref").write_text("a c d e\nx\na b\n")
    Path("weights.json").write_text(json.dumps({"weights": {"LM0": [0.5], "T": [1, 2], "U": [1]}}))
    return tmp_path


def give(monkeypatch: pytest.MonkeyPatch, content: bytes) -> None:
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(content)))


def test_totals_and_order(here: Path) -> None:
    assert main(["nbest", "totals", "list", "new.gz", "--weights", "weights.json"]) == 0
    assert gzip.decompress(Path("new.gz").read_bytes()).decode() == (
        "0 ||| a b  ||| LM0= -1 T= 0 -2 ||| -4.5 ||| 0-1=0-1\n"
        "0 ||| a c d e  ||| LM0= -2 T= 0 -1 ||| -3\n"
        "2 ||| a b  ||| LM0= -4 T= 1 -3 ||| -7\n"
        "2 |||  ||| LM0= -5 T= 1 -1 ||| -3.5\n"
    )
    assert main(["nbest", "sort", "new.gz", "sorted"]) == 0
    assert read_nbest("sorted").totals.tolist() == [-3, -4.5, -3.5, -7]
    assert main(["nbest", "sort", "list", "both", "--weights", "weights.json"]) == 0
    assert Path("both").read_bytes() == Path("sorted").read_bytes()
    assert main(["nbest", "sort", "new.gz", "short", "--size", "1"]) == 0
    assert read_nbest("short").totals.tolist() == [-3, -3.5]
    assert main(["nbest", "sort", "list", "same"]) == 0
    assert Path("same").read_text() == LIST


def test_choices(here: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["nbest", "best", "list"]) == 0
    assert capsys.readouterr().out == "a b\n\na b\n"
    assert main(["nbest", "best", "list", "out", "--weights", "weights.json"]) == 0
    assert Path("out").read_text() == "a c d e\n\n\n"
    assert main(["nbest", "mbr", "list", "--size", "1", "--sentences", "4"]) == 0
    assert capsys.readouterr().out == "a b\n\na b\n\n"
    assert main(["nbest", "oracle", "list", "--reference", "ref"]) == 0
    assert capsys.readouterr().out == "a c d e\n\na b\n"
    assert (
        main(["nbest", "oracle", "list", "--reference", "ref", "--worst", "--metric", "ter"]) == 0
    )
    assert capsys.readouterr().out == "a b\n\n\n"


def test_info(here: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["nbest", "info", "list", "--reference", "ref"]) == 0
    printed = capsys.readouterr().out.splitlines()
    assert printed[:2] == [
        "sentences: 2, 1 missing before the last",
        "hypotheses: 4; a sentence 2 to 2, median 2",
    ]
    assert "LM0[0]: -5 to -1, mean -3" in printed
    assert "T[1]: -3 to -1, mean -1.75" in printed
    oracle = BLEU.corpus_score(["a c d e", "", "a b"], [["a c d e", "x", "a b"]])
    assert f"BLEU of the oracle: {oracle.value:.2f}" in printed


def test_standard_input_and_output(
    here: Path, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    for content in (LIST.encode(), gzip.compress(LIST.encode())):
        give(monkeypatch, content)
        assert main(["nbest", "sort", "-", "-"]) == 0
        assert capfd.readouterr().out == LIST
    give(monkeypatch, LIST.encode() + b"3 ||| a\n")
    assert main(["nbest", "sort", "-", "-"]) == 1
    printed = capfd.readouterr()
    assert printed.out == ""
    assert printed.err.startswith("nlmt nbest: standard input:5: malformed n-best line: 2 of")
    give(monkeypatch, LIST.encode())
    assert main(["rescore", "--nbest", "-", "--out", "-", "--model", MODEL]) == 0
    printed = capfd.readouterr()
    assert printed.out.startswith("0 ||| a b  ||| LM0= -1 T= 0 -2 NLM0= -")
    assert "NLM0: 4 hypotheses" in printed.err


def test_errors(here: Path, capsys: pytest.CaptureFixture[str]) -> None:
    for arguments, message in (
        (["sort", "list", "./list"], "list: input and output are the same file"),
        (["best", "list", "new", "--sentences", "2"], "list: the list has a sentence 2, but"),
    ):
        assert main(["nbest", *arguments]) == 1
        assert message in capsys.readouterr().err
    assert not Path("new").exists()
    assert Path("list").read_text() == LIST


def test_replacing(here: Path, capsys: pytest.CaptureFixture[str]) -> None:
    command = ["rescore", "--nbest", "list", "--out", "new", "--model", MODEL]
    assert main([*command, "--replace", "LM1"]) == 1
    assert "list: no LM1 to replace (it has LM0, T)" in capsys.readouterr().err
    assert main([*command, "--replace", "LM0", "--model", MODEL, "--label", "X"]) == 0
    new = read_nbest("new")
    assert new.feature_names == [("LM0", 1), ("T", 2), ("X", 1)]
    assert new.features[:, 0].tolist() == new.features[:, 3].tolist()


def test_interpolation(here: Path, capsys: pytest.CaptureFixture[str]) -> None:
    Path("text").write_text("the house\na small house\n")
    command = ["rescore", "--nbest", "list", "--model", MODEL, "--model", MODEL]
    assert main([*command, "--out", "one", "--label", "A", "--label", "B"]) == 0
    assert main([*command, "--out", "two", "--interpolate", "1", "3", "--label", "A"]) == 0
    capsys.readouterr()
    assert main([*command, "--out", "three", "--interpolate-on", "text", "--label", "A"]) == 0
    printed = capsys.readouterr().out.splitlines()
    assert printed[0].startswith(f"{MODEL}: weight 0.5000, perplexity ")
    assert printed[2].startswith("interpolated: perplexity ")
    assert printed[0].split()[-1] == printed[2].split()[-1]
    assert Path("two").read_bytes() == Path("three").read_bytes()
    one, two = read_nbest("one"), read_nbest("two")
    assert two.feature_names == [("LM0", 1), ("T", 2), ("A", 1)]
    assert two.features[:, 3] == pytest.approx(one.features[:, 3], rel=1e-5)
