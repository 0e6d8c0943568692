"""A tuner that only this test knows: in the command, in the loop, in the configuration."""

import json
from pathlib import Path

import numpy as np
import pytest
from plugins import example_plugins

from nlmt.cli import main
from nlmt.errors import InputError
from nlmt.settings_check import read_settings
from nlmt.tuning import TUNERS, RerankingSettings, TuningSettings
from nlmt.tuning.loop import tune


@pytest.fixture(autouse=True)
def plugin():
    with example_plugins(["random_search"], [TUNERS]):
        yield


def write_lists(folder):
    """Lists whose first feature alone says which hypothesis is right."""
    rng = np.random.default_rng(3)
    lines, references = [], []
    for sentence in range(20):
        words = [f"w{word}" for word in rng.integers(0, 30, 8)]
        references.append(" ".join(words) + "\n")
        for wrong in rng.permutation(6):
            text = " ".join([*words[: 8 - wrong], *["x"] * wrong])
            features = f"LM0= {-float(wrong)} TM0= {rng.normal():.3f} {rng.normal():.3f}"
            lines.append(f"{sentence} ||| {text}  ||| {features} ||| 0\n")
    (folder / "list").write_text("".join(lines))
    (folder / "ref").write_text("".join(references))


def test_the_command_knows_it(tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    write_lists(tmp_path)
    common = ["tune", "--nbest", "list", "--reference", "ref", "--out", "w.json"]
    assert main([*common, "--method", "random-search", "--option", "points=50"]) == 0
    weights = json.loads(Path("w.json").read_text())
    assert weights["bleu"] > 80
    assert weights["weights"]["LM0"][0] > 0
    assert "BLEU: " in capsys.readouterr().out
    assert main([*common, "--method", "random-search", "--option", "ponits=50"]) == 2
    assert "unknown key (did you mean 'points'?" in capsys.readouterr().err
    with pytest.raises(SystemExit):
        main(["tune", "--help"])
    assert "random-search  the best of random points" in capsys.readouterr().out


def test_the_loop_and_the_configuration_know_it(tmp_path):
    from test_tuning_loop import FixedPoolDecoder

    values = {"method": "random-search", "options": {"random-search": {"points": 30}}, "nbest": 5}
    settings = read_settings(TuningSettings, values)
    decoder = FixedPoolDecoder()
    result = tune(
        decoder, decoder.source, [decoder.references], settings, checkpoint=tmp_path, seed=2
    )
    assert result.outcome.final > result.log[0].decoded + 2
    assert read_settings(RerankingSettings, {"method": "random-search"}).method == "random-search"
    with pytest.raises(InputError, match=r"random-search\.points: 0 must be at least 1"):
        read_settings(TuningSettings, {"options": {"random-search": {"points": 0}}})
    schema = RerankingSettings.model_json_schema()["properties"]
    assert "random-search" in schema["method"]["enum"]
    assert "points" in schema["options"]["properties"]["random-search"]["properties"]
