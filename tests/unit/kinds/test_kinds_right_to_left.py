"""The model of the tutorial (docs/tutorial.md), added as a plugin."""

from pathlib import Path

import numpy as np
import pytest

from nlmt.cli import run_command
from nlmt.errors import InputError
from nlmt.kinds import KINDS, load_language_model
from nlmt.lm import TrainingData, WordModel, measure, number_words
from nlmt.ngram import NgramModel, train_arpa
from nlmt.registry import PLUGINS
from nlmt.settings_check import read_settings

ROOT = Path(__file__).parents[3]
EXAMPLE = ROOT / "tests/examples/right_to_left.py"
TRAIN = ROOT / "tests/golden/train.en"
TEXT = ["this river watches my boat", "", "the unknownword house"]


@pytest.fixture
def model(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> WordModel:
    monkeypatch.setenv(PLUGINS, str(EXAMPLE))
    kind = KINDS.get("right-to-left")
    settings = read_settings(kind.settings, {"kind": "right-to-left", "order": 3})
    kind.train(settings, TrainingData([TRAIN], dev=TRAIN), tmp_path / "lm", threads=1)
    files = kind.plan(settings).files
    assert sorted(p.name for p in (tmp_path / "lm").iterdir()) == sorted(files)
    loaded = load_language_model(tmp_path / "lm" / files[0])
    assert isinstance(loaded, WordModel)
    return loaded


def test_it_is_the_model_of_the_reversed_text(model: WordModel, tmp_path: Path) -> None:
    lines = TRAIN.read_text().splitlines()
    (tmp_path / "text").write_text("".join(f"{' '.join(x.split()[::-1])}\n" for x in lines))
    train_arpa(tmp_path / "text", tmp_path / "arpa", order=3)
    other = NgramModel(tmp_path / "arpa")
    ids, offsets = number_words(model, TEXT)
    words = model.score_words(ids, offsets)
    expected = []
    for line in TEXT:
        *of_words, end = other.score_words(*number_words(other, [" ".join(line.split()[::-1])]))
        expected += [*of_words[::-1], end]
    assert words == pytest.approx(np.array(expected), rel=1e-5)
    ends = offsets[1:] + np.arange(1, len(offsets))
    sums = [part.sum() for part in np.split(words, ends)[:-1]]
    assert model.score_sentences(ids, offsets) == pytest.approx(np.array(sums))


def test_it_counts_unknown_words(model: WordModel) -> None:
    assert measure(model, TEXT).oov == 1


def test_a_configuration_that_names_it_is_checked(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.chdir(ROOT)
    monkeypatch.setenv(PLUGINS, "")  # which the command changes
    kind = "language_models: {reversed: {kind: right-to-left, order: 9}}\n"
    (tmp_path / "idea.yaml").write_text(f"plugins: [{EXAMPLE}]\n{kind}")
    with pytest.raises(InputError, match="order: 9 must be at most 6"):
        run_command("config", ["check", "--plugins", str(tmp_path / "idea.yaml")])
