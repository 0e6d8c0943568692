"""A folder of a model and that of one of its runs differ, whatever the model is named."""

from pathlib import Path

import pytest

from nlmt.lm.places import by_model, id_of_model, is_of_run, name_of_model, pair_of_model


@pytest.mark.parametrize(
    ("folder", "name", "identity"),
    [
        ("lm/kn5", "kn5", "kn5"),
        ("lm/nce/run2", "nce", "nce/run2"),
        ("lm/lm", "lm", "lm"),
        ("lm/lm/run2", "lm", "lm/run2"),
        ("lm/run2", "run2", "run2"),
    ],
)
def test_models_and_runs(folder: str, name: str, identity: str) -> None:
    file = Path("results/lm/fr-en", folder, "metrics.json")
    assert is_of_run(file) == ("/" in identity)
    assert (name_of_model(file), id_of_model(file)) == (name, identity)
    assert pair_of_model(file) == "fr-en"


def test_files_by_model() -> None:
    files = ["lm/nn/run1/log.tsv", "lm/nn/run2/log.tsv", "lm/kn/log.tsv"]
    assert {name: len(own) for name, own in by_model(files).items()} == {"nn": 2, "kn": 1}
