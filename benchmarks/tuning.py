"""MERT on the golden n-best lists: CPU seconds of the whole command, and the BLEU it finds.

Moses' figures are those of its log, or, with MERT=program, are measured here on the same files.
"""

import os
import re
import runpy
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path

import numpy as np

from benchmarks.children import children_seconds
from benchmarks.frames import Row
from nlmt.tuning import Pool

GOLDEN = Path(__file__).parents[1] / "tests/golden/mert"
MOSES_SECONDS, MOSES_BLEU = 67.0, 0.568559  # run3.mert.log: 20 restarts, one thread
RESTARTS = "20"
STEP = f"MERT, three lists of 746 x 100, {RESTARTS} restarts"


def run() -> Iterator[Row]:
    """Run `nlmt mert` from the same start and with as many restarts as Moses' mert had."""
    packed = GOLDEN / "packed.py"
    if not packed.exists():
        yield {"step": STEP, "figure": "not run", "note": f"needs {packed}"}
        return
    pool: Pool = runpy.run_path(str(packed))["unpack"]()
    start = str(GOLDEN / "run3.init.opt")
    with tempfile.TemporaryDirectory() as folder:
        features, scores = Path(folder, "features.dat"), Path(folder, "scores.dat")
        _write(pool, features, scores)
        command = [sys.executable, "-m", "nlmt.cli", "mert", "--seed", "1", "--restarts", RESTARTS]
        command += ["--features", str(features), "--scores", str(scores), "--init", start]
        seconds, output = _run(command, folder)
        moses_seconds, moses_bleu = MOSES_SECONDS, MOSES_BLEU
        if "MERT" in os.environ:
            command = [os.environ["MERT"], "--sctype", "BLEU", "-d", str(pool.features.shape[1])]
            command += ["-r", "1", "-n", RESTARTS, "--ifile", start]
            command += ["--ffile", str(features), "--scfile", str(scores)]
            moses_seconds, log = _run(command, folder)
            moses_bleu = float(re.findall(r"Best point: .* => (\S+)", log)[-1])
    size = f"{pool.features.shape[0]:,} hypotheses, {pool.features.shape[1]} features"
    row: Row = {"step": STEP, "reference_tool": "Moses mert, on the same machine"}
    figures: Row = {"figure": round(seconds, 2), "reference_figure": round(moses_seconds, 2)}
    yield row | figures | {"unit": "CPU s", "note": f"{size}; reading the files included"}
    bleu = float(output.split("BLEU: ")[1].split()[0])
    yield row | {"figure": bleu, "reference_figure": moses_bleu, "unit": "BLEU", "note": "seed 1"}


def _run(command: list[str], folder: str) -> tuple[float, str]:
    """CPU seconds of a program, and all that it prints."""
    before = children_seconds()
    done = subprocess.run(command, capture_output=True, text=True, check=True, cwd=folder)
    return children_seconds() - before, done.stdout + done.stderr


def _write(pool: Pool, features: Path, scores: Path) -> None:
    """Write a pool as the files of Moses' extractor."""
    names = " ".join(f"{label}_{i}" for label, width in pool.names for i in range(width))
    with features.open("w") as feature_file, scores.open("w") as score_file:
        for sentence in np.unique(pool.sentence):
            block = pool.sentence == sentence
            size = np.count_nonzero(block)
            width = pool.features.shape[1]
            feature_file.write(f"FEATURES_TXT_BEGIN_0 {sentence} {size} {width} {names}\n")
            np.savetxt(feature_file, pool.features[block], fmt="%.6g")
            feature_file.write("FEATURES_TXT_END_0\n")
            score_file.write(f"SCORES_TXT_BEGIN_0 {sentence} {size} 9 BLEU\n")
            np.savetxt(score_file, pool.statistics[block], fmt="%d")
            score_file.write("SCORES_TXT_END_0\n")
