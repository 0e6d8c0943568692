"""All methods of reranking on all lists and lattices of the workflow, by their largest loss.

    python -m benchmarks tuners
    python -m benchmarks.tuners [--dev-only]

For each pair, system and decoder run below `results/` that has scores of n-best lists or lattices
of dev, dev2 and test (`snakemake results/help/fr-en/rescore/nlm/run1/dev2.scores.tsv.gz ...`), and
each method: weights tuned on dev are judged by dev2, and last by test. (Cross-validation within dev
would favour what stays near the decoder's weights, which were tuned on all of dev.) Methods are
judged by their loss against the best one of a setting, first by the worst over all settings, then
by the mean; lists apart from lattices, where the best paths of dev2 and test are judged and
methods on lists tune on those drawn from dev's. The seed is the run's, as in the workflow. A cell
is a file below `results/benchmarks/tuners`, and cells that exist are not computed again: an
interrupted run goes on. `--dev-only` stops before test is looked at. docs/results/reranking.tsv,
the frame of the table in docs/tuning.md, is `reranking.tsv` there.
"""

import json
import sys
import time
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import pandas as pd

from benchmarks.tuning_sets import (
    CELLS,
    PARTS,
    Named,
    TuningSets,
    finished_lattices,
    finished_lists,
)
from nlmt.io.files import write_text
from nlmt.report import write_tsv
from nlmt.settings_check import read_settings
from nlmt.tuning import TunerSettings
from nlmt.tuning.outcome import NO_GAIN

FEW = ("NLM", "LM", "WordPenalty")

Row = dict[str, object]


@dataclass(frozen=True)
class Method:
    """A method with options; `tuner` None keeps the decoder's weights."""

    name: str
    tuner: str | None
    options: Mapping[str, Any]
    tuned: tuple[str, ...] = ()

    @property
    def few(self) -> "Method":
        """This method, tuning few features."""
        return replace(self, name=f"{self.name}, few features", tuned=FEW)


METHODS = [
    Method("decoder's weights", None, {}),
    Method("mert", "mert", {}),
    Method("pro", "pro", {}),
    Method("trust-region", "trust-region", {}),
    *(Method(f"mira, C {step}", "mira", {"largest_step": step}) for step in (0.01, 0.003, 0.001)),
]
METHODS += [method.few for method in METHODS[1:-1]]
ON_LATTICES = [
    *(method for method in METHODS if method.tuner in (None, "mert", "mira")),
    *(
        chosen
        for name in ("lattice-mert", "lattice-mira")
        for chosen in (Method(name, name, {}), Method(name, name, {}).few)
    ),
]


def compute(parts: Sequence[str]) -> list[Row]:
    """All cells, set by set; those without a file are computed."""
    rows = []
    for part in parts:
        for sets, methods in _settings():
            rows += of_part(sets, methods, part)
    return rows


def _settings() -> Iterable[tuple[TuningSets, list[Method]]]:
    for lists in finished_lists():
        yield lists, METHODS
    for lattices in finished_lattices():
        yield lattices, ON_LATTICES


def of_part(sets: TuningSets, methods: Sequence[Method], part: str) -> list[Row]:
    """The cells of a decoder run in which the weights of all methods translate a set."""
    paths = [sets.cells / f"{part}.{method.name}.json".replace(" ", "_") for method in methods]
    score = None if all(path.exists() for path in paths) else sets.scorer(part)
    rows = []
    for method, path in zip(methods, paths, strict=True):
        if score and not path.exists():
            found = tuned(sets, method)
            weights = found.pop("weights")
            write_text(path, json.dumps(score(weights) | found) + "\n")
        facts = {"kind": sets.kind, "part": part, "setting": sets.setting, "method": method.name}
        rows.append({**facts, "run": sets.run, **json.loads(path.read_text(encoding="utf-8"))})
    return rows


def tuned(sets: TuningSets, method: Method) -> dict[str, Any]:
    """Weights of a method on dev, their gain there over the decoder's, and its CPU seconds."""
    path = sets.cells / f"weights.{method.name}.json".replace(" ", "_")
    if not path.exists():
        sets.dev  # noqa: B018 - read before the clock starts
        weights: Named = sets.initial
        gain = 0.0
        began = time.process_time()
        if method.tuner:
            options = {method.tuner: method.options}
            keys = {"method": method.tuner, "tuned": method.tuned, "options": options}
            weights, outcome = sets.tune(read_settings(TunerSettings, keys))
            gain = outcome.final - outcome.initial
        seconds = round(time.process_time() - began, 2)
        path.parent.mkdir(parents=True, exist_ok=True)
        write_text(path, json.dumps({"weights": weights, "gain": gain, "seconds": seconds}) + "\n")
    found: dict[str, Any] = json.loads(path.read_text(encoding="utf-8"))
    return found


def judge(cells: pd.DataFrame) -> pd.DataFrame:
    """One row a method: losses against the best method of each setting, lengths, spread, time.

    Args:
        cells: cells of one set and one kind.
    """
    means = cells.groupby(["method", "setting"])[["bleu", "length"]].mean()
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
    for (kind, part), found in cells.groupby(["kind", "part"], sort=False):
        judged = judge(found)
        lines += table_head([f"{kind}, {part}: method", *judged.columns[:-1], "CPU s"])
        for method, row in judged.iterrows():
            losses = [f"{row[key]:.2f}" for key in ("worst loss", "mean loss", "deviation")]
            lengths = [f"{row[key]:.3f}" for key in ("shortest", "longest")]
            lines.append(table_row([str(method), *losses, *lengths, f"{row['seconds']:.1f}"]))
        grouped = found.groupby(["method", "setting"])[["bleu", "length"]].mean()
        means = {key: f"{row['bleu']:.2f} ({row['length']:.3f})" for key, row in grouped.iterrows()}
        settings = sorted(set(found["setting"]))
        lines += ["", *table_head([f"{kind}, {part}: method", *settings])]
        for method in judged.index:
            lines.append(
                table_row([str(method), *(means[method, setting] for setting in settings)])
            )
        lines.append("")
    return "\n".join(lines)


def frame(cells: pd.DataFrame) -> pd.DataFrame:
    """A row for each setting and method on lists: means over runs, and the runs without a gain."""
    lists = cells[cells["kind"] == "lists"]
    keys = ["setting", "method"]
    means = lists.pivot_table(index=keys, columns="part", values="bleu").round(2)
    dev2 = lists[lists["part"] == PARTS[0]].groupby(keys)
    return means.assign(
        deviation=dev2["bleu"].std().round(2),
        no_gain=dev2["gain"].agg(lambda gain: int((gain < NO_GAIN).sum())),
        runs=dev2["run"].count(),
        seconds=dev2["seconds"].mean().round(1),
    ).reset_index()


def table_head(names: Sequence[str]) -> list[str]:
    """The first two lines of a table in Markdown."""
    return [table_row(names), "| --- " * len(names) + "|"]


def table_row(texts: Sequence[str]) -> str:
    """A line of a table in Markdown."""
    return f"| {' | '.join(texts)} |"


def run(parts: Sequence[str] = PARTS) -> list[Row]:
    """Compute missing cells, write `results.tsv` and `tables.md`; one row for each method."""
    rows = compute(parts)
    if not rows:
        return [{"step": "tuners", "figure": "not run", "note": "needs rescored lists of dev2"}]
    cells = pd.DataFrame(rows)
    write_tsv(CELLS / "results.tsv", cells)
    write_tsv(CELLS / "reranking.tsv", frame(cells))
    write_text(CELLS / "tables.md", markdown(cells))
    judged = judge(cells[(cells["kind"] == "lists") & (cells["part"] == parts[0])])
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
