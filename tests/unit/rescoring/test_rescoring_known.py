"""Scores that another list has: the same lists come out, and models are asked for the rest only."""

from collections.abc import Sequence
from itertools import pairwise
from pathlib import Path

import numpy as np
import pytest
from nbest_lists import blocks_of
from numpy.typing import NDArray

from nlmt.errors import InputError
from nlmt.rescoring import TupleModel, rescore
from nlmt.rescoring.known import KnownScores

WORDS = "abcd"
FIRST = [(0, "a b"), (0, "b a"), (1, "a b c"), (1, ""), (3, "d d")]
SECOND = [(0, "b a"), (0, "c"), (0, "c"), (1, "a b"), (2, "a b c"), (3, "d d"), (3, "d c")]
SOURCE = ["x y", "y y", "x x y", "y x"]


class Letters:
    """A score of its own for each sentence, with six digits as in a list."""

    order = 2

    def __init__(self) -> None:
        self.asked: list[str] = []

    def lookup(self, words: Sequence[str]) -> NDArray[np.int32]:
        return np.array([WORDS.find(word[-1]) + 1 for word in words], np.int32)

    def score_sentences(
        self, ids: NDArray[np.int32], offsets: NDArray[np.int64]
    ) -> NDArray[np.float64]:
        assert len(offsets) > 1
        rows = [ids[i:j].tolist() for i, j in pairwise(offsets)]
        self.asked += ["".join((" " + WORDS)[word] for word in row) for row in rows]
        return np.array([-0.1 - sum(word * 5**k for k, word in enumerate(row)) for row in rows])


def write(path: Path, hypotheses: Sequence[tuple[int, str]], links: str = "0-0") -> Path:
    """Each word is aligned with the first of the source, unless `links` says otherwise."""
    lines = [
        f"{sentence} ||| {words}  ||| LM0= -1 ||| -1 ||| {links if words else ''}\n"
        for sentence, words in hypotheses
    ]
    path.write_text("".join(lines))
    return path


@pytest.fixture
def lists(tmp_path: Path) -> tuple[Path, Path, Path]:
    (tmp_path / "source").write_text("".join(f"{line}\n" for line in SOURCE))
    return write(tmp_path / "1", FIRST), write(tmp_path / "2", SECOND), tmp_path / "source"


def test_rows_are_found_by_all_that_is_in_them() -> None:
    random = np.random.default_rng(1)

    def some(n: int) -> tuple[NDArray[np.int32], NDArray[np.int64]]:
        lengths = random.integers(0, 4, n)
        offsets = np.concatenate([[0], np.cumsum(lengths)])
        return random.integers(0, 3, offsets[-1]).astype(np.int32), offsets

    blocks, asked = [some(20), some(30)], some(200)
    scores = [random.normal(size=20), random.normal(size=30)]
    table: dict[tuple[int, ...], float] = {}
    for (ids, offsets), values in zip(blocks, scores, strict=True):
        for (i, j), value in zip(pairwise(offsets), values, strict=True):
            table.setdefault(tuple(ids[i:j]), value)
    found, open_rows = KnownScores.of(blocks, scores).find(asked)
    rows = [tuple(asked[0][i:j]) for i, j in pairwise(asked[1])]
    assert open_rows.tolist() == [i for i, row in enumerate(rows) if row not in table]
    assert 0 < len(open_rows) < len(rows)
    assert found.tolist() == [table.get(row, 0.0) for row in rows]
    nothing, every = KnownScores.of([], []).find(asked)
    assert nothing.tolist() == [0.0] * 200
    assert every.tolist() == list(range(200))


@pytest.mark.parametrize("block_bytes", [1, 60, 1 << 20])
def test_the_same_list_comes_out(lists: tuple[Path, Path, Path], block_bytes: int) -> None:
    first, second, _ = lists
    known, whole, out = (first.with_name(name) for name in ("known", "whole", "out"))
    rescore(first, {"NLM0": Letters()}, known)
    rescore(second, {"NLM0": Letters()}, whole)
    model = Letters()
    with blocks_of(block_bytes):
        counts = rescore(second, {"NLM0": model}, out, known=known)["NLM0"]
    assert out.read_bytes() == whole.read_bytes()
    assert set(model.asked) == {"c", "dc"}
    assert counts.hypotheses == 7
    if block_bytes > 60:
        assert (counts.sentences, counts.known) == (6, 4)
        # <s> c </s> and <s> d c </s>
        assert (counts.ngrams, counts.contexts) == (4, 3)
        assert "6 distinct, 4 of them known, " in str(counts)


def test_nothing_is_asked_where_all_is_known(lists: tuple[Path, Path, Path]) -> None:
    first, _, _ = lists
    known, out, model = first.with_name("known"), first.with_name("out"), Letters()
    rescore(first, {"NLM0": Letters()}, known)
    counts = rescore(first, {"NLM0": model}, out, known=known)["NLM0"]
    assert out.read_bytes() == known.read_bytes()
    assert model.asked == []
    assert (counts.known, counts.ngrams, counts.contexts) == (5, 0, 0)


def test_a_list_without_the_scores(lists: tuple[Path, Path, Path]) -> None:
    first, second, _ = lists
    with pytest.raises(InputError, match=r"1: no scores NLM0 \(rescore it with the model\)"):
        rescore(second, {"NLM0": Letters()}, second.with_name("out"), known=first)
    assert not second.with_name("out").exists()


def test_tuples_are_known_by_tuples(lists: tuple[Path, Path, Path]) -> None:
    first, second, source = lists
    known, whole, out = (first.with_name(name) for name in ("known", "whole", "out"))
    # The same words with other alignments make other tuples.
    write(second, SECOND, "1-0")
    rescore(first, {"T": TupleModel(Letters()), "W": Letters()}, known, source=source)
    rescore(second, {"T": TupleModel(Letters()), "W": Letters()}, whole, source=source)
    tuples, words = Letters(), Letters()
    models = {"T": TupleModel(tuples), "W": words}
    rescore(second, models, out, source=source, known=known)
    assert out.read_bytes() == whole.read_bytes()
    assert set(words.asked) == {"c", "dc"}
    assert tuples.asked
