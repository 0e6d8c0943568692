"""Classes of words and trees over words: from files of classes, by counts, saved and loaded."""

import numpy as np
import pytest

from nlmt.errors import InputError
from nlmt.io.files import write_lines
from nlmt.neural.outputs.classes import WordClasses
from nlmt.neural.outputs.tree import WordTree, huffman_codes
from nlmt.vocabulary import Vocabulary

VOCABULARY = Vocabulary(("<unk>", "<s>", "</s>", "a", "b", "c", "d"))
COUNTS = np.array([3.0, 0, 9, 8, 7, 2, 1])
CLASSES = WordClasses(np.array([2, 3, 3, 0, 0, 1, 1], dtype=np.int32))
TREE = WordTree.huffman(COUNTS)


def write(tmp_path, text):
    path = tmp_path / "paths"
    path.write_text(text)
    return path


def rows(heading, places):
    """The text of a saved layout."""
    lines = (f"{word}\t{place}\n" for word, place in zip(VOCABULARY.words, places, strict=True))
    return f"word\t{heading}\n{''.join(lines)}"


def test_classes_of_the_file_and_of_the_special_words(tmp_path):
    rows = ["00\ta\t5", "00\tb\t4", "01\tnot-there\t3", "10\tc\t2", "10\td\t2", "11\t<unk>\t1"]
    path = write(tmp_path, "\n".join(rows) + "\n")
    classes = WordClasses.from_paths(path, VOCABULARY)
    # The class of not-there alone is gone; the numbers have no gap.
    assert classes.of.tolist() == [2, 3, 3, 0, 0, 1, 1]
    assert classes.count == 4


def test_words_without_class_go_to_unk_which_gets_its_own(tmp_path, caplog):
    classes = WordClasses.from_paths(write(tmp_path, "0\ta\t5\n1\tb\t5\n1\tc\t1\n"), VOCABULARY)
    assert classes.of.tolist() == [3, 2, 2, 0, 1, 1, 3]
    assert "1 words without a class, such as d" in caplog.text


def test_classes_of_another_text_are_refused(tmp_path):
    path = write(tmp_path, "0\tx\t5\n1\ty\t5\n")
    says = "4 of the 7 words of the training text have no class"
    with pytest.raises(InputError, match=says):
        WordClasses.from_paths(path, VOCABULARY)
    with pytest.raises(InputError, match=says):
        WordTree.from_paths(path, VOCABULARY, COUNTS)


@pytest.mark.parametrize("layout", [CLASSES, TREE])
def test_round_trip(tmp_path, layout):
    write_lines(tmp_path / "classes.tsv", layout.rows(VOCABULARY))
    loaded = type(layout).load(tmp_path / "classes.tsv", VOCABULARY, {})
    assert loaded.rows(VOCABULARY) == layout.rows(VOCABULARY)


@pytest.mark.parametrize(
    ("kind", "text", "says"),
    [
        (WordClasses, "", "paths"),
        (WordClasses, "word\tclass\n<unk>\t0\n", "paths"),
        (WordClasses, "word\tclass\nz\t0\n", "paths"),
        (WordClasses, "word\tclass\na\tx\n", "paths"),
        (WordClasses, "a\t1\n", "paths"),
        (WordClasses, rows("class", (0, 2, 4, 6, 8, 10, 12)), "a class without words"),
        (WordTree, "", "paths"),
        (WordTree, "word\tclass\n", "paths"),
        (WordTree, "word\tpath\n<unk>\t0\n", "paths"),
        (WordTree, "word\tpath\n<s>\t0\n", "paths"),
        (WordTree, "word\tpath\n<unk>\t2\n", "paths"),
        (WordTree, rows("path", "0000000"), "more than one word"),
    ],
)
def test_damaged_file(tmp_path, kind, text, says):
    with pytest.raises(InputError, match=says):
        kind.load(write(tmp_path, text), VOCABULARY, {})


def test_biases_of_classes_give_the_unigram_model():
    """Also where `<s>`, which is never predicted, is alone in its class."""
    classes = WordClasses(np.array([2, 3, 4, 0, 0, 1, 1], dtype=np.int32))
    counts = np.array([1.0, 0, 4, 3, 2, 5, 1])
    bias = classes.unigram_biases(counts)
    assert not np.isnan(bias["word_bias"]).any()
    found = np.exp(bias["class_bias"][classes.of] + bias["word_bias"])
    assert found == pytest.approx(counts / counts.sum())


def test_huffman_by_hand():
    # 1 + 2 = 3, 3 + 3 = 6, 6 + 5 = 11.
    lengths = [len(code) for code in huffman_codes(np.array([5.0, 3, 2, 1]))]
    assert lengths == [1, 2, 3, 3]
    assert huffman_codes(np.array([4.0])) == [""]


def test_huffman_is_a_full_prefix_code_of_least_length():
    random = np.random.default_rng(1)
    counts = random.integers(0, 30, 200).astype(float)
    codes = huffman_codes(counts)
    # Kraft's sum is one: a prefix code without gaps.
    assert sum(2.0 ** -len(code) for code in codes) == 1
    assert not any(b.startswith(a) for a, b in zip(sorted(codes), sorted(codes)[1:], strict=False))
    mean = np.dot([len(code) for code in codes], counts) / counts.sum()
    shares = counts[counts > 0] / counts.sum()
    entropy = -(shares * np.log2(shares)).sum()
    assert entropy <= mean < entropy + 1


def test_paths_are_numbered_from_the_root_left_first():
    tree = WordTree.from_bits(["10", "0", "111", "110"])
    assert (tree.words, tree.count) == (4, 3)
    assert tree.starts.tolist() == [0, 2, 3, 6, 9]
    assert tree.nodes.tolist() == [0, 1, 0, 0, 1, 2, 0, 1, 2]
    assert tree.signs.tolist() == [1, -1, -1, 1, 1, 1, 1, 1, -1]


def test_nodes_with_one_child_are_left_out():
    assert WordTree.from_bits(["0010", "0111", "0110"]).bits == ("0", "11", "10")
    assert WordTree.from_bits([""]).bits == ("",)


@pytest.mark.parametrize("bits", [["0", "1", "1"], ["0", "1", "10"], ["", "1"]])
def test_paths_that_are_no_tree(bits):
    with pytest.raises(InputError, match="leads to more than one word"):
        WordTree.from_bits(bits)


def test_the_tree_of_brown_classes(tmp_path):
    rows = ["00\ta\t5", "00\tb\t4", "01\tnot-there\t3", "10\tc\t2", "11\td\t2"]
    tree = WordTree.from_paths(write(tmp_path, "\n".join(rows) + "\n"), VOCABULARY, COUNTS)
    # Left of the root: class 00 with a before b, then 10 and 11; right: </s>, <unk>, <s>.
    assert tree.bits == ("110", "111", "10", "000", "001", "010", "011")


def test_one_word_a_class_is_any_tree(tmp_path):
    codes = {"<unk>": "000", "a": "001", "b": "01", "c": "10", "d": "11"}
    path = write(tmp_path, "".join(f"{code}\t{word}\t1\n" for word, code in codes.items()))
    tree = WordTree.from_paths(path, VOCABULARY, COUNTS)
    for word, code in codes.items():
        assert tree.bits[VOCABULARY.words.index(word)] == "0" + code


def test_biases_of_trees_give_the_unigram_model():
    bias = np.clip(TREE.unigram_biases(COUNTS)["node_bias"], -100, 100)
    steps = 1 / (1 + np.exp(-TREE.signs * bias[TREE.nodes]))
    found = np.multiply.reduceat(steps, TREE.starts[:-1])
    assert found == pytest.approx(COUNTS / COUNTS.sum(), abs=1e-9)
