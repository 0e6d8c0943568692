"""Requests that a short-list covers, counted over an n-best list."""

from pathlib import Path

import pytest
from paper_artefacts import ROOT

from nlmt.errors import InputError
from nlmt.io.nbest import read_nbest
from nlmt.neural import NeuralLM
from nlmt.papers.short_list import count_predicted


def write_list(path: Path, hypotheses: list[str]) -> Path:
    lines = (f"{i // 2} ||| {text} ||| LM0= -1 ||| -1\n" for i, text in enumerate(hypotheses))
    path.write_text("".join(lines))
    return path


def test_each_word_and_each_end_is_a_request(short_list_model: Path, tmp_path: Path) -> None:
    text = (ROOT / "tests/golden/dev.en").read_text(encoding="utf-8").splitlines()
    counted = count_predicted(short_list_model, read_nbest(write_list(tmp_path / "list", text)))
    model = NeuralLM.load(short_list_model)
    words = [word for line in text for word in line.split()]
    short_list = model.layout.predicted
    assert short_list is not None
    listed = sum(bool(short_list[number]) for number in model.lookup(words))
    assert counted == {"requests": len(words) + len(text), "predicted": listed + len(text)}
    assert 0 < listed < len(words)


def test_of_unknown_words_the_ends_alone_are_in_the_list(
    short_list_model: Path, tmp_path: Path
) -> None:
    nbest = read_nbest(write_list(tmp_path / "list", ["qwertz qwertz", "qwertz"]))
    assert count_predicted(short_list_model, nbest) == {"requests": 5, "predicted": 2}


def test_an_empty_list_is_refused(short_list_model: Path, tmp_path: Path) -> None:
    with pytest.raises(InputError, match="without hypotheses"):
        count_predicted(short_list_model, read_nbest(write_list(tmp_path / "list", [])))
