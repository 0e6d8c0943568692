"""Time against quality of the decoder on the help corpus, French to English: the curve.

    python -m benchmarks decoder_curve

For each size of the search the CPU time a sentence on one thread, the mean model score and BLEU, by
cube pruning and by plain stacks, with tuned weights if they exist; drawn in
results/benchmarks/decoder_curve.svg.
"""

import time
from pathlib import Path
from typing import Any

import sacrebleu

from benchmarks.decoder import INI, PAIR, SOURCE, WEIGHTS
from benchmarks.frames import Row
from nlmt.decoder import Decoder, SearchOptions
from nlmt.io.files import read_lines, write_text
from nlmt.io.weights import read_weights
from nlmt.report.figures import BLUE, RED, draw_axes

REFERENCE = PAIR / "text/test.en.gz"
OUT = Path("results/benchmarks/decoder_curve.svg")
POP_LIMITS = (5, 10, 20, 50, 100, 200, 400, 1000, 2000, 5000)
STACKS = (20, 50, 100, 200, 500)
UNITS = {"cpu_ms": "CPU ms a sentence", "model_score": "mean model score", "bleu": "BLEU"}


def run() -> list[Row]:
    """The figures of each search of the curve."""
    missing = [str(path) for path in (INI, SOURCE, REFERENCE) if not path.exists()]
    if missing:
        return [{"step": "curve", "figure": f"not run: needs {missing[0]}", "note": "make demo"}]
    points = measure()
    svg = draw_axes(lambda axes: _draw(axes, points), "decoder", "The decoder's time and quality")
    write_text(OUT, svg + "\n")
    return [
        {"step": one["algorithm"], "setting": str(one["size"]), "figure": one[key], "unit": unit}
        for one in points
        for key, unit in UNITS.items()
    ]


def measure() -> list[dict[str, Any]]:
    """Decode the test set by each search."""
    decoder = Decoder(INI)
    if WEIGHTS.exists():
        decoder.set_weights(read_weights(WEIGHTS))
    source, reference = list(read_lines(SOURCE)), list(read_lines(REFERENCE))
    searches = [
        ("cube pruning", pops, SearchOptions(True, pops, pops, distortion_limit=6))
        for pops in POP_LIMITS
    ]
    searches += [
        ("stacks", size, SearchOptions(False, size, distortion_limit=6)) for size in STACKS
    ]
    decoder.search = searches[0][2]
    decoder.decode(source)  # pages and caches
    points = []
    for algorithm, size, search in searches:
        decoder.search = search
        start = time.process_time()
        best = decoder.decode(source)
        seconds = time.process_time() - start
        texts = [translation.text for translation in best]
        bleu = sacrebleu.corpus_bleu(texts, [reference], tokenize="none", force=True).score
        points.append(
            {
                "algorithm": algorithm,
                "size": size,
                "cpu_ms": round(seconds / len(source) * 1000, 3),
                "model_score": round(sum(b.score for b in best) / len(best), 4),
                "bleu": round(bleu, 2),
            }
        )
    return points


def _draw(axes: Any, points: list[dict[str, Any]]) -> None:
    scores = axes.twinx()
    for algorithm, marker in (("cube pruning", "o"), ("stacks", "s")):
        mine = [point for point in points if point["algorithm"] == algorithm]
        times = [point["cpu_ms"] for point in mine]
        axes.plot(times, [p["model_score"] for p in mine], marker=marker, ms=4, color=BLUE)
        scores.plot(times, [p["bleu"] for p in mine], marker=marker, ms=4, color=RED, ls="--")
        axes.plot([], [], marker=marker, ms=4, ls="", color="black", label=algorithm)
    axes.set_xscale("log")
    axes.set_xlabel("CPU ms a sentence, one thread")
    axes.set_ylabel("mean model score", color=BLUE)
    scores.set_ylabel("BLEU (dashed)", color=RED)
    axes.legend(frameon=False, loc="lower right")
