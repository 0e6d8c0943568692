"""The memory of language models in the decoder."""

import shutil
from pathlib import Path

import numpy as np
import pytest
from paper_artefacts import ROOT

from nlmt.neural import NeuralConfig, NeuralLM
from nlmt.neural.outputs.full import Flat
from nlmt.neural.parameters import shapes
from nlmt.papers import footprint
from nlmt.vocabulary import SPECIAL, Vocabulary

WORDS, DIM = 30_000, 128
SINGLE = WORDS * DIM * 4  # bytes of the vectors of all words on one side


@pytest.mark.skipif(not footprint.STATISTICS.exists(), reason="of Linux")
def test_a_model_takes_the_memory_of_its_vectors(tmp_path: Path) -> None:
    vocabulary = Vocabulary((*SPECIAL, *(f"w{i}" for i in range(WORDS - len(SPECIAL)))))
    config = NeuralConfig.from_dict({"order": 3, "dim": DIM, "output": "full"})
    layout = Flat(WORDS)
    parameters = {
        name: np.ones(shape, dtype=np.float32) for name, shape in shapes(config, layout).items()
    }
    NeuralLM(config, vocabulary, layout, parameters).save(tmp_path / "lm")
    shutil.copy(ROOT / "tests/golden/model/lm.arpa.gz", tmp_path)
    ini = tmp_path / "moses.ini"
    feature = f"NeuralLM name=NLM{{}} path={tmp_path}/lm scores=unnormalised"
    ini.write_text(
        "[feature]\n"
        f"KENLM name=LM0 factor=0 path={tmp_path}/lm.arpa.gz order=5\n"
        f"{feature.format(0)}\n{feature.format(1)} quantise=8\n"
        "[weight]\nLM0= 1\nNLM0= 1\nNLM1= 1\n"
    )
    memory = footprint.measure_memory(ini)
    assert list(memory) == ["LM0", "NLM0", "NLM1"]
    assert 2 * SINGLE < memory["NLM0"] < 2.5 * SINGLE  # and its words
    assert memory["NLM1"] < memory["NLM0"] / 2
