"""Neural language models inside the search on the help corpus, French to English: time and score.

The weights are the tuned baseline's, with half of the language model's weight given to the neural
one. Baltescu and Blunsom (2015): 1.64 s for KenLM, 3.31 s with an unnormalised model, 42.22 s with
a class-factored one.
"""

import tempfile
import time
from dataclasses import replace
from pathlib import Path

from nlmt.decoder import Decoder, SearchOptions
from nlmt.io.files import read_lines
from nlmt.io.moses_ini import make_features, read_ini, write_ini
from nlmt.io.weights import read_weights

PAIR = Path("results/help/fr-en")
INI = PAIR / "tm/baseline/moses.ini"
WEIGHTS = PAIR / "tune/baseline/run1/weights.json"
SOURCE = PAIR / "text/dev.fr.gz"
SENTENCES = 300
# model of the workflow, its scores, and the ratio to KenLM alone of the paper's model of that kind
# (Baltescu and Blunsom 2015, table 8)
VARIANTS = (
    ("nce", "unnormalised", 3.31 / 1.64),
    ("nce", "normalised", 42.22 / 1.64),
    ("tree", "normalised", 18.82 / 1.64),
    ("full", "normalised", None),
)
SEARCH = SearchOptions(cube_pruning=True, stack=400, pop_limit=400, distortion_limit=6)

Row = dict[str, object]


def run() -> list[Row]:
    """CPU milliseconds a sentence, first with empty caches and again, and the mean model score."""
    missing = [str(path) for path in (INI, WEIGHTS, SOURCE) if not path.exists()]
    if missing:
        return [{"step": "decode", "figure": f"not run: needs {missing[0]}", "note": "make demo"}]
    lines = list(read_lines(SOURCE))[:SENTENCES]
    with tempfile.TemporaryDirectory() as folder:
        ini = Path(folder) / "moses.ini"
        first, alone, score = _measure(_write(ini, None, ""), lines)
        rows = [_row("KenLM alone", alone, None, f"mean model score {score:.4f}")]
        for model, scores, paper in VARIANTS:
            path = PAIR / "lm" / model
            step = f"KenLM and {model}, {scores}"
            if not path.is_dir():
                rows.append({"step": step, "figure": f"not run: needs {path}"})
                continue
            first, again, score = _measure(_write(ini, path, scores), lines)
            note = (
                f"{again:.2f} again; {first / alone:.2f} and {again / alone:.2f} times KenLM alone"
            )
            rows.append(_row(step, first, paper, f"{note}; mean model score {score:.4f}"))
    return rows


def _write(ini: Path, model: Path | None, scores: str) -> Path:
    """The tuned baseline, with a neural model beside its n-gram model."""
    baseline = read_ini(INI)
    baseline = baseline.with_weights(read_weights(WEIGHTS))
    if model is not None:
        line = f"NeuralLM name=NLM0 path={model} scores={scores}"
        features = make_features([*(feature.line() for feature in baseline.features), line])
        half = [baseline.weights["LM0"][0] / 2]
        weights = {**baseline.weights, "LM0": half, "NLM0": half}
        baseline = replace(baseline, features=features, weights=weights)
    write_ini(ini, baseline)
    return ini


def _measure(ini: Path, lines: list[str]) -> tuple[float, float, float]:
    """Milliseconds a sentence of the first and the better of two later epochs; mean model score."""
    decoder = Decoder(ini, search=SEARCH)
    milliseconds = []
    for _ in range(3):
        start = time.process_time()
        best = decoder.decode(lines)
        milliseconds.append((time.process_time() - start) / len(lines) * 1000)
    score = sum(translation.score for translation in best) / len(lines)
    return milliseconds[0], min(milliseconds[1:]), score


def _row(step: str, milliseconds: float, paper: float | None, note: str) -> Row:
    row: Row = {
        "step": step,
        "figure": round(milliseconds, 2),
        "unit": "CPU ms a sentence",
        "note": note,
    }
    if paper is not None:
        row |= {"reference_tool": "OxLM, times KenLM alone", "reference_figure": round(paper, 2)}
    return row
