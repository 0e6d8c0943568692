"""Cosines of a transformed source, compared over texts and models."""

import math
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
from paper_artefacts import write_json

from nlmt.papers.cosines import cosine_beside, cosine_of_text
from nlmt.papers.evidence import compared
from nlmt.papers.results import result_row


def write_cosines(folder: Path, errors: tuple[float, float]) -> list[Path]:
    """Cosines of two runs with their standard errors, on training text and on held-out text."""
    paths = []
    for run, (train, dev, test) in enumerate([(0.9, 0.8, 0.7), (0.92, 0.84, 0.7)], 1):
        place = folder / f"transform/run{run}"
        trained = {"train_source_cosine": train, "train_source_cosine_error": errors[0]}
        texts = {
            name: {"source_cosine": value, "source_cosine_error": errors[1]}
            for name, value in (("dev", dev), ("test", test))
        }
        for name, content in (("metrics.json", trained), ("perplexity.json", texts)):
            paths.append(place / name)
            write_json(paths[-1], content)
    return paths


def test_texts_of_one_model_have_other_sentences_but_the_same_runs(tmp_path: Path) -> None:
    paths = write_cosines(tmp_path, (0.003, 0.01))
    cells = {
        "train": cosine_of_text("transform", "train"),
        "dev": cosine_of_text("transform", "dev", ["train"]),
        "test": cosine_of_text("transform", "test", ["train", "dev"]),
    }
    rows = {
        text: result_row("fr-en", text, "", one.unit, one.part, one.read(paths))
        for text, one in cells.items()
    }
    found = compared(rows["train"], rows["dev"])
    assert found is not None
    assert rows["train"]["value"] == pytest.approx(0.91)
    assert found.difference == pytest.approx(-0.09)  # of dev from the training text
    # The differences of the runs are 0.10 and 0.08.
    assert found.deviation == pytest.approx(math.sqrt(0.0002 / 2 + 0.003**2 + 0.01**2))
    found = compared(rows["test"], rows["dev"])
    assert found is not None
    assert found.difference == pytest.approx(-0.12)


def test_the_cosine_of_a_single_sentence_shows_nothing(tmp_path: Path) -> None:
    paths = write_cosines(tmp_path, (0.003, 0.0))
    found = cosine_of_text("transform", "dev", ["train"]).read(paths[:2]).differences
    lead = found["transform:train"]
    assert lead.difference == pytest.approx(-0.1)
    assert (lead.low, lead.high, lead.p_value) == (-math.inf, math.inf, 1)


@pytest.mark.parametrize(
    ("text", "others", "files"),
    [
        ("test", [], ["perplexity.json"]),
        ("train", [], ["metrics.json"]),
        ("test", ["dev"], ["perplexity.json"]),
        ("dev", ["train"], ["perplexity.json", "metrics.json"]),
    ],
)
def test_a_cosine_has_the_files_of_its_texts(
    text: str, others: list[str], files: list[str]
) -> None:
    def paths(name: str, *files: str) -> list[str]:
        return [f"{name}/{file}" for file in files]

    experiment: Any = SimpleNamespace(models=SimpleNamespace(paths=paths))
    found = cosine_of_text("model", text, others).files(experiment)
    assert found == [f"model/{file}" for file in files]


def test_models_are_compared_over_the_same_sentences(tmp_path: Path) -> None:
    paths = []
    for model, more in (("other", 0.1), ("transform", 0.0)):
        for run in (1, 2):
            path = tmp_path / "lm" / model / f"run{run}/sentences.json"
            cosines = [None, *(more + 0.1 * (k % 7) for k in range(100))]
            write_json(path, {"test": {"source_cosine": cosines}})
            paths.append(path)
    cell = cosine_beside("other", "transform")
    measured = cell.read(paths)
    assert cell.part == "other:test"
    assert measured.runs == pytest.approx([0.1 + sum(0.1 * (k % 7) for k in range(100)) / 100] * 2)
    difference = measured.differences["transform:test"]
    assert difference.difference == pytest.approx(0.1)
    assert difference.deviation == pytest.approx(0, abs=1e-4)  # of each sentence it is the same


def test_a_model_that_is_left_out_is_neither_measured_nor_compared(tmp_path: Path) -> None:
    def paths(name: str, file: str) -> list[str]:
        return [] if name == "left-out" else [f"lm/{name}/run1/{file}"]

    experiment: Any = SimpleNamespace(models=SimpleNamespace(paths=paths))
    assert cosine_beside("left-out", "transform").files(experiment) == []
    cell = cosine_beside("other", "left-out")
    (path,) = (tmp_path / file for file in cell.files(experiment))
    write_json(path, {"test": {"source_cosine": [0.25, None, 0.75]}})
    measured = cell.read([path])
    assert (measured.value, measured.differences) == (0.5, {})
