"""Scores in a file of their own give the same list as when they are written into it."""

import gzip
from pathlib import Path

import numpy as np
import pytest
from nbest_lists import blocks_of

from nlmt.errors import InputError
from nlmt.io.nbest import NbestList, add_features, iter_nbest, read_nbest
from nlmt.io.nbest_scores import FirstOfEach, iter_scored, read_scored, write_scores

GOLDEN = Path(__file__).parents[2] / "golden" / "output" / "cube.nbest.gz"


def check_equal(found: NbestList, expected: NbestList) -> None:
    assert found.feature_names == expected.feature_names
    assert [found.text(i) for i in range(len(found))] == [
        expected.text(i) for i in range(len(expected))
    ]
    for one, other in (
        (found.sentence, expected.sentence),
        (found.features, expected.features),
        (found.totals, expected.totals),
    ):
        assert one.tolist() == other.tolist()


@pytest.mark.parametrize("first", [3, 1000])
def test_list_with_scores_is_the_list_that_has_them(tmp_path: Path, first: int) -> None:
    lengths = np.diff(read_nbest(GOLDEN).sentence_starts())
    assert lengths.max() > 3
    rows = int(np.minimum(lengths, first).sum())
    values = np.random.default_rng(1).normal(0, 10.0 ** np.arange(rows).clip(0, 12))
    columns = {"NLM0": values, "TM0": values[::-1]}
    add_features(GOLDEN, tmp_path / "whole", columns, first=first)
    scores = tmp_path / "scores.tsv.gz"
    write_scores(scores, GOLDEN, columns, first=first)
    check_equal(read_scored(GOLDEN, scores), read_nbest(tmp_path / "whole"))
    with blocks_of(5000):
        blocks = list(iter_scored(GOLDEN, scores, keep_alignments=True))
    assert len(blocks) > 3
    sizes = np.cumsum([0, *map(len, blocks)])
    whole = read_nbest(tmp_path / "whole", keep_alignments=True)
    assert sizes[-1] == len(whole)
    for begin, block in zip(sizes, blocks, strict=False):
        check_equal(block, whole.take(np.arange(begin, begin + len(block))))
        for row in range(len(block)):
            assert block.alignment(row) == whole.alignment(begin + row)


def test_list_without_scores_stays() -> None:
    check_equal(read_scored(GOLDEN, None), read_nbest(GOLDEN))
    (block,), (expected,) = iter_scored(GOLDEN, None), iter_nbest(GOLDEN)
    check_equal(block, expected)


def test_list_without_hypotheses(tmp_path: Path) -> None:
    nbest, scores = tmp_path / "list", tmp_path / "scores"
    nbest.write_text("")
    write_scores(scores, nbest, {"NLM0": np.zeros(0)}, first=10)
    assert len(read_scored(nbest, scores)) == 0
    assert list(iter_scored(nbest, scores)) == []


def test_scores_are_a_table(tmp_path: Path) -> None:
    nbest, scores = tmp_path / "list", tmp_path / "scores.gz"
    nbest.write_text("0 ||| a ||| LM0= -1 ||| -1\n0 ||| b ||| LM0= -2 ||| -2\n")
    columns = {"NLM0": np.array([-1234567.0]), "NLM1": np.array([-0.00001234567])}
    write_scores(scores, nbest, columns, first=1)
    head, *lines = gzip.decompress(scores.read_bytes()).decode().splitlines()
    of_sha256sum = "ffe5d3a44e7283ecf6619598024a2c7053dbeb59128ef7eeaf0049c769064332"
    assert head == f"# first 1 of each sentence of the list {of_sha256sum}"
    assert lines == ["NLM0\tNLM1", "-1.23457e+06\t-1.23457e-05"]


@pytest.mark.parametrize(
    ("damage", "what"),
    [
        (lambda text: text.replace("# first", "first"), r"/scores:1: no scores of an n-best list"),
        (lambda _: "", r"/scores:1: no scores of an n-best list"),
        (lambda text: text.replace("10", "1" * 5000, 1), r"/scores:1: no scores of an n-best list"),
        (lambda text: text.rpartition("-2")[0], "fewer scores than hypotheses"),
        (lambda text: text + "-3\n", "more scores than hypotheses"),
        (lambda text: text.replace("-2", "-2\t-3"), "more scores than hypotheses"),
        (lambda text: text.replace("NLM0", "NLM0\tNLM1"), "fewer scores than hypotheses"),
        (lambda text: text.replace("NLM0\n", "NLM0\tNLM1\n0\n"), "malformed scores"),
        (lambda text: text.replace("-2", "two"), "malformed scores"),
        (lambda text: text.replace("-2", "nan"), "malformed scores"),
    ],
)
def test_damaged_scores_are_refused(tmp_path: Path, damage, what: str) -> None:
    nbest, scores = tmp_path / "list", tmp_path / "scores"
    nbest.write_text("0 ||| a ||| LM0= -1 ||| -1\n1 ||| b ||| LM0= -2 ||| -2\n")
    write_scores(scores, nbest, {"NLM0": np.array([-1.0, -2.0])}, first=10)
    scores.write_text(damage(scores.read_text()))
    with pytest.raises(InputError, match=what):
        read_scored(nbest, scores)
    with blocks_of(1), pytest.raises(InputError, match=what):
        list(iter_scored(nbest, scores))


def test_labels_of_the_list_are_taken(tmp_path: Path) -> None:
    (tmp_path / "list").write_text("0 ||| a ||| LM0= -1 TM0= -1 ||| -1\n")
    columns = {"TM0": np.zeros(1), "LM0": np.zeros(1)}
    with pytest.raises(InputError, match="the list has a feature LM0 already"):
        write_scores(tmp_path / "scores", tmp_path / "list", columns, first=1)


def test_scores_of_another_list_are_refused(tmp_path: Path) -> None:
    nbest, scores = tmp_path / "list", tmp_path / "scores"
    nbest.write_text("0 ||| a ||| LM0= -1 ||| -1\n")
    write_scores(scores, nbest, {"NLM0": np.array([-1.0])}, first=10)
    nbest.write_text("0 ||| b ||| LM0= -1 ||| -1\n")
    with pytest.raises(InputError, match="scores of another list than"):
        read_scored(nbest, scores)


def test_blocks_need_no_whole_sentences(tmp_path: Path) -> None:
    nbest, scores = tmp_path / "list", tmp_path / "scores"
    nbest.write_text("".join(f"7 ||| {word} ||| LM0= -1 ||| -1\n" for word in "abcd"))
    write_scores(scores, nbest, {"NLM0": np.array([-1.0, -2.0])}, first=2)
    for scored, rows in ((None, [1, 1, 1, 1]), (scores, [1, 1, 0, 0])):
        with blocks_of(1):
            blocks = list(iter_scored(nbest, scored))
        assert [len(block) for block in blocks] == rows
        assert all(block.alignments is None for block in blocks)


def test_the_first_of_each_sentence_over_blocks(tmp_path: Path) -> None:
    (tmp_path / "list").write_text(
        "".join(f"{number} ||| a ||| LM0= -1 ||| -1\n" for number in (0, 0, 1, 1, 1, 2))
    )
    whole = read_nbest(tmp_path / "list")
    blocks = [whole.take(np.arange(*ends)) for ends in ((0, 1), (1, 4), (4, 4), (4, 6))]
    for first, expected in (
        (2, [[0], [0, 1, 2], [], [1]]),
        (1, [[0], [1], [], [1]]),
        (None, [[0], [0, 1, 2], [], [0, 1]]),
    ):
        selected = FirstOfEach(first)
        assert [selected.rows(block).tolist() for block in blocks] == expected
