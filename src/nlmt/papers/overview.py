"""The table over all papers: every system with its scores, its models' sizes, and times."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path
from statistics import fmean
from typing import TYPE_CHECKING, Any

import pandas as pd

from nlmt.errors import InputError
from nlmt.evaluation.system import AVERAGE
from nlmt.io.json_files import EARLIER, read_json
from nlmt.papers.quantities import megabytes
from nlmt.papers.results import read_frame
from nlmt.report.table import NOTE

if TYPE_CHECKING:
    from nlmt.experiment import Experiment

METRIC = "BLEU"
TEXTS = ("task", "pair", "system", "label", "papers")  # columns that are not numbers
# Beside the scores: heading of each column, and its unit for `nlmt.papers.numbers`.
MEASURES = {
    "perplexity": ("perplexity", "perplexity"),
    "parameters": ("parameters of neural models", "parameters"),
    "megabytes": ("size of the models, MB", "MB"),
    "training": ("training, s", "seconds"),
    "rescoring": ("rescoring of the first test set, s", "seconds"),
}


@dataclass(frozen=True)
class OverviewEntry:
    """A system of one pair, and the files that describe it.

    Attributes:
        task: whose corpora it uses.
        label: its name in tables.
        models: all files of the language models with which it decodes or rescores.
        perplexities: of all runs of the last neural one of these, or of the first if none is
            neural.
        metrics: of the training of each neural network, beside its configuration, in all runs.
        rescoring: counts and time of rescoring the first test set in the first run; None for a
            system that decodes.
        features: of its models on these lists, which systems that share them may leave out.
        tuned_on: the set on which its rescoring weights were tuned, whose score is not comparable;
            None for a system that decodes.
    """

    paper: str
    task: str
    pair: str
    system: str
    label: str
    scores: str
    models: Sequence[str]
    perplexities: Sequence[str]
    metrics: Sequence[Sequence[str]]
    rescoring: str | None
    features: Sequence[str]
    tuned_on: str | None

    def files(self) -> list[str]:
        """All of its files."""
        further = [self.rescoring] if self.rescoring is not None else []
        metrics = [path for runs in self.metrics for path in runs]
        return [self.scores, *self.models, *self.perplexities, *metrics, *further]


def overview_entries(experiment: "Experiment", paper: str, pair: str) -> list[OverviewEntry]:
    """All systems of a paper on a pair, after those with which they are compared."""
    systems, models = experiment.systems, experiment.models
    own = experiment.paper_systems(paper)
    baselines = [systems[name].baseline for name in own]
    task = experiment.paper_task(paper)
    folder = f"results/{task}/{pair}"

    def here(paths: Iterable[str]) -> list[str]:
        return [f"{folder}/{path}" for path in paths]

    entries = []
    for name in dict.fromkeys([*baselines, *own]):
        rescoring = systems[name].taking_part
        inside = [model.name for model in systems[name].inside]
        used = list(dict.fromkeys([*inside, *rescoring.values()]))
        measured = [model for model in used if models.neural([model])][-1:] or used[:1]
        files = dict.fromkeys(file for model in used for file in models[model].read_files)
        rescores = systems[name].rescores
        entries.append(
            OverviewEntry(
                paper=paper,
                task=task,
                pair=pair,
                system=name,
                label=systems[name].settings.label,
                scores=f"{folder}/eval/{name}.json",
                models=here(files),
                perplexities=here(
                    path for model in measured for path in models.paths(model, "perplexity.json")
                ),
                metrics=[
                    here(models.paths(model, "metrics.json")) for model in models.neural(used)
                ],
                rescoring=f"{folder}/{systems[name].rescoring_counts}" if rescores else None,
                features=list(rescoring),
                tuned_on=systems[name].tuning_set if rescores else None,
            )
        )
    return entries


def make_overview(entries: Sequence[OverviewEntry]) -> pd.DataFrame:
    """A row per task, pair and system; systems of several papers occur once.

    Columns: task, pair, system, label, papers, `BLEU <test set>` for each test set, and `MEASURES`.
    Scores on the set on which a system's weights were tuned are left out; so are means over sets,
    as these differ between systems. Perplexity is that of the last neural model on the test text
    (of the first model, if none is neural), training time the sum over its neural models; both are
    means over runs. Times are those of the workflow's jobs, whatever else was running.
    """
    rows: dict[tuple[str, str, str], dict[str, Any]] = {}
    for entry in entries:
        key = entry.task, entry.pair, entry.system
        row = rows.get(key)
        if row is None:
            rows[key] = {"papers": entry.paper, **_measured(entry)}
        elif entry.paper not in row["papers"].split():
            row["papers"] += f" {entry.paper}"
    sets = dict.fromkeys(key for row in rows.values() for key in row if key.startswith(METRIC))
    columns = [*TEXTS, *sets, *MEASURES]
    return pd.DataFrame(list(rows.values())).reindex(columns=columns)


def read_overview(path: Path | str) -> pd.DataFrame:
    """Read a frame of `make_overview` that `write_frame` wrote.

    Raises:
        InputError: as in `read_frame`; a column is missing, as an earlier version wrote it.
    """
    frame = read_frame(path)
    if missing := [name for name in (*TEXTS, *MEASURES) if name not in frame]:
        raise InputError(f"no column {missing[0]!r}", path=path, hint=EARLIER)
    for column in frame.columns.difference([*TEXTS, NOTE]):
        frame[column] = pd.to_numeric(frame[column], errors="coerce")
    return frame


def _measured(entry: OverviewEntry) -> dict[str, Any]:
    """One row, without the column of papers."""
    scores = read_json(entry.scores)["scores"]
    found: dict[str, Any] = {name: getattr(entry, name) for name in TEXTS if name != "papers"}
    found |= {
        f"{METRIC} {name}": metrics[METRIC]["mean"]
        for name, metrics in scores.items()
        if name not in (AVERAGE, entry.tuned_on)
    }
    if entry.perplexities:
        found["perplexity"] = fmean(
            read_json(path)["test"]["perplexity"] for path in entry.perplexities
        )
    found["megabytes"] = megabytes(entry.models)
    if entry.metrics:
        networks = [Path(runs[0]).with_name("config.json") for runs in entry.metrics]
        found["parameters"] = sum(int(read_json(path)["parameters"]) for path in networks)
        found["training"] = sum(
            fmean(float(read_json(path)["seconds"]) for path in runs) for runs in entry.metrics
        )
    if entry.rescoring is not None:
        found["rescoring"] = _rescoring_seconds(entry.rescoring, entry.features)
    return found


def _rescoring_seconds(path: str, features: Sequence[str]) -> float:
    """Seconds of these models on a list, or of the search in lattices."""
    counts = read_json(path)
    if "seconds" in counts:
        return float(counts["seconds"])
    return sum(float(counts[feature]["seconds"]) for feature in features)
