"""All methods of reranking on all lists and lattices of the workflow.

    python -m benchmarks tuners --frames docs/results
    python -m benchmarks.tuners          # without a look at test

For each pair, system and decoder run below `results/` that has scores of n-best lists or lattices
of dev, dev2 and test (`snakemake results/help/fr-en/rescore/nlm/run1/dev2.scores.tsv.gz ...`), and
each method: weights tuned on dev are judged by dev2, and last by test. (Cross-validation within dev
would favour what stays near the decoder's weights, which were tuned on all of dev.) Of lattices,
the best paths of dev2 and test are judged, and methods on lists tune on those drawn from dev's. The
seed is the run's, as in the workflow. A cell is a file below `results/benchmarks/tuners`, and cells
that exist are not computed again: an interrupted run goes on.
"""

import json
import time
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import pandas as pd

from benchmarks.frames import Row, show
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
LABELS = {"bleu": "BLEU", "length": "length"}


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


def means(cells: pd.DataFrame) -> Iterator[Row]:
    """Yield figures of each setting and method over the runs."""
    for (kind, setting, method), own in cells.groupby(["kind", "setting", "method"]):
        one: Row = {"step": method, "setting": setting if kind == "lists" else f"{setting} {kind}"}
        for part, found in own.groupby("part"):
            for name, digits in (("bleu", 2), ("length", 3)):
                figure = round(float(found[name].mean()), digits)
                yield one | {"figure": figure, "unit": f"{LABELS[name]} on {part}"}
            deviation = round(float(found["bleu"].std()), 2)
            yield one | {"figure": deviation, "unit": f"deviation on {part}"}
        first = own[own["part"] == PARTS[0]]
        yield one | {"figure": round(float(first["seconds"].mean()), 1), "unit": "CPU s"}
        yield one | {"figure": len(first), "unit": "runs"}
        yield one | {"figure": int((first["gain"] < NO_GAIN).sum()), "unit": "runs without a gain"}


def run(parts: Sequence[str] = PARTS) -> Iterator[Row]:
    """Compute missing cells, and yield the figures of all."""
    rows = compute(parts)
    if not rows:
        yield {"step": "tuners", "figure": "not run", "note": "needs rescored lists of dev2"}
        return
    cells = pd.DataFrame(rows)
    write_tsv(CELLS / "results.tsv", cells)
    yield from means(cells)


if __name__ == "__main__":
    for row in run(PARTS[:1]):
        show(row)
