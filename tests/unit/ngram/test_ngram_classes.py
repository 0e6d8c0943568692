"""Class n-gram models: against direct computation from an ARPA file, and what they refuse."""

import json
import math
from collections import Counter
from itertools import pairwise
from pathlib import Path

import numpy as np
import pytest

from nlmt.errors import InputError
from nlmt.io.files import read_lines, write_lines
from nlmt.io.moses_ini import Feature
from nlmt.kinds import KINDS, load_language_model
from nlmt.lm import TrainingData, measure, vocabulary_facts
from nlmt.ngram import ClassNgramModel, NgramModel, train_arpa, train_binary
from nlmt.ngram.class_kind import CLASS_NGRAM, ClassNgramSettings
from nlmt.ngram.class_table import HEADER, ClassTable
from nlmt.settings_check import read_settings

GOLDEN = Path(__file__).parents[2] / "golden"
TRAIN, TEST = GOLDEN / "train.en", GOLDEN / "test.en"
ORDER = 3
CLASSES = 6


def settings(**keys: object) -> ClassNgramSettings:
    return read_settings(ClassNgramSettings, {"kind": "class-ngram", "order": ORDER, **keys})


def word_counts(path: Path) -> Counter[str]:
    return Counter(word for line in read_lines(path) for word in line.split())


def class_number(word: str) -> int:
    """A class without any meaning."""
    return sum(word.encode()) % CLASSES


def write_classes(folder: Path, words: Counter[str]) -> Path:
    """A class file of Liang's format."""
    rows = (f"{class_number(word):03b}\t{word}\t{count}" for word, count in words.items())
    write_lines(folder / "classes.tsv", rows)
    return folder / "classes.tsv"


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A trained model and the class file that it is made with."""
    folder = tmp_path_factory.mktemp("class")
    classes = write_classes(folder, word_counts(TRAIN))
    data = TrainingData([TRAIN], GOLDEN / "dev.en", classes=classes)
    CLASS_NGRAM.train(settings(), data, folder / "lm", threads=1)
    return folder


@pytest.fixture(scope="module")
def model(folder: Path) -> ClassNgramModel:
    return ClassNgramModel.load(folder / "lm")


class Arpa:
    """Back-off probabilities looked up in an ARPA file, one n-gram after the other."""

    def __init__(self, path: Path) -> None:
        rows = [line.split("\t") for line in read_lines(path)]
        self.entries = {
            row[1]: (float(row[0]), float(row[2]) if len(row) > 2 else 0.0)
            for row in rows
            if len(row) > 1
        }

    def log10(self, context: list[str], word: str) -> float:
        found = self.entries.get(" ".join([*context, word]))
        if found is not None:
            return found[0]
        assert context, word
        weight = self.entries.get(" ".join(context), (0.0, 0.0))[1]
        return weight + self.log10(context[1:], word)


def test_scores_are_those_of_the_arpa_file_times_relative_frequencies(
    model: ClassNgramModel, tmp_path: Path
) -> None:
    words = word_counts(TRAIN)
    sizes: Counter[int] = Counter()
    for word, count in words.items():
        sizes[class_number(word)] += count
    text = [" ".join(str(class_number(w)) for w in line.split()) for line in read_lines(TRAIN)]
    write_lines(tmp_path / "text", text)
    train_arpa(tmp_path / "text", tmp_path / "arpa", order=ORDER)
    arpa = Arpa(tmp_path / "arpa")
    sentence = ["this", "machine", "translates", "xyzzy", "the", "letter"]
    expected, history = [], ["<s>"]
    for word in sentence:
        name, inside = "<unk>", 0.0
        if word in words:
            name = str(class_number(word))
            inside = math.log(words[word] / sizes[class_number(word)])
        expected.append(inside + math.log(10) * arpa.log10(history[1 - ORDER :], name))
        history.append(name)
    expected.append(math.log(10) * arpa.log10(history[1 - ORDER :], "</s>"))
    ids = model.lookup(sentence)
    assert ids[3] == 0
    found = model.score_words(ids, np.array([0, len(sentence)]))
    assert found == pytest.approx(expected, abs=1e-4)
    assert model.score_sentences(ids, np.array([0, len(sentence)])) == pytest.approx(sum(expected))
    assert model.score_sentences(ids[:0], np.array([0])).shape == (0,)


def test_probabilities_of_all_words_sum_to_one(model: ClassNgramModel) -> None:
    stepper = model.stepper()
    words = np.delete(np.arange(len(model.vocabulary)), model.vocabulary.begin).astype(np.int32)
    assert stepper.end in words
    states = stepper.start(1)
    for word in model.lookup(["the", "letter", "never-seen", "."]):
        rows = np.zeros(len(words), np.int64)
        assert np.exp(stepper.score(states, rows, words)).sum() == pytest.approx(1, abs=1e-5)
        states = stepper.advance(states, rows[:1], np.array([word], np.int32))


def test_steps_have_the_scores_of_sentences(model: ClassNgramModel) -> None:
    sentences = [line.split() for line in read_lines(TEST)][:3]
    ids = model.lookup([word for words in sentences for word in words])
    offsets = np.cumsum([0, *map(len, sentences)])
    expected = model.score_words(ids, offsets)
    stepper, found = model.stepper(), []
    for begin, end in pairwise(offsets.tolist()):
        states = stepper.join([stepper.take(stepper.start(2), np.array([1]))])
        for word in [*ids[begin:end].tolist(), stepper.end]:
            one = np.array([word], np.int32)
            found.append(stepper.score(states, np.array([0]), one)[0])
            states = stepper.advance(states, np.array([0]), one)
    assert found == pytest.approx(expected.tolist(), abs=1e-6)


def test_its_words_are_those_of_a_model_of_words(model: ClassNgramModel, tmp_path: Path) -> None:
    train_binary(TRAIN, tmp_path / "model.binary", order=ORDER)
    words = NgramModel(tmp_path / "model.binary")
    assert vocabulary_facts(model) == vocabulary_facts(words)
    lines = list(read_lines(TEST))
    of_classes, of_words = measure(model, lines), measure(words, lines)
    assert (of_classes.events, of_classes.oov) == (of_words.events, of_words.oov)
    assert of_classes.perplexity > of_words.perplexity  # classes without a meaning
    assert model.order == words.order


def test_it_is_loaded_by_its_folder_and_by_its_first_file(folder: Path) -> None:
    lm = folder / "lm"
    assert sorted(path.name for path in lm.iterdir()) == ["classes.binary", "words.tsv"]
    assert CLASS_NGRAM.plan(settings()).files == ("words.tsv", "classes.binary")
    for path in (lm, lm / "words.tsv"):
        assert isinstance(load_language_model(path), ClassNgramModel)
    assert KINDS.get("class-ngram") is CLASS_NGRAM


def test_several_texts_are_interpolated(tmp_path: Path) -> None:
    lines = list(read_lines(TRAIN))
    texts = [tmp_path / "a" / "text", tmp_path / "b" / "text"]
    write_lines(texts[0], lines[:300])
    write_lines(texts[1], [*lines[300:], "xyzzy <unk> ."])
    classes = write_classes(tmp_path, word_counts(TRAIN))
    data = TrainingData(texts, GOLDEN / "dev.en", classes=classes)
    CLASS_NGRAM.train(settings(texts=["a", "b"]), data, tmp_path / "lm", threads=1)
    model = ClassNgramModel.load(tmp_path / "lm")
    assert model.lookup(["xyzzy"])[0] > 0  # in a class of its own, as the file does not name it
    weights = json.loads((tmp_path / "lm" / "interpolation.json").read_text())
    assert weights["dev_perplexity"] < 10  # of classes
    assert measure(model, read_lines(TEST)).perplexity < 100


@pytest.mark.parametrize(
    ("row", "fault", "says"),
    [
        (0, "word\tclass", "the first line is not"),
        (1, "the\t1", "not a word, class and logarithm"),
        (1, "the\tx\t-1", "not a word, class and logarithm"),
        (1, "the\t1\t0.5", "not a word, class and logarithm"),
        (1, "the\t1\tnan", "not a word, class and logarithm"),
        (1, "<unk>\t1\t-1", "not a word, class and logarithm"),
        (1, "\t1\t-1", "not a word, class and logarithm"),
        (1, "zzz\t7\t-1", "the probabilities of the words of class"),
        (2, None, "the probabilities of the words of class"),
    ],
)
def test_a_damaged_table_is_refused(
    row: int, fault: str | None, says: str, folder: Path, tmp_path: Path
) -> None:
    rows = list(read_lines(folder / "lm" / "words.tsv"))
    rows[row : row + 1] = [] if fault is None else [fault]
    for name in ("words.tsv", "classes.binary"):
        (tmp_path / name).write_bytes((folder / "lm" / name).read_bytes())
    write_lines(tmp_path / "words.tsv", rows)
    with pytest.raises(InputError, match=says):
        load_language_model(tmp_path)


def test_files_that_do_not_belong_together_are_refused(folder: Path, tmp_path: Path) -> None:
    write_lines(tmp_path / "words.tsv", [HEADER, "the\t77\t0"])
    with pytest.raises(InputError, match="no such file"):
        load_language_model(tmp_path)
    binary = (folder / "lm" / "classes.binary").read_bytes()
    (tmp_path / "classes.binary").write_bytes(binary)
    with pytest.raises(InputError, match="its classes differ from those of"):
        load_language_model(tmp_path)
    write_lines(tmp_path / "words.tsv", [HEADER])
    with pytest.raises(InputError, match="no words"):
        load_language_model(tmp_path)


def test_the_table_is_written_as_it_is_read(tmp_path: Path) -> None:
    counts = Counter({"a": 3, "b": 1, "c": 2, "<unk>": 5, "new": 1})
    table = ClassTable.estimate({"a": 0, "b": 0, "c": 4, "gone": 2}, counts)
    assert [member.name for member in table.members.values()] == ["0", "4", "0", "5"]
    assert table.members["a"].log_p == pytest.approx(math.log(3 / 4))
    assert list(table.class_lines(["a <unk> c", "", "x b"])) == ["0 <unk> 4", "", "<unk> 0"]
    table.write(tmp_path / "words.tsv")
    again = ClassTable.read(tmp_path / "words.tsv")
    assert list(again.members) == ["a", "c", "b", "new"]
    for word, member in table.members.items():
        assert again.members[word].name == member.name
        assert again.members[word].log_p == pytest.approx(member.log_p, abs=1e-9)


def test_what_training_refuses(tmp_path: Path) -> None:
    data = TrainingData([TRAIN], GOLDEN / "dev.en")
    with pytest.raises(InputError, match="needs word classes"):
        CLASS_NGRAM.train(settings(), data, tmp_path / "lm", threads=1)
    classes = write_classes(tmp_path, Counter({"the": 3}))
    data = TrainingData([TRAIN], GOLDEN / "dev.en", classes=classes)
    with pytest.raises(InputError, match="words of the training texts have no class"):
        CLASS_NGRAM.train(settings(), data, tmp_path / "lm", threads=1)
    with pytest.raises(InputError, match="a class of its own"):
        CLASS_NGRAM.plan(settings(classes="brown-tree"))
    with pytest.raises(InputError, match="does not begin with 0"):
        CLASS_NGRAM.plan(settings(prune=[1]))
    plan = CLASS_NGRAM.plan(settings())
    assert plan.decoder == Feature("ClassLM", "LM", {"path": "."})
    assert plan.remembers == ORDER - 1
