"""Neural language models inside the search: scores are the library's own, whatever the caches."""

from pathlib import Path
from typing import Any

import pytest
from decoder_neural import make_neural

from nlmt.decoder import Decoder, NbestRequest, SearchOptions
from nlmt.io.nbest import read_nbest
from nlmt.neural import encode

# "banque" is no word of the phrase table's target side, but one of the models.
WORDS = ["the", "my", "this", "a", "of", "in", "translates", "city", "letter", "table", ".", "zzz"]
LINES = ["le chien ne cherche pas cette zzz près de ce temps .", "ma ville", "xxx", "", "le livre"]
KINDS: list[dict[str, Any]] = [
    {"order": 2},
    {"order": 5, "activation": "tanh"},
    {"order": 3, "output": "full"},
    {"order": 6, "projection": "full", "activation": "sigmoid"},
    {"order": 4, "projection": "concatenation"},
    {"order": 4, "projection": "concatenation", "hidden": [7], "output": "full"},
    {"order": 5, "hidden": [20, 6]},
    {"order": 3, "projection": "full", "hidden": [1], "activation": "tanh"},
    {"order": 4, "output": "tree-factored", "objective": "likelihood"},
]
CUBE = SearchOptions(cube_pruning=True, pop_limit=60, stack=60, distortion_limit=6)


def write_model(folder: Path, golden: Path, lines: list[str], weights: str) -> Path:
    """The golden model with other language models."""
    ini = (golden / "moses.ini").read_text()
    ini = ini.replace("path=model/", f"path={golden}/model/")
    kept = [line for line in ini.splitlines() if not line.startswith(("KENLM", "LM0="))]
    place = kept.index("[weight]")
    (folder / "moses.ini").write_text("\n".join([*kept[:place], *lines, *kept[place:], weights]))
    return folder / "moses.ini"


@pytest.mark.parametrize("cube_pruning", [False, True])
@pytest.mark.parametrize("scores", ["normalised", "unnormalised"])
@pytest.mark.parametrize("kind", KINDS, ids=str)
def test_a_hypothesis_has_the_librarys_score(
    kind: dict[str, Any],
    scores: str,
    cube_pruning: bool,
    tmp_path: Path,
    golden: Path,
) -> None:
    model = make_neural(tmp_path / "lm", WORDS, **kind)
    features = [f"NeuralLM name=NLM0 path=lm scores={scores}"]
    ini = write_model(tmp_path, golden, features, "NLM0= 0.5\n")
    search = SearchOptions(cube_pruning, stack=60, pop_limit=60, distortion_limit=6)
    path = tmp_path / "list"
    best = Decoder(ini, search=search).decode(LINES, nbest=NbestRequest(path, 20))
    found = read_nbest(path)
    texts = [found.text(i) for i in range(len(found))]
    assert len(texts) >= 30
    model.normalised = scores == "normalised"
    corpus = encode(texts, model.vocabulary)
    expected = model.score_sentences(corpus.ids, corpus.offsets)
    expected[found.sentence == LINES.index("")] = 0
    labels = [label for label, width in found.feature_names for _ in range(width)]
    assert found.features[:, labels.index("NLM0")] == pytest.approx(expected, abs=1e-4, rel=6e-6)
    tops = found.totals[found.sentence_starts()[:-1]]
    assert tops == pytest.approx([translation.score for translation in best], rel=1e-4)
