r"""The decoder's weights by each method: BLEU, stability and time.

    snakemake --cores all --configfile config/tuners.yaml \
        results/help/fr-en/eval/{baseline,mira,mert,pro,lattice_mira,lattice_mert}.json
    python -m benchmarks tuning_loop

Reads the scores of those systems, for every pair below `results/` that has any.
"""

import json
import statistics
from collections.abc import Iterator
from pathlib import Path

import pandas as pd

from benchmarks.frames import Row

RESULTS = Path("results")
METHODS = {  # systems of config/tuners.yaml
    "baseline": "mira, C 0.003",
    "mira": "mira, C 0.01",
    "mert": "mert",
    "pro": "pro, interpolation 0.5",
    "lattice_mira": "lattice-mira",
    "lattice_mert": "lattice-mert",
}
SETS = ("dev2", "test")


def run() -> Iterator[Row]:
    """Yield the figures of each finished pair and method over the runs."""
    found = False
    for path in sorted(RESULTS.glob("*/*/eval/*.json")):
        result = json.loads(path.read_text(encoding="utf-8"))
        scores = {name: result["scores"].get(name, {}).get("BLEU") for name in SETS}
        if path.stem not in METHODS or not all(scores.values()):
            continue
        found = True
        pair = path.parents[1]
        one: Row = {"step": METHODS[path.stem], "setting": f"{pair.parent.name} {pair.name}"}
        for name, score in scores.items():
            yield one | {"figure": round(score["mean"], 2), "unit": f"BLEU on {name}"}
            yield one | {"figure": round(score["stdev"], 2), "unit": f"deviation on {name}"}
            yield one | {"figure": round(score["length"], 3), "unit": f"length on {name}"}
        runs = range(1, len(result["seeds"]) + 1)
        seconds = statistics.mean(_cpu_seconds(pair, path.stem, run) for run in runs)
        yield one | {"figure": round(seconds, 1), "unit": "CPU s"}
    if not found:
        yield {"step": "tuning loop", "figure": "not run", "note": "needs config/tuners.yaml"}


def _cpu_seconds(pair: Path, system: str, run: int) -> float:
    name = f"{pair.parent.name}.{pair.name}.{system}.run{run}.tsv"
    table = pd.read_csv(RESULTS / "benchmarks" / "tune_weights" / name, sep="\t")
    return float(table["cpu_time"].iloc[-1])
