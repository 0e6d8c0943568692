"""All methods of reranking on all rescored lists of the workflow: which one is never bad?

    python -m benchmarks tuners
    python -m benchmarks.tuners [--dev-only]

For each pair, system and decoder run below `results/` whose lists of dev, dev2 and test are
rescored (`snakemake results/help/fr-en/rescore/nlm/run1/dev2.nbest.gz ...`), and each method:
weights tuned on dev are judged by dev2, and last by test. (Cross-validation within dev would favour
what stays near the decoder's weights, which were tuned on all of dev.) Methods are judged by their
loss against the best one of a setting, first by the worst over all settings, then by the mean. A
cell is a file below `results/benchmarks/tuners`, and cells that exist are not computed again: an
interrupted run goes on. `--dev-only` stops before test is looked at.
"""

import json
import sys
import time
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from nlmt.io.files import read_lines, write_text
from nlmt.io.nbest import read_nbest
from nlmt.io.weights import read_weights
from nlmt.report import write_tsv
from nlmt.tuning import Pool, list_tuner, optimise, pool_of_nbest, starting_points

RESULTS = Path("results")
CELLS = RESULTS / "benchmarks" / "tuners"
DECODED_BY = "baseline"  # whose weights the lists were decoded with
PARTS = ("dev2", "test")
RESTARTS = 5  # of MERT: a quarter of the default, to save time
FEW = ("NLM", "LM", "WordPenalty")

Row = dict[str, object]


@dataclass(frozen=True)
class Method:
    """A method with options; `tuner` None keeps the decoder's weights."""

    name: str
    tuner: str | None
    options: Mapping[str, Any]
    seeds: tuple[int, ...] = (1,)
    tuned: tuple[str, ...] = ()

    @property
    def few(self) -> "Method":
        """The same, but tuning few features."""
        return replace(self, name=f"{self.name}, few features", tuned=FEW)


PLAIN = {"longer_reference": 0.0}
PRO = Method("pro", "pro", PLAIN, (1, 2))
SMOOTH = {"longer_reference": 1.0}
METHODS = [
    Method("decoder's weights", None, {}),
    Method("mert", "mert", {}),
    Method("mira", "mira", {}, (1, 2)),
    PRO,
    replace(PRO, name="pro, longer_reference 1", options=SMOOTH),
    replace(PRO, name="pro, longer_reference 1, grounded", options=SMOOTH | {"grounded": True}),
    replace(PRO, name="pro, largest_difference 0.3", options=PLAIN | {"largest_difference": 0.3}),
    replace(PRO, name="pro, accepted random", options=PLAIN | {"accepted": "random"}),
    replace(PRO, name="pro, background 10", options={"background": 10.0}),
]
METHODS += [method.few for method in METHODS if method.name in ("mert", "mira", "pro")]


@dataclass(frozen=True)
class Lists:
    """The rescored lists of one decoder run of a pair."""

    pair: Path
    system: str
    run: int

    @property
    def setting(self) -> str:
        """Name of what is measured, whichever run."""
        return f"{self.pair.parent.name} {self.pair.name} {self.system}"

    @property
    def cells(self) -> Path:
        """Folder of this run's cells."""
        return CELLS / f"{self.setting} run{self.run}".replace(" ", ".")

    @cached_property
    def dev(self) -> Pool:
        """The hypotheses of dev."""
        return self.pool("dev")

    @cached_property
    def starts(self) -> list[NDArray[np.float64]]:
        """Where tuning starts: the decoder's weights, with 0 for the new features, first."""
        weights = self.pair / "tune" / DECODED_BY / f"run{self.run}" / "weights.json"
        return starting_points(self.dev.names, read_weights(weights))

    def pool(self, part: str) -> Pool:
        """The hypotheses of a set."""
        target = self.pair.name.partition("-")[2]
        references = [list(read_lines(self.pair / "text" / f"{part}.{target}.gz"))]
        folder = self.pair / "rescore" / self.system / f"run{self.run}"
        return pool_of_nbest(read_nbest(folder / f"{part}.nbest.gz"), references)

    def tune(self, method: Method, seed: int) -> NDArray[np.float64]:
        """(F,) weights that a method finds on dev."""
        if method.tuner is None:
            return self.starts[0]
        tuner = list_tuner(method.tuner, method.options)
        found = optimise(
            self.dev, self.starts, tuner=tuner, tuned=method.tuned, restarts=RESTARTS, seed=seed
        )
        return found.weights


def finished() -> Iterator[Lists]:
    """The decoder runs whose lists are rescored."""
    for dev in sorted(RESULTS.glob("*/*-*/rescore/*/run*/dev.nbest.gz")):
        pair, system, run = dev.parents[3], dev.parents[1].name, dev.parent.name
        if all(dev.with_name(f"{part}.nbest.gz").exists() for part in ("dev2", "test")):
            yield Lists(pair, system, int(run.removeprefix("run")))


def compute(parts: Sequence[str]) -> list[Row]:
    """All cells, set by set, computed where their files do not exist."""
    rows = []
    for part in parts:
        for lists in finished():
            rows += of_part(lists, part)
    return rows


def of_part(lists: Lists, part: str) -> list[Row]:
    """The cells of a decoder run in which the weights of all methods translate a set."""
    wanted = [(method, seed) for method in METHODS for seed in method.seeds]
    paths = [
        lists.cells / f"{part}.{method.name}.{seed}.json".replace(" ", "_")
        for method, seed in wanted
    ]
    pool = None if all(path.exists() for path in paths) else lists.pool(part)
    rows = []
    for (method, seed), path in zip(wanted, paths, strict=True):
        if pool and not path.exists():
            write_text(path, json.dumps(cell(lists, method, seed, pool)) + "\n")
        found = json.loads(path.read_text(encoding="utf-8"))
        facts = {"part": part, "setting": lists.setting, "method": method.name, "run": lists.run}
        rows.append({**facts, "seed": seed, **found})
    return rows


def cell(lists: Lists, method: Method, seed: int, pool: Pool) -> Row:
    """BLEU and length of a set under a method's weights, and of dev; the time it took."""
    path = lists.cells / f"weights.{method.name}.{seed}.json".replace(" ", "_")
    if not path.exists():
        lists.dev, lists.starts  # noqa: B018 - read before the clock starts
        began = time.process_time()
        weights = lists.tune(method, seed)
        seconds = round(time.process_time() - began, 2)
        dev = {f"dev_{key}": value for key, value in scores(lists.dev, weights).items()}
        path.parent.mkdir(parents=True, exist_ok=True)
        write_text(path, json.dumps({"flat": weights.tolist(), "seconds": seconds, **dev}) + "\n")
    facts = json.loads(path.read_text(encoding="utf-8"))
    return {**scores(pool, np.array(facts.pop("flat"))), **facts}


def scores(pool: Pool, weights: NDArray[np.float64]) -> Row:
    """BLEU and length ratio of the best hypotheses under weights."""
    sums = pool.statistics[pool.best_rows(weights)].sum(axis=0, dtype=np.int64)
    return {
        "bleu": 100 * float(pool.objective.value(sums)),
        "length": pool.objective.length_ratio(sums),
    }


def judge(cells: pd.DataFrame) -> pd.DataFrame:
    """One row a method: losses against the best method of each setting, lengths, spread, time.

    Args:
        cells: those of one set.
    """
    means = cells.groupby(["method", "setting"])[["bleu", "length"]].mean()
    # Runs differ by their decoder too: the spread is that of runs and seeds together.
    spread = cells.groupby(["method", "setting"])["bleu"].std().groupby("method").mean()
    bleu = means["bleu"].unstack()
    losses = bleu.max() - bleu
    lengths = means["length"].unstack()
    judged = pd.DataFrame(
        {
            "worst loss": losses.max(axis=1),
            "mean loss": losses.mean(axis=1),
            "deviation": spread,
            "shortest": lengths.min(axis=1),
            "longest": lengths.max(axis=1),
            "seconds": cells.groupby("method")["seconds"].mean(),
        }
    )
    return judged.sort_values(["worst loss", "mean loss"])


def markdown(cells: pd.DataFrame) -> str:
    """For each set two tables of all methods: as judged, and BLEU with length in every setting."""
    lines = []
    for part, found in cells.groupby("part", sort=False):
        judged = judge(found)
        lines += _head([f"{part}: method", *judged.columns[:-1], "CPU s"])
        for method, row in judged.iterrows():
            losses = [f"{row[key]:.2f}" for key in ("worst loss", "mean loss", "deviation")]
            lengths = [f"{row[key]:.3f}" for key in ("shortest", "longest")]
            lines.append(_row([str(method), *losses, *lengths, f"{row['seconds']:.1f}"]))
        grouped = found.groupby(["method", "setting"])[["bleu", "length"]].mean()
        means = {key: f"{row['bleu']:.2f} ({row['length']:.3f})" for key, row in grouped.iterrows()}
        settings = sorted(set(found["setting"]))
        lines += ["", *_head([f"{part}: method", *settings])]
        for method in judged.index:
            lines.append(_row([str(method), *(means[method, setting] for setting in settings)]))
        lines.append("")
    return "\n".join(lines)


def _head(names: Sequence[str]) -> list[str]:
    return [_row(names), "| --- " * len(names) + "|"]


def _row(texts: Sequence[str]) -> str:
    return f"| {' | '.join(texts)} |"


def run(parts: Sequence[str] = PARTS) -> list[Row]:
    """Compute what is missing, write `results.tsv` and `tables.md`; a row a method."""
    rows = compute(parts)
    if not rows:
        return [{"step": "tuners", "figure": "not run", "note": "needs rescored lists of dev2"}]
    cells = pd.DataFrame(rows)
    write_tsv(CELLS / "results.tsv", cells)
    write_text(CELLS / "tables.md", markdown(cells))
    judged = judge(cells[cells["part"] == parts[0]])
    settings = cells["setting"].nunique()
    return [
        {
            "step": f"reranking by {method}: worst loss on {parts[0]}",
            "figure": round(float(row["worst loss"]), 2),
            "unit": "BLEU",
            "note": f"{settings} settings; {CELLS / 'tables.md'}",
        }
        for method, row in judged.iterrows()
    ]


if __name__ == "__main__":
    for row in run(PARTS[:1] if "--dev-only" in sys.argv[1:] else PARTS):
        print(row["step"], row["figure"], row["note"])
