"""The best hypotheses under given weights; weight files."""

import logging
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from nbest_lists import blocks_of

from nlmt.errors import InputError
from nlmt.rescoring import rerank


def write_list(path: Path, rows: list[tuple[int, str, list[float]]]) -> Path:
    path.write_text(
        "".join(f"{s} ||| {text}  ||| A= {x} B= {y} {z} ||| 0\n" for s, text, (x, y, z) in rows)
    )
    return path


def test_the_best_of_each_sentence_and_ties_by_order(tmp_path: Path) -> None:
    rows = [(0, "a", [1, 0, 0]), (0, "b", [0, 2, 0]), (0, "c", [0, 0, 1]), (1, "d", [0, 0, 0])]
    path = write_list(tmp_path / "list", [(s, text, list(map(float, x))) for s, text, x in rows])
    assert rerank(path, {"A": [3], "B": [1, 1]}) == ["a", "d"]
    assert rerank(path, {"A": [2], "B": [1, 1]}) == ["a", "d"]
    assert rerank(path, {"A": [0], "B": [1, 2], "unused": [1]}) == ["b", "d"]
    assert rerank(path, {"A": [0], "B": [-1, 1]}) == ["c", "d"]
    assert rerank(path, None) == ["a", "d"]


def test_missing_sentences_are_empty_lines_with_a_warning(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    path = write_list(tmp_path / "list", [(1, "a b", [0, 0, 0]), (3, "", [0, 0, 0])])
    weights = {"A": [1.0], "B": [1.0, 1.0]}
    with caplog.at_level(logging.WARNING):
        assert rerank(path, weights, sentences=5) == ["", "a b", "", "", ""]
    assert "no hypotheses for 3 of 5 sentences, the first being sentence 0" in caplog.text
    with pytest.raises(InputError, match="list: the list has a sentence 3, but there are only 3"):
        rerank(path, weights, sentences=3)


rows = st.lists(
    st.tuples(st.integers(0, 4), st.lists(st.integers(-3, 3), min_size=3, max_size=3)), min_size=1
)


@given(rows=rows, weights=st.lists(st.integers(-2, 2), min_size=3, max_size=3))
def test_rerank_equals_a_plain_search(
    tmp_path_factory: pytest.TempPathFactory, rows: list[tuple[int, list[int]]], weights: list[int]
) -> None:
    path = tmp_path_factory.mktemp("rerank") / "list"
    rows.sort(key=lambda row: row[0])
    write_list(path, [(s, f"h{i}", list(map(float, x))) for i, (s, x) in enumerate(rows)])
    wanted = [""] * 5
    best = [-np.inf] * 5
    for i, (s, x) in enumerate(rows):
        total = sum(a * b for a, b in zip(x, weights, strict=True))
        if total > best[s]:
            best[s], wanted[s] = total, f"h{i}"
    by_label = {"A": weights[:1], "B": weights[1:]}
    assert rerank(path, by_label, sentences=5) == wanted
    with blocks_of(1):
        assert rerank(path, by_label, sentences=5) == wanted
