"""Lists that are not as they should be, for every command that reads one: handled, or one message.

A message names file and line, the exit status is 1, and no output is left.
"""

import gzip
import logging
from pathlib import Path

import pytest
from nbest_lists import blocks_of

from nlmt.cli import main
from nlmt.io.nbest import add_features
from nlmt.rescoring import measure_spread, minimum_risk, oracle, rerank

MODEL = str(Path(__file__).parents[2] / "golden" / "model" / "lm.arpa.gz")
ONE = "0 ||| a b c d e  ||| LM0= -1 TM0= -2 ||| -1\n"
# Sentence 2 is missing, sentence 1 is an empty line and a list of one.
LIST = ONE + (
    "0 ||| a b c d x  ||| LM0= -2 TM0= -1 ||| -2\n"
    "1 |||   ||| LM0= 0 TM0= 0 ||| 0\n"
    "3 ||| a a a a a  ||| LM0= -1 TM0= -1 ||| 0\n"
    "3 ||| b b b b b  ||| LM0= -2 TM0= -5 ||| 0\n"
)
COMMANDS = {
    "info": "nbest info list --reference ref",
    "totals": "nbest totals list out --weights w.json",
    "sort": "nbest sort list out --distinct",
    "merge": "nbest merge good list --out out",
    "best": "nbest best list out --weights w.json",
    "mbr": "nbest mbr list out --weights w.json",
    "oracle": "nbest oracle list out --reference ref",
    "rescore": f"rescore --nbest list --model {MODEL} --out out --one-best out2 --weights w.json",
    "rerank": "rescore --nbest list --weights w.json --one-best out",
    "tune": "tune --nbest list --reference ref --weights w.json --out out --restarts 1",
    "tune-two": "tune --nbest good list --reference ref --weights w.json --out out --restarts 1",
}
BAD = {
    "a sentence comes back": (LIST + ONE, "list:6: sentence 0 after sentence 3"),
    "another label": (LIST.replace("LM0= -2 TM0= -5", "X0= -2 TM0= -5"), "list:5: the features"),
    "nan": (LIST.replace("TM0= -5", "TM0= nan"), "list:5: 'nan' is not a finite score"),
    "infinite": (LIST.replace("LM0= -2 TM0= -5", "LM0= -inf TM0= -5"), "list:5: '-inf' is not"),
    "truncated gzip": (gzip.compress(LIST.encode())[:-9], "list:6: damaged or truncated gzip"),
    "an empty line": (LIST.replace("\n1 |||", "\n\n1 |||"), "list:3: malformed n-best line"),
    "a line cut short": (LIST[:-20], "list:5: "),
    "too large a number": (LIST + ONE.replace("0", "3000000000", 1), "list:6: '3000000000' is no"),
}
# What is handled: content, warning of the commands that write one line a sentence, and of `tune`.
ODD = {
    "gaps": (LIST, "no hypotheses for 1 of 4 sentences"),
    "fewer than references": (ONE + ONE, "no hypotheses for 3 of 4 sentences"),
    "one hypothesis": (ONE, "no hypotheses for 3 of 4 sentences"),
    "no newline at the end": (LIST[:-1], ""),
    "CRLF": (LIST.replace("\n", "\r\n"), ""),
}


@pytest.fixture
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    Path("good").write_text(LIST)
    Path("ref").write_text("a b c d e\n\nx\nb b b b b\n")
    Path("w.json").write_text('{"weights": {"LM0": [0.5], "TM0": [0.5], "NLM0": [1], "U": [1]}}')
    return tmp_path


def run(command: str, content: str | bytes) -> int:
    Path("list").write_bytes(content if isinstance(content, bytes) else content.encode())
    return main(command.split())


def assert_refused(
    command: str, content: str | bytes, message: str, capsys: pytest.CaptureFixture[str]
) -> None:
    before = sorted(Path().iterdir())
    assert run(command, content) == 1, command
    printed = capsys.readouterr()
    (line,) = printed.err.splitlines()
    assert message in line, command
    assert printed.out == ""
    assert set(Path().iterdir()) - set(before) <= {Path("list")}


@pytest.mark.parametrize("what", BAD)
def test_what_is_broken_is_one_message(
    here: Path, capsys: pytest.CaptureFixture[str], what: str
) -> None:
    for command in COMMANDS.values():
        assert_refused(command, *BAD[what], capsys)


@pytest.mark.parametrize("what", ODD)
def test_what_is_odd_is_handled(
    here: Path, caplog: pytest.LogCaptureFixture, capsys: pytest.CaptureFixture[str], what: str
) -> None:
    caplog.set_level(logging.WARNING)
    content, warning = ODD[what]
    for name, command in COMMANDS.items():
        caplog.clear()
        assert run(command, content) == 0, name
        assert "Traceback" not in capsys.readouterr().err
        if name in ("best", "mbr", "rerank"):
            caplog.clear()
            assert run(f"{command} --sentences 4", content) == 0
            assert warning in caplog.text
        if name in ("oracle", "tune"):
            assert warning in caplog.text
        if name in ("best", "mbr", "oracle", "rerank"):
            assert len(Path("out").read_text().splitlines()) == 4


@pytest.mark.parametrize("content", [b"", gzip.compress(b"", mtime=0)])
def test_empty_files(here: Path, capsys: pytest.CaptureFixture[str], content: bytes) -> None:
    for name, command in COMMANDS.items():
        if name in ("info", "oracle", "tune", "tune-two"):
            assert_refused(command, content, "list: a list without hypotheses", capsys)
        else:
            assert run(command, content) == 0
            assert bool(Path("out").read_bytes()) == (name == "merge")
            capsys.readouterr()
        Path("out").unlink(missing_ok=True)
        Path("out2").unlink(missing_ok=True)


def test_labels_sentences_and_scores_that_do_not_fit(
    here: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    unknown, wide = LIST.replace("TM0", "XM0"), LIST.replace("TM0= ", "")
    beyond, far = (LIST + ONE.replace("0", number, 1) for number in ("4", "2000000000"))
    large = LIST.replace("TM0= -5", "TM0= -1e308").replace("LM0= -2", "LM0= -1e308")
    Path("heavy.json").write_text('{"weights": {"LM0": [2], "TM0": [2], "NLM0": [2]}}')
    no_weight = "list: no weight for the feature XM0 (there are LM0, TM0, NLM0, U)"
    for content, message, names in (
        (unknown, no_weight, ["totals", "best", "mbr", "rescore", "rerank"]),
        (
            wide,
            "list: LM0 has 2 values, but 1 weights",
            ["totals", "best", "mbr", "rerank", "tune"],
        ),
        (unknown, "list: other features than good: it has XM0, it lacks TM0", ["merge"]),
        (unknown, "list: other features than good: it has XM0", ["tune-two"]),
        (
            beyond,
            "list:6: the n-best list has a sentence 4, but there are 4 references",
            ["info", "oracle", "tune", "tune-two"],
        ),
        (
            far,
            "list: the list has a sentence 2000000000, but hypotheses of only 4",
            ["best", "mbr", "rerank"],
        ),
        (large, "list:2: a score of 1e+30 or more", ["tune", "tune-two"]),
    ):
        for name in names:
            assert_refused(COMMANDS[name], content, message, capsys)
    for name in ("totals", "best", "mbr", "rerank", "rescore"):
        command = COMMANDS[name].replace("w.json", "heavy.json")
        assert_refused(command, large, "list:2: the new total is not a finite number", capsys)
    scaled = f"{COMMANDS['mbr']} --scale 1e308"
    assert_refused(scaled, LIST.replace("TM0= -5", "TM0= -50"), "list: scale 1e+308: too", capsys)


def test_one_sentence_longer_than_a_block(here: Path) -> None:
    size = 5000
    lines = [f"0 ||| w{i % 1000} a b c d ||| F= {-i} ||| {-(i * 7 % size)}\n" for i in range(size)]
    path = Path("long")
    path.write_text("".join(lines))
    whole = minimum_risk(path, size=9)
    with blocks_of(1 << 12):
        assert rerank(path, None) == ["w0 a b c d"]
        assert minimum_risk(path, size=9) == whole
        spread = measure_spread(path)
    assert rerank(path, None) == ["w0 a b c d"]
    assert (spread.hypotheses, spread.distinct.tolist()) == (size, [1000])
    assert oracle(path, [["w77 a b c d"]]).texts == {0: "w77 a b c d"}
    assert add_features(path, "new", {}, sort=True, distinct=True) == size
    assert measure_spread("new").sizes.tolist() == [1000]
