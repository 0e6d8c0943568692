"""Counting, and the mutual information of classes, by hand."""

import math

import numpy as np
import pytest

from nlmt.classes import average_mutual_information, bigrams, count_bigrams, read_bigrams
from nlmt.errors import InputError


def as_dict(counted):
    names = [*counted.words, "|"]
    return {
        (names[a], names[b]): int(n)
        for a, b, n in zip(counted.first, counted.second, counted.number, strict=True)
    }


def test_count_bigrams_by_hand():
    counted = count_bigrams(["b a a", "", "c"])
    assert counted.words == ("a", "b", "c")  # b and c are equally frequent
    assert counted.counts.tolist() == [2, 1, 1]
    assert counted.sentences == 2
    assert as_dict(counted) == {
        ("|", "b"): 1,
        ("b", "a"): 1,
        ("a", "a"): 1,
        ("a", "|"): 1,
        ("|", "c"): 1,
        ("c", "|"): 1,
    }
    order = list(zip(counted.first, counted.second, strict=True))
    assert order == sorted(order)


def test_words_are_those_between_spaces_and_tabs():
    assert count_bigrams([" a\fb\tc\u00a0d "]).words == ("a\fb", "c\u00a0d")


def test_each_word_has_a_neighbour_on_either_side():
    counted = count_bigrams(["a b c a", "<unk> a", "b"])
    marginals = [*counted.counts, counted.sentences]
    for side in (counted.first, counted.second):
        assert np.bincount(side, weights=counted.number).tolist() == marginals


def test_only_ascii_white_space_separates():
    assert count_bigrams(["a\u00a0b \tc\u3000d  e"]).words == ("a\u00a0b", "c\u3000d", "e")


def test_blocks_add_up(monkeypatch):
    lines = ["a b", "b a", "", "a a b", "c", "a b", "", "", "", ""]
    whole = count_bigrams(lines)
    monkeypatch.setattr(bigrams, "BLOCK", 2)
    parts = count_bigrams(iter(lines))
    assert parts.words == whole.words
    assert as_dict(parts) == as_dict(whole)


def test_read_bigrams_of_empty_text_names_the_file(tmp_path):
    (tmp_path / "text").write_text(" \n")
    with pytest.raises(InputError, match=r"text: no words to cluster"):
        read_bigrams(tmp_path / "text")


def test_mutual_information_by_hand():
    # Bigrams: | a, a b, b |, twice each: six, all certain given the other word.
    counted = count_bigrams(["a b", "a b"])
    apart = average_mutual_information(counted, np.array([0, 1], dtype=np.int32))
    assert apart == pytest.approx(math.log(3))
    # One class X: | X, X X, X |, a third each; p(X) = 2/3, p(|) = 1/3.
    joint = average_mutual_information(counted, np.array([0, 0], dtype=np.int32))
    expected = 2 / 3 * math.log((1 / 3) / (2 / 9)) + 1 / 3 * math.log((1 / 3) / (4 / 9))
    assert joint == pytest.approx(expected)


def test_mutual_information_of_nothing():
    assert average_mutual_information(count_bigrams([]), np.empty(0, dtype=np.int32)) == 0.0
