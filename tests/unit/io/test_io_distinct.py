"""Equal rows and n-grams of ragged arrays, against Python's sets."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from nlmt.io import _nbest

rows_of_few_words = st.lists(st.lists(st.integers(0, 3), max_size=5), max_size=30)


def ragged(rows: list[list[int]]) -> tuple[np.ndarray, np.ndarray]:
    ids = np.array([word for row in rows for word in row], np.int32)
    return ids, np.cumsum([0, *map(len, rows)])


@given(rows_of_few_words)
def test_distinct_rows(rows: list[list[int]]) -> None:
    first, inverse = _nbest.distinct(*ragged(rows))
    kinds = list(dict.fromkeys(map(tuple, rows)))
    assert [tuple(rows[i]) for i in first] == kinds
    assert first.tolist() == [rows.index(list(kind)) for kind in kinds]
    assert [kinds[i] for i in inverse] == [tuple(row) for row in rows]


@given(rows_of_few_words, st.integers(1, 4))
def test_distinct_ngrams(rows: list[list[int]], order: int) -> None:
    ngrams = set()
    for row in rows:
        padded = [*["<s>"] * (order - 1), *row, "</s>"]
        ngrams |= {tuple(padded[i : i + order]) for i in range(len(row) + 1)}
    contexts = {ngram[:-1] for ngram in ngrams}
    assert _nbest.count_ngrams(*ragged(rows), order) == (len(ngrams), len(contexts))


def test_many_rows_make_the_tables_grow() -> None:
    rows = [[i, i % 7] for i in range(100_000)]
    ids, offsets = ragged(rows)
    first, inverse = _nbest.distinct(ids, offsets)
    assert first.tolist() == inverse.tolist() == list(range(100_000))
    # <s> i, i (i % 7), (i % 7) </s>; for i < 7 the pair (i, i) is as new as the others.
    assert _nbest.count_ngrams(ids, offsets, 2) == (200_007, 100_001)


@pytest.mark.parametrize("offsets", [[], [0], [0, 3], [1, 2], [0, 3, 2], [-1, 2]])
def test_rows_outside_the_array_are_refused(offsets: list[int]) -> None:
    rows = np.zeros(2, np.int32), np.array(offsets, np.int64)
    for call in (_nbest.distinct, _nbest.row_hashes, lambda *rows: _nbest.count_ngrams(*rows, 2)):
        with pytest.raises(ValueError, match="offsets must rise from 0"):
            call(*rows)
