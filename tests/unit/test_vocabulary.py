from collections import Counter

import pytest

from nlmt.errors import InputError
from nlmt.vocabulary import Vocabulary, count_words


def test_order_is_by_count_then_code_point():
    counts = count_words(["b a b", "c a </s> <unk>"])
    assert counts["a"] == 2
    assert Vocabulary.from_counts(counts).words == ("<unk>", "<s>", "</s>", "a", "b", "c")
    assert Vocabulary.from_counts(counts, 2).words[3:] == ("a", "b")


def test_sentence_marks_and_strange_words_are_unknown():
    vocabulary = Vocabulary.from_counts(Counter({"a": 3, "<UNK>": 1}))  # the latter is a word
    words = ["a", "</s>", "<s>", "z", "<unk>", "<UNK>"]
    assert vocabulary.lookup(words).tolist() == [3, 0, 0, 0, 0, 4]


def test_words_are_split_at_spaces_and_tabs_only():
    counts = count_words(["a\u00a0b\u3000c  d\te\ff\v"])
    assert counts == Counter(["a\u00a0b\u3000c", "d", "e\ff\v"])


def test_round_trip(tmp_path):
    vocabulary = Vocabulary.from_counts(Counter(["x", "y", "\u2028"]))
    vocabulary.save(tmp_path / "v")
    assert Vocabulary.load(tmp_path / "v") == vocabulary


@pytest.mark.parametrize("content", ["a\nb\n", "<unk>\n<s>\n</s>\na\na\n", ""])
def test_another_file_is_a_clear_error(tmp_path, content):
    (tmp_path / "v").write_text(content)
    with pytest.raises(InputError, match="v: "):
        Vocabulary.load(tmp_path / "v")
