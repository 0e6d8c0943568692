"""Models by their paths: which kind recognises what, and what is imported for it."""

import bz2
import gzip
import subprocess
import sys
from pathlib import Path

import pytest

from nlmt.errors import InputError
from nlmt.io.files import read_lines
from nlmt.lm import KINDS, load_language_model, load_stepping_models, vocabulary_facts
from nlmt.lm.interpolation import Interpolation
from nlmt.ngram import NgramModel, train_arpa
from nlmt.ngram.files import is_kenlm
from nlmt.ngram.tools import run_tool
from nlmt.vocabulary import SPECIAL

GOLDEN = Path(__file__).parents[2] / "golden"
ARPA = GOLDEN / "model" / "lm.arpa.gz"


def imports_after(code: str) -> set[str]:
    """Modules that Python has imported after running some code in a fresh process."""
    program = f"{code}\nimport sys; print(' '.join(sys.modules))"
    done = subprocess.run(
        [sys.executable, "-c", program], capture_output=True, text=True, check=True
    )
    return set(done.stdout.split())


def test_a_perplexity_of_kenlm_imports_nothing_else() -> None:
    modules = imports_after(
        "from nlmt.lm import load_language_model, measure, vocabulary_facts\n"
        f"model = load_language_model({str(ARPA)!r})\n"
        "measure(model, ['a b']); vocabulary_facts(model)"
    )
    assert "nlmt.ngram.model" in modules
    assert not modules & {"nlmt.rescoring", "nlmt.neural", "nlmt.decoder", "torch", "transformers"}


def test_the_package_imports_no_kind() -> None:
    modules = imports_after("import nlmt.lm; nlmt.lm.KINDS.names()")
    assert not {name for name in modules if name.startswith(("nlmt.ngram", "nlmt.neural", "kenlm"))}


def test_kenlm_files_are_recognised(tmp_path: Path) -> None:
    head = b"\n\\data\\\nngram 1=3\n"
    files = {
        "plain": head,
        "gzip": gzip.compress(head),
        "damaged-gzip": gzip.compress(head)[:12],
        "bzip2": bz2.compress(head),
        "text": b"a sentence\n",
        "empty": b"",
        "zipped-text": gzip.compress(b"a sentence\n"),
        "numbers": bytes(range(256)) * 100,
    }
    for name, content in files.items():
        (tmp_path / name).write_bytes(content)
    found = {name for name in files if is_kenlm(tmp_path / name)}
    assert found == {"plain", "gzip", "damaged-gzip", "bzip2"}


def test_what_is_no_model(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="no such file or folder"):
        load_language_model(tmp_path / "none")
    (tmp_path / "text").write_text("a b c\n")
    for path in (tmp_path, tmp_path / "text"):
        with pytest.raises(InputError, match="no language model") as error:
            load_language_model(path)
        hint = str(error.value)
        assert "a model is a file of KenLM" in hint
        assert "a folder with model.safetensors" in hint
    (tmp_path / "lm.arpa").write_text("\\data\\\n\nnothing\n")
    with pytest.raises(InputError, match=r"lm\.arpa: not a language model, or a damaged one"):
        load_language_model(tmp_path / "lm.arpa")


def test_stepping_models() -> None:
    assert isinstance(load_stepping_models({"LM0": ARPA})["LM0"], NgramModel)


@pytest.mark.parametrize("name", ["ngram", "neural", "pretrained"])
def test_the_kinds_of_the_project_say_what_they_are(name: str) -> None:
    kind = KINDS.get(name)
    assert kind.feature
    assert kind.form


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
