import numpy as np
import pytest

from nlmt.errors import InputError
from nlmt.io.files import write_lines
from nlmt.neural.outputs.tree import WordTree, huffman_codes
from nlmt.vocabulary import Vocabulary

VOCABULARY = Vocabulary(("<unk>", "<s>", "</s>", "a", "b", "c", "d"))
COUNTS = np.array([3.0, 0, 9, 8, 7, 2, 1])


def write(tmp_path, text):
    path = tmp_path / "paths"
    path.write_text(text)
    return path


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


def test_classes_of_another_text_are_refused(tmp_path):
    with pytest.raises(InputError, match="4 of the 7 words of the training text have no class"):
        WordTree.from_paths(write(tmp_path, "0\tx\t5\n1\ty\t5\n"), VOCABULARY, COUNTS)


def test_biases_give_the_unigram_model():
    tree = WordTree.huffman(COUNTS)
    bias = np.clip(tree.unigram_biases(COUNTS)["node_bias"], -100, 100)
    steps = 1 / (1 + np.exp(-tree.signs * bias[tree.nodes]))
    found = np.multiply.reduceat(steps, tree.starts[:-1])
    assert found == pytest.approx(COUNTS / COUNTS.sum(), abs=1e-9)


def test_round_trip(tmp_path):
    tree = WordTree.huffman(COUNTS)
    write_lines(tmp_path / "classes.tsv", tree.rows(VOCABULARY))
    assert WordTree.load(tmp_path / "classes.tsv", VOCABULARY, {}).bits == tree.bits


@pytest.mark.parametrize(
    "text",
    [
        "",
        "word\tclass\n",
        "word\tpath\n<unk>\t0\n",
        "word\tpath\n<s>\t0\n",
        "word\tpath\n<unk>\t2\n",
    ],
)
def test_damaged_file(tmp_path, text):
    with pytest.raises(InputError, match="paths"):
        WordTree.load(write(tmp_path, text), VOCABULARY, {})


def test_a_file_that_is_no_tree(tmp_path):
    rows = "".join(f"{word}\t0\n" for word in VOCABULARY.words)
    with pytest.raises(InputError, match="more than one word"):
        WordTree.load(write(tmp_path, "word\tpath\n" + rows), VOCABULARY, {})
