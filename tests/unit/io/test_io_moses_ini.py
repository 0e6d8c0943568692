"""Reading and writing moses.ini."""

from pathlib import Path

import pytest

from nlmt.errors import InputError
from nlmt.io.moses_ini import read_ini, write_ini

GOLDEN = Path(__file__).parents[2] / "golden" / "moses.ini"


def test_reads_the_golden_file() -> None:
    ini = read_ini(GOLDEN)
    assert ini.sections == {"input-factors": ["0"], "mapping": ["0 T 0"], "distortion-limit": ["6"]}
    assert [feature.label for feature in ini.features] == list(ini.weights)
    assert ini.feature("LM0").kind == "KENLM"
    assert ini.feature("LM0").arguments["path"] == "model/lm.arpa.gz"
    assert ini.feature("Distortion0").arguments == {}
    assert ini.weights["LexicalReordering0"] == [0.3] * 6
    with pytest.raises(KeyError):
        ini.feature("LM1")


def test_what_is_written_reads_back(tmp_path: Path) -> None:
    weights = {"LM0": [1 / 3], "TranslationModel0": [1e-7, -2.5, 3.0, 0.1]}
    ini = read_ini(GOLDEN).with_weights(weights)
    write_ini(tmp_path / "moses.ini", ini)
    assert read_ini(tmp_path / "moses.ini") == ini
    assert ini.weights["LM0"] == [1 / 3]
    assert "UnknownWordPenalty0= 1\n" in (tmp_path / "moses.ini").read_text()


def test_weights_must_fit() -> None:
    ini = read_ini(GOLDEN)
    with pytest.raises(InputError, match=r"weights for LM1, but no such feature .*LM0"):
        ini.with_weights({"LM1": [1.0]})
    with pytest.raises(InputError, match="TranslationModel0 has 4 weights, not 1"):
        ini.with_weights({"TranslationModel0": [1.0]})


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("6\n", "ini:1: '6' comes before any"),
        ("[feature]\n\nKENLM path\n", "ini:3: 'path' in the feature KENLM is not key=value"),
        ("# a comment\n[weight]\nLM0 0.5\n", "ini:3: 'LM0 0.5' is not a weight"),
        ("[weight]\nLM0= much\n", "ini:2: 'LM0= much' is not a weight"),
    ],
)
def test_faults_are_named(tmp_path: Path, text: str, message: str) -> None:
    path = tmp_path / "ini"
    path.write_text(text)
    with pytest.raises(InputError, match=message):
        read_ini(path)
