import numpy as np
import pytest

from nlmt.errors import InputError
from nlmt.io.files import write_lines
from nlmt.neural.outputs.classes import WordClasses
from nlmt.vocabulary import Vocabulary

VOCABULARY = Vocabulary(("<unk>", "<s>", "</s>", "a", "b", "c", "d"))


def write(tmp_path, text):
    path = tmp_path / "paths"
    path.write_text(text)
    return path


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
    with pytest.raises(InputError, match="4 of the 7 words of the training text have no class"):
        WordClasses.from_paths(write(tmp_path, "0\tx\t5\n1\ty\t5\n"), VOCABULARY)


def test_round_trip(tmp_path):
    classes = WordClasses(np.array([2, 3, 3, 0, 0, 1, 1], dtype=np.int32))
    write_lines(tmp_path / "classes.tsv", classes.rows(VOCABULARY))
    loaded = WordClasses.load(tmp_path / "classes.tsv", VOCABULARY, {})
    assert loaded.of.tolist() == classes.of.tolist()


@pytest.mark.parametrize(
    "text", ["", "word\tclass\n<unk>\t0\n", "word\tclass\nz\t0\n", "word\tclass\na\tx\n", "a\t1\n"]
)
def test_damaged_file(tmp_path, text):
    with pytest.raises(InputError, match="paths"):
        WordClasses.load(write(tmp_path, text), VOCABULARY, {})


def test_an_empty_class_is_refused(tmp_path):
    rows = "".join(f"{word}\t{2 * i}\n" for i, word in enumerate(VOCABULARY.words))
    with pytest.raises(InputError, match="a class without words"):
        WordClasses.load(write(tmp_path, "word\tclass\n" + rows), VOCABULARY, {})


def test_biases_give_the_unigram_model():
    """Also where `<s>`, which is never predicted, is alone in its class."""
    classes = WordClasses(np.array([2, 3, 4, 0, 0, 1, 1], dtype=np.int32))
    counts = np.array([1.0, 0, 4, 3, 2, 5, 1])
    bias = classes.unigram_biases(counts)
    assert not np.isnan(bias["word_bias"]).any()
    found = np.exp(bias["class_bias"][classes.of] + bias["word_bias"])
    assert found == pytest.approx(counts / counts.sum())
