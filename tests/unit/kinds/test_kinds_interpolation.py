"""Interpolated models as a kind: weights of the dev text, models by their paths."""

import json
import shutil
from pathlib import Path

import pytest

from nlmt.errors import InputError
from nlmt.io.files import write_lines
from nlmt.kinds import KINDS, load_language_model
from nlmt.kinds.interpolation import MODELS, InterpolationSettings
from nlmt.lm import TrainingData, measure
from nlmt.lm.interpolation import Interpolation
from nlmt.ngram import NgramModel, train_arpa
from nlmt.settings_check import read_settings

KIND = KINDS.get("interpolation")
DEV = ["b a c", "a b", "c c"]


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with an interpolation of two models, `lm`, and these."""
    folder = tmp_path_factory.mktemp("made")
    for name, lines in (("help", ["a b", "a b b", "a"]), ("news", ["c c b", "b c", "c a"])):
        write_lines(folder / f"{name}.txt", lines)
        train_arpa(folder / f"{name}.txt", folder / f"{name}.arpa", order=2)
    write_lines(folder / "dev", DEV)
    parts = [folder / "help.arpa", folder / "news.arpa"]
    data = TrainingData(texts=[], dev=folder / "dev", parts=parts)
    settings = read_settings(InterpolationSettings, {"kind": "interpolation", "models": ["x", "y"]})
    KIND.train(settings, data, folder / "lm", threads=1)
    return folder


@pytest.fixture
def trained(made: Path, tmp_path: Path) -> Path:
    """The folder of the interpolation, in a copy that a test may change."""
    return Path(shutil.copytree(made, tmp_path, dirs_exist_ok=True), "lm")


def test_the_weights_are_those_of_the_dev_text(trained: Path) -> None:
    parts = [NgramModel(trained.parent / f"{name}.arpa") for name in ("help", "news")]
    tuned = Interpolation(parts, [1.0, 1.0]).tuned(DEV)
    model = load_language_model(trained)
    assert isinstance(model, Interpolation)
    assert model.weights == pytest.approx(tuned.model.weights)
    found = json.loads((trained / MODELS).read_text())
    assert measure(model, DEV).perplexity == pytest.approx(found["perplexity"])
    alone = [facts["perplexity"] for facts in found["models"].values()]
    assert alone == pytest.approx([measure(part, DEV).perplexity for part in parts])
    assert found["perplexity"] < min(alone)


def test_all_of_it_can_be_moved(trained: Path, tmp_path: Path) -> None:
    shutil.copytree(trained.parent, tmp_path / "elsewhere")
    shutil.rmtree(trained)
    assert measure(load_language_model(tmp_path / "elsewhere/lm"), DEV).perplexity > 1


def test_a_model_that_is_gone_is_named(trained: Path) -> None:
    (trained.parent / "news.arpa").unlink()
    with pytest.raises(InputError, match="no such file or folder") as caught:
        load_language_model(trained)
    assert "news.arpa" in str(caught.value)


@pytest.mark.parametrize(
    ("content", "says"),
    [
        ({}, "no models and their weights"),
        ({"models": {"../help.arpa": {}}}, "no weight of ../help.arpa"),
        ({"models": {"../help.arpa": {"weight": -1}}}, "no weight of ../help.arpa from 0 to 1"),
        ({"models": {"../help.arpa": {"weight": 10**400}}}, "no weight of ../help.arpa from 0"),
        ({"models": {"../lm": {"weight": 1}}}, "an interpolation within another one"),
    ],
)
def test_damaged_files_are_refused(content: object, says: str, trained: Path) -> None:
    (trained / MODELS).write_text(json.dumps(content))
    with pytest.raises(InputError, match=says):
        load_language_model(trained)
