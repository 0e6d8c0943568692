r"""The decoder's weights by each method: largest loss, stability and time.

    snakemake --cores all --configfile config/tuners.yaml \
        results/help/fr-en/eval/{baseline,mira,mert,pro,lattice_mira,lattice_mert}.json
    python -m benchmarks tuning_loop

Reads the scores of those systems, for every pair below `results/` that has any; the loss is taken
against the best method of a pair on dev2, which no tuning has seen. A table as Markdown is written
to `results/benchmarks/tuning_loop.md`.
"""

import json
import statistics
from collections.abc import Iterator
from pathlib import Path

import pandas as pd

from benchmarks.tuners import table_head, table_row
from nlmt.io.files import write_text

RESULTS = Path("results")
METHODS = {  # systems of config/tuners.yaml
    "baseline": "mira, C 0.003",
    "mira": "mira, C 0.01",
    "mert": "mert",
    "pro": "pro",
    "lattice_mira": "lattice-mira",
    "lattice_mert": "lattice-mert",
}
SETS = ("dev2", "test")


def collect() -> Iterator[dict[str, object]]:
    """A row for each finished pair and method."""
    for path in sorted(RESULTS.glob("*/*/eval/*.json")):
        result = json.loads(path.read_text(encoding="utf-8"))
        scores = {name: result["scores"].get(name, {}).get("BLEU") for name in SETS}
        if path.stem not in METHODS or not all(scores.values()):
            continue
        pair = path.parents[1]
        logs = [_log(pair, path.stem, run + 1) for run in range(len(result["seeds"]))]
        seconds = [_cpu_seconds(pair, path.stem, run + 1) for run in range(len(logs))]
        row: dict[str, object] = {
            "setting": f"{pair.parent.name} {pair.name}",
            "method": METHODS[path.stem],
            "iterations": _range([len(log) for log in logs]),
            "seconds": statistics.mean(seconds),
        }
        for name, score in scores.items():
            row |= {name: score["mean"], f"{name} deviation": score["stdev"]}
        yield row | {"length": scores[SETS[0]]["length"]}


def _range(values: list[int]) -> str:
    """The least and the largest value, or the single one if all are equal."""
    least, most = min(values), max(values)
    return str(least) if least == most else f"{least} to {most}"


def _log(pair: Path, system: str, run: int) -> pd.DataFrame:
    return pd.read_csv(pair / "tune" / system / f"run{run}" / "log.tsv", sep="\t")


def _cpu_seconds(pair: Path, system: str, run: int) -> float:
    name = f"{pair.parent.name}.{pair.name}.{system}.run{run}.tsv"
    table = pd.read_csv(RESULTS / "benchmarks" / "tune_weights" / name, sep="\t")
    return float(table["cpu_time"].iloc[-1])


def judge(rows: pd.DataFrame) -> pd.DataFrame:
    """One row for each method that every setting has: losses on dev2, spread, time.

    Args:
        rows: rows of `collect`.
    """
    bleu = rows.pivot(index="method", columns="setting", values=SETS[0])
    losses = (bleu.max() - bleu).dropna()
    grouped = rows[rows["method"].isin(losses.index)].groupby("method")
    judged = pd.DataFrame(
        {
            "worst loss": losses.max(axis=1),
            "mean loss": losses.mean(axis=1),
            "largest deviation": grouped[f"{SETS[0]} deviation"].max(),
            "seconds": grouped["seconds"].mean(),
            "settings": len(losses.columns),
        }
    )
    return judged.sort_values(["worst loss", "mean loss"])


def markdown(rows: pd.DataFrame) -> str:
    """Both tables: the methods as judged, and each setting."""
    lines = table_head(["method", "worst loss", "mean loss", "largest deviation", "CPU s"])
    for method, found in judge(rows).iterrows():
        figures = [f"{found[key]:.2f}" for key in ("worst loss", "mean loss", "largest deviation")]
        lines.append(table_row([f"`{method}`", *figures, f"{found['seconds']:.0f}"]))
    head = ["setting", "method", "dev2", "deviation", "length", "test", "deviation"]
    lines += ["", *table_head([*head, "iterations", "CPU s"])]
    for row in rows.sort_values(["setting", SETS[0]], ascending=[True, False]).to_dict("records"):
        cells = [row["setting"], f"`{row['method']}`"]
        cells += [f"{row[key]:.2f}" for key in (SETS[0], f"{SETS[0]} deviation")]
        cells.append(f"{row['length']:.3f}")
        cells += [f"{row[key]:.2f}" for key in (SETS[1], f"{SETS[1]} deviation")]
        lines.append(table_row([*cells, row["iterations"], f"{row['seconds']:.0f}"]))
    return "\n".join(lines) + "\n"


def run() -> list[dict[str, object]]:
    """One row for each method."""
    found = list(collect())
    if not found:
        return [{"step": "tuning loop", "figure": "not run", "note": "needs config/tuners.yaml"}]
    rows = pd.DataFrame(found)
    path = RESULTS / "benchmarks" / "tuning_loop.md"
    path.parent.mkdir(parents=True, exist_ok=True)
    write_text(path, markdown(rows))
    return [
        {
            "step": f"the decoder's weights by {method}: worst loss on dev2",
            "figure": round(float(judged["worst loss"]), 2),
            "unit": "BLEU",
            "note": f"{judged['settings']:.0f} settings; {path}",
        }
        for method, judged in judge(rows).iterrows()
    ]
