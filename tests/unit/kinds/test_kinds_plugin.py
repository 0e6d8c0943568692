"""A kind of language model that a user adds without touching the project (docs/extending.md)."""

import json
import math
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest
from plugins import example_plugins

from nlmt.cli import main
from nlmt.io.files import read_lines
from nlmt.io.nbest import read_nbest
from nlmt.kinds import KINDS, load_language_model
from nlmt.lm import Interpolation, TrainingData, WordModel, measure, vocabulary_facts
from nlmt.ngram import NgramModel
from nlmt.rescoring import rerank, rescore
from nlmt.settings_check import read_settings

GOLDEN = Path(__file__).parents[2] / "golden"
TEXT = "a b a\na\n"
LIST = "0 ||| a b  ||| LM0= -1 ||| -1\n0 ||| b c  ||| LM0= -3 ||| -3\n1 |||  ||| LM0= -4 ||| -4\n"


@pytest.fixture
def plugin() -> Iterator[None]:
    with example_plugins(["language_model"], [KINDS]):
        yield


@pytest.fixture
def model(plugin: None, tmp_path: Path) -> WordModel:
    (tmp_path / "text").write_text(TEXT)
    kind = KINDS.get("unigram")
    settings = read_settings(kind.settings, {"kind": "unigram", "added": 0.5})
    files = kind.plan(settings).files
    data = TrainingData([tmp_path / "text"], dev=tmp_path / "text")
    kind.train(settings, data, tmp_path / "lm", threads=1)
    assert [path.name for path in (tmp_path / "lm").iterdir()] == list(files)
    loaded = load_language_model(tmp_path / "lm")
    assert isinstance(loaded, WordModel)
    # Rules name a model by the first of its files.
    assert isinstance(load_language_model(tmp_path / "lm" / files[0]), WordModel)
    return loaded


def test_perplexity(model: WordModel) -> None:
    # Of 8 with what is added: a 3.5, b 1.5, </s> 2.5, <unk> 0.5.
    found = measure(model, ["a b", "c"])
    total = math.log(3.5 / 8) + math.log(1.5 / 8) + math.log(0.5 / 8) + 2 * math.log(2.5 / 8)
    assert found.log_probability == pytest.approx(total)
    assert found.oov == 1
    assert vocabulary_facts(model).words == 2


def test_rescoring(model: WordModel, tmp_path: Path) -> None:
    (tmp_path / "list").write_text(LIST)
    counts = rescore(tmp_path / "list", {"ULM0": model}, tmp_path / "new")
    expected = np.log([3.5 * 1.5 * 2.5 / 8**3, 1.5 * 0.5 * 2.5 / 8**3, 2.5 / 8])
    assert read_nbest(tmp_path / "new").features[:, 1] == pytest.approx(expected, rel=1e-5)
    assert counts["ULM0"].sentences == 3
    assert rerank(tmp_path / "new", {"LM0": [-1.0], "ULM0": [0.1]}) == ["b c", ""]


def test_interpolation_with_another_kind(plugin: None, tmp_path: Path) -> None:
    kind = KINDS.get("unigram")
    texts = TrainingData([GOLDEN / "train.en"], dev=GOLDEN / "dev.en")
    kind.train(read_settings(kind.settings, {"kind": "unigram"}), texts, tmp_path, threads=1)
    unigrams, trigrams = load_language_model(tmp_path), NgramModel(GOLDEN / "model/lm.arpa.gz")
    assert isinstance(unigrams, WordModel)
    assert vocabulary_facts(unigrams) == vocabulary_facts(trigrams)
    tuned = Interpolation([unigrams, trigrams], [1, 1]).tuned(read_lines(GOLDEN / "dev.en"))
    assert tuned.perplexity <= min(tuned.alone) + 1e-4


def test_commands(plugin: None, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "text").write_text(TEXT)
    (tmp_path / "list").write_text(LIST)
    (tmp_path / "lm.yaml").write_text("kind: unigram\nadded: 0.5\n")
    text, out = str(tmp_path / "text"), str(tmp_path / "lm")
    train = ["lm", "train", "--train", text, "--dev", text, "--out", out]
    assert main([*train, "--config", str(tmp_path / "lm.yaml")]) == 0
    assert json.loads((tmp_path / "lm/unigrams.json").read_text())["a"] == 3.5
    assert main(["lm", "perplexity", out, text]) == 0
    assert "vocabulary: 2 words" in capsys.readouterr().out
    assert main(["lm", "info", out]) == 1
    assert "models of this kind have no description" in capsys.readouterr().err
    files = ["--nbest", str(tmp_path / "list"), "--out", str(tmp_path / "new")]
    assert main(["rescore", "--model", out, *files]) == 0
    assert read_nbest(tmp_path / "new").feature_names == [("LM0", 1), ("NLM0", 1)]
    train.append("--overwrite")
    (tmp_path / "lm.yaml").write_text("kind: unigram\nadded: 0\n")
    assert main([*train, "--config", str(tmp_path / "lm.yaml")]) == 1
    assert "lm.yaml:2: added: 0 must be more than 0" in capsys.readouterr().err
    (tmp_path / "lm.yaml").write_text("kind: unigrams\n")
    assert main([*train, "--config", str(tmp_path / "lm.yaml")]) == 1
    assert "did you mean 'unigram'?" in capsys.readouterr().err
    (tmp_path / "lm.yaml").write_text("kind: unigram\n")
    assert main([*train, "--config", str(tmp_path / "lm.yaml"), "--resume"]) == 1
    assert "--resume has no effect on kind: unigram" in capsys.readouterr().err
