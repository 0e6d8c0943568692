"""Neural language models inside the search on the help corpus, French to English: time and score.

The weights are the tuned baseline's, with half of the language model's weight given to the neural
one. OxLM's figures are from the paper (Baltescu and Blunsom 2015, table 8).
"""

import tempfile
import time
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

from benchmarks.decoder import INI, PAIR, SEARCH, WEIGHTS
from benchmarks.frames import Row
from nlmt.decoder import Decoder
from nlmt.io.files import read_lines
from nlmt.io.moses_ini import make_features, read_ini, write_ini
from nlmt.io.weights import read_weights

SOURCE = PAIR / "text/dev.fr.gz"
SENTENCES = 300
# model of the workflow, its scores, and milliseconds a sentence of OxLM's model of that kind
VARIANTS = (
    ("nce", "unnormalised", 3310),
    ("nce", "normalised", 42220),
    ("baltescu2015_tree", "normalised", 18820),
    ("baltescu2015_full", "normalised", None),
)
KENLM = 1640


def run() -> Iterator[Row]:
    """Yield CPU time over KenLM's alone, first with empty caches and again, and the mean score."""
    missing = [str(path) for path in (INI, WEIGHTS, SOURCE) if not path.exists()]
    if missing:
        yield {"step": "decode", "figure": f"not run: needs {missing[0]}", "note": "make demo"}
        return
    lines = list(read_lines(SOURCE))[:SENTENCES]
    with tempfile.TemporaryDirectory() as folder:
        ini = Path(folder) / "moses.ini"
        _, alone, score = _measure(_write(ini, None, ""), lines)
        yield _row("KenLM alone", "", alone, alone, KENLM, score)
        for model, scores, paper in VARIANTS:
            path = PAIR / "lm" / model / "run1"
            step = f"KenLM and {model}"
            if not path.is_dir():
                yield {"step": step, "setting": scores, "figure": f"not run: needs {path}"}
                continue
            first, again, score = _measure(_write(ini, path, scores), lines)
            yield _row(step, scores, first, alone, paper, score)
            yield _row(step, f"{scores}, again", again, alone, None, score)


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


def _row(
    step: str, setting: str, milliseconds: float, alone: float, paper: int | None, score: float
) -> Row:
    row: Row = {
        "step": step,
        "setting": setting,
        "figure": round(milliseconds / alone, 2),
        "unit": "times KenLM alone",
        "note": f"{milliseconds:.2f} CPU ms a sentence, mean model score {score:.4f}",
    }
    if paper is not None:
        row |= {"reference_tool": "OxLM", "reference_figure": round(paper / KENLM, 2)}
    return row
