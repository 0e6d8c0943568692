"""Translations of other programs as n-best lists."""

import gzip
from pathlib import Path

import pytest

from nlmt.cli import main
from nlmt.errors import InputError
from nlmt.io.nbest import read_nbest
from nlmt.rescoring.conversion import convert_list

ALIGNED = """\
0 ||| the red house ||| 0-0 1-2 2-1 ||| F0= -1.25 F1= 3 ||| -0.3
0 ||| a house ||| 0-0 1-1 ||| F0= -2.25 F1= 0 ||| -0.5
2 |||  ||| ||| F0= -7 F1= 1e-05 ||| -7
"""
SCORED = """\
0 ||| The house ||| WordScores= -0.1 -0.2 ||| F0= -1.25 ||| -0.3
0 ||| A house today ||| WordScores= -0.1 -0.2 -3 ||| F0= -2.25 ||| -0.5
1 ||| It ||| 0-0 ||| WordScores= -1 ||| F0= -1 ||| -1
"""


def converted(tmp_path: Path, text: str, *options: str) -> list[str]:
    (tmp_path / "in").write_text(text)
    out = tmp_path / "out.gz"
    assert main(["nbest", "convert", str(tmp_path / "in"), str(out), *options]) == 0
    return gzip.decompress(out.read_bytes()).decode().splitlines()


def test_marians_alignment_is_behind_the_total_of_moses(tmp_path: Path) -> None:
    assert converted(tmp_path, ALIGNED) == [
        "0 ||| the red house ||| F0= -1.25 F1= 3.0 ||| -0.3 ||| 0-0 1-2 2-1",
        "0 ||| a house ||| F0= -2.25 F1= 0.0 ||| -0.5 ||| 0-0 1-1",
        "2 |||  ||| F0= -7.0 F1= 1e-05 ||| -7.0",
    ]


def test_marians_lists_are_read_as_they_are(tmp_path: Path) -> None:
    (tmp_path / "in").write_text(ALIGNED)
    block = read_nbest(tmp_path / "in", keep_alignments=True)
    assert block.feature_names == [("F0", 1), ("F1", 1)]
    assert block.totals.tolist() == [-0.3, -0.5, -7]
    assert [block.alignment(row) for row in range(3)] == ["0-0 1-2 2-1", "0-0 1-1", ""]
    assert main(["nbest", "sort", str(tmp_path / "in"), str(tmp_path / "sorted")]) == 0
    assert (tmp_path / "sorted").read_text() == ALIGNED


def test_scores_of_words_are_no_features(tmp_path: Path) -> None:
    assert converted(tmp_path, SCORED, "--tokenise", "en", "--casing", "keep") == [
        "0 ||| The house ||| F0= -1.25 ||| -0.3",
        "0 ||| A house today ||| F0= -2.25 ||| -0.5",
        "1 ||| It ||| F0= -1.0 ||| -1.0",
    ]


def test_several_translations_a_line(tmp_path: Path) -> None:
    text = "The re@@ d hou@@ se.\t-1.5\nA house.\t-2\nIt\tis@@\t-3e-1\n\t-4\n"
    assert converted(tmp_path, text, "--each", "2", "--subwords", "bpe", "--tokenise", "en") == [
        "0 ||| the red house . ||| NMT0= -1.5 ||| -1.5",
        "0 ||| a house . ||| NMT0= -2 ||| -2",
        "1 ||| it is ||| NMT0= -3e-1 ||| -3e-1",
        "1 |||  ||| NMT0= -4 ||| -4",
    ]
    other = "-1.5 ||| A house .\nit ||| 0-0\t-2\n-3 ||| A red ||| 0-0 1-1\n-4 ||| \n"
    assert converted(tmp_path, other, "--each", "2") == [
        "0 ||| A house . ||| NMT0= -1.5 ||| -1.5",
        "0 ||| it ||| NMT0= -2 ||| -2",
        "1 ||| A red ||| NMT0= -3 ||| -3",
        "1 |||  ||| NMT0= -4 ||| -4",
    ]
    scores_of_words = "-1.5 ||| A house . ||| -0.5 -1e-05 -1\n-2 ||| a ||| b ||| 0\n"
    assert converted(tmp_path, scores_of_words, "--each", "2", "--tokenise", "en") == [
        "0 ||| a house . ||| NMT0= -1.5 ||| -1.5",
        "0 ||| a &#124; &#124; &#124; b ||| NMT0= -2 ||| -2",
    ]
    assert converted(
        tmp_path, "▁The ▁re d\n▁A\n", "--each", "2", "--subwords", "sentencepiece"
    ) == ["0 ||| The red ||| NMT0= -1 ||| -1", "0 ||| A ||| NMT0= -2 ||| -2"]


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("a\nb\nc\n", r"in: 3 lines are no multiple of 2 \(the number of translations"),
        ("a\t-1\nb\tc\n", r"in:2: 'c' is no score \(a line is: translation, or"),
        *(
            (f"a b\t{score}\nb\n", f"in:1: '{score}' is no score")
            for score in ("nan", "inf", "1_0")
        ),
        ("a ||| 0-0\nb ||| 0-0\n", "in:1: 'a' is no score"),
        ("a\t-1\na ||| b\t-2\n", r"in:2: a translation with the word \|\|\|"),
        ("-1 ||| a ||| b 0-0\nb\n", r"in:1: a translation with the word \|\|\|"),
    ],
)
def test_texts_that_are_refused(tmp_path: Path, text: str, message: str) -> None:
    (tmp_path / "in").write_text(text)
    with pytest.raises(InputError, match=message):
        convert_list(tmp_path / "in", tmp_path / "out", each=2)
    assert not (tmp_path / "out").exists()


def test_a_translation_that_becomes_bars(tmp_path: Path) -> None:
    (tmp_path / "in").write_text(ALIGNED.replace("a house", "|@@ |@@ |"))
    with pytest.raises(InputError, match=r"in:2: a translation with the word \|\|\|"):
        convert_list(tmp_path / "in", tmp_path / "out", subwords="bpe")
    assert not (tmp_path / "out").exists()
