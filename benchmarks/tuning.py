"""MERT on the golden n-best lists: CPU seconds of the whole command, and the BLEU it finds."""

import resource
import runpy
import subprocess
import sys
import tempfile
from pathlib import Path

import numpy as np

from nlmt.tuning import Pool

GOLDEN = Path(__file__).parents[1] / "tests/golden/mert"
MOSES_SECONDS, MOSES_BLEU = 67.0, 0.568559  # run3.mert.log: 20 restarts, one thread


def run() -> list[dict[str, object]]:
    """Run `nlmt mert` from the same start and with as many restarts as Moses' mert had."""
    lists = "746 sentences, 125,997 hypotheses, 14 features, 20 restarts"
    rows: list[dict[str, object]] = [
        {
            "step": "MERT on the golden lists",
            "unit": "CPU s",
            "reference_tool": "Moses mert",
            "reference_figure": MOSES_SECONDS,
            "note": f"{lists}; reading the files included",
        },
        {
            "step": "MERT on the golden lists",
            "unit": "BLEU",
            "reference_tool": "Moses mert",
            "reference_figure": MOSES_BLEU,
            "note": "seed 1",
        },
    ]
    packed = GOLDEN / "packed.py"
    if not packed.exists():
        return [row | {"figure": "not run", "note": f"needs {packed}"} for row in rows]
    pool: Pool = runpy.run_path(str(packed))["unpack"]()
    with tempfile.TemporaryDirectory() as folder:
        features, scores = Path(folder, "features.dat"), Path(folder, "scores.dat")
        _write(pool, features, scores)
        command = [sys.executable, "-m", "nlmt.cli", "mert", "--seed", "1", "--restarts", "20"]
        command += ["--features", str(features), "--scores", str(scores)]
        before = resource.getrusage(resource.RUSAGE_CHILDREN)
        result = subprocess.run(
            [*command, "--init", str(GOLDEN / "run3.init.opt")],
            capture_output=True,
            text=True,
            check=True,
        )
        after = resource.getrusage(resource.RUSAGE_CHILDREN)
    seconds = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
    bleu = float(result.stdout.split("BLEU: ")[1].split()[0])
    return [rows[0] | {"figure": round(seconds, 2)}, rows[1] | {"figure": bleu}]


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
