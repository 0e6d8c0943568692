"""Facts on the vocabularies of models, and when they are equal."""

from pathlib import Path

from nlmt.io.files import read_lines
from nlmt.lm import vocabulary_facts
from nlmt.lm.interpolation import Interpolation
from nlmt.ngram import NgramModel, train_arpa
from nlmt.ngram.tools import run_tool
from nlmt.vocabulary import SPECIAL

GOLDEN = Path(__file__).parents[2] / "golden"


def test_vocabularies_of_kenlm_files(tmp_path: Path) -> None:
    words = {word for line in read_lines(GOLDEN / "train.en") for word in line.split()}
    arpa = tmp_path / "lm.arpa"
    train_arpa(GOLDEN / "train.en", arpa, order=2)
    for form in ("trie", "probing"):
        run_tool("build_binary", [form, str(arpa), str(tmp_path / form)])
    run_tool("build_binary", ["-q", "8", "trie", str(arpa), str(tmp_path / "quantised")])
    facts = []
    for path in (arpa, tmp_path / "trie", tmp_path / "probing", tmp_path / "quantised"):
        model = NgramModel(path)
        assert model.vocabulary is not None
        assert set(model.vocabulary.words) == words | set(SPECIAL)
        facts.append(vocabulary_facts(model))
    assert facts[0].words == len(words)
    assert len(str(facts[0].hash)) == 16
    assert facts == [facts[0]] * len(facts)


def test_vocabularies_differ_by_one_word(tmp_path: Path) -> None:
    models = []
    for name, text in (("one", "a b c\n" * 3), ("two", "a b d\n" * 3)):
        (tmp_path / name).write_text(text)
        train_arpa(tmp_path / name, tmp_path / f"{name}.arpa", order=2)
        models.append(NgramModel(tmp_path / f"{name}.arpa"))
    one, two = map(vocabulary_facts, models)
    assert (one.words, two.words) == (3, 3)
    assert one.hash != two.hash
    both = Interpolation(models, [1, 1])
    assert both.vocabulary is not None
    assert both.vocabulary.words == (*SPECIAL, "a", "b", "c", "d")
    assert vocabulary_facts(Interpolation(models[:1] * 2, [1, 1])) == one
    assert vocabulary_facts(both).to_dict()["words"] == 4


def test_a_model_without_a_list_of_words() -> None:
    class Sentences:
        pass

    facts = vocabulary_facts(Sentences())  # type: ignore[arg-type]
    assert facts.to_dict() == {"words": None, "hash": None}
