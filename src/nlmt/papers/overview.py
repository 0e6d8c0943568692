"""The table over all papers: every system with its scores, its models' sizes, and times."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pandas as pd

from nlmt.errors import InputError
from nlmt.evaluation.system import AVERAGE
from nlmt.io.json_files import read_json
from nlmt.papers.results import read_frame

if TYPE_CHECKING:
    from nlmt.experiment import Experiment

METRIC = "BLEU"
TEXTS = ("pair", "system", "label", "papers")  # columns that are no numbers
# Beside the scores: heading of each column, and what number `nlmt.papers.numbers` takes it for.
MEASURES = {
    "perplexity": ("perplexity", "perplexity"),
    "parameters": ("parameters of neural models", "parameters"),
    "megabytes": ("size of the models, MB", "MB"),
    "training": ("training, s", "seconds"),
    "rescoring": ("rescoring of the first test set, s", "seconds"),
}


@dataclass(frozen=True)
class OverviewEntry:
    """A system of one pair, and the files that say something of it.

    Attributes:
        paper: key of the paper that it belongs to.
        pair: for example fr-en.
        system: its name.
        label: its name in tables.
        scores: of the system.
        models: by name of each language model that it decodes or rescores with, all of its files.
        perplexities: by name of the model.
        metrics: of the training of each neural model, by its name.
        rescoring: counts and time of rescoring the first test set by the first run; None of a
            system that decodes.
        tuned_on: the set that the weights of rescoring were tuned on, whose score does not compare;
            None of a system that decodes.
    """

    paper: str
    pair: str
    system: str
    label: str
    scores: str
    models: Mapping[str, Sequence[str]]
    perplexities: Mapping[str, str]
    metrics: Mapping[str, str]
    rescoring: str | None
    tuned_on: str | None

    def files(self) -> list[str]:
        """All of its files."""
        own = [path for paths in self.models.values() for path in paths]
        more = [*self.perplexities.values(), *self.metrics.values()]
        return [self.scores, *own, *more, *([] if self.rescoring is None else [self.rescoring])]


def overview_entries(experiment: "Experiment", paper: str, pair: str) -> list[OverviewEntry]:
    """All systems of a paper on a pair, those that they are compared with first.

    Args:
        experiment: with the papers' systems.
        paper: its key.
        pair: language pair.
    """
    systems, models = experiment.systems, experiment.models
    own = experiment.paper_systems(paper)
    baselines = [systems.baseline(name) for name in own]
    folder = f"results/{experiment.paper_task(paper)}/{pair}"
    entries = []
    for name in dict.fromkeys([*baselines, *own]):
        used = systems.models([name])
        neural = [model for model in used if models.curve(model)]
        entries.append(
            OverviewEntry(
                paper,
                pair,
                name,
                systems.label(name),
                f"{folder}/eval/{name}.json",
                {
                    model: [f"{folder}/{file}" for file in models.read_files(model)]
                    for model in used
                },
                {model: f"{folder}/lm/{model}/perplexity.json" for model in used},
                {model: f"{folder}/lm/{model}/metrics.json" for model in neural},
                f"{folder}/{systems.rescoring_counts(name)}" if systems.rescores(name) else None,
                systems.tuning_set(name) if systems.rescores(name) else None,
            )
        )
    return entries


def make_overview(entries: Sequence[OverviewEntry]) -> pd.DataFrame:
    """A row a pair and system; systems that several papers have stand once.

    Columns: pair, system, label, papers, `BLEU <test set>` for each test set, and `MEASURES`. The
    score on the set that a system's weights were tuned on is left out; so are means over sets,
    which differ between systems. Perplexity is that of the last neural model on the test text (of
    the only model, where there is no neural one), training time the sum over its neural models.
    Times are those of the workflow's jobs, beside whatever else ran.

    Raises:
        InputError: a file is missing or damaged.
    """
    rows: dict[tuple[str, str], dict[str, Any]] = {}
    for entry in entries:
        row = rows.get((entry.pair, entry.system))
        if row is None:
            rows[entry.pair, entry.system] = {"papers": entry.paper, **_measured(entry)}
        elif entry.paper not in row["papers"].split():
            row["papers"] += f" {entry.paper}"
    sets = dict.fromkeys(key for row in rows.values() for key in row if key.startswith(METRIC))
    columns = [*TEXTS, *sets, *MEASURES]
    return pd.DataFrame(list(rows.values())).reindex(columns=columns)


def read_overview(path: Path | str) -> pd.DataFrame:
    """Read what `write_frame` wrote of `make_overview`.

    Raises:
        InputError: no such file, or a damaged one; names it.
    """
    frame = read_frame(path)
    for column in frame.columns.difference(list(TEXTS)):
        frame[column] = pd.to_numeric(frame[column], errors="coerce")
    return frame


def _measured(entry: OverviewEntry) -> dict[str, Any]:
    """One row without its papers."""
    scores = read_json(entry.scores)["scores"]
    neural = list(entry.metrics)
    last = neural[-1] if neural else next(iter(entry.models), None)
    found: dict[str, Any] = {"pair": entry.pair, "system": entry.system, "label": entry.label}
    found |= {
        f"{METRIC} {name}": metrics[METRIC]["mean"]
        for name, metrics in scores.items()
        if name not in (AVERAGE, entry.tuned_on)
    }
    if last is not None:
        found["perplexity"] = read_json(entry.perplexities[last])["test"]["perplexity"]
    found["megabytes"] = sum(_size(path) for paths in entry.models.values() for path in paths) / 1e6
    if neural:
        found["parameters"] = sum(_parameters(entry.models[name]) for name in neural)
        found["training"] = sum(
            float(read_json(path)["seconds"]) for path in entry.metrics.values()
        )
    if entry.rescoring is not None:
        found["rescoring"] = _rescoring_seconds(entry.rescoring)
    return found


def _size(path: str) -> int:
    if not Path(path).is_file():
        raise InputError("no such file", path=path)
    return Path(path).stat().st_size


def _parameters(files: Sequence[str]) -> int:
    """As the configuration beside the weights says."""
    config = next((path for path in files if Path(path).name == "config.json"), None)
    return 0 if config is None else int(read_json(config)["parameters"])


def _rescoring_seconds(path: str) -> float:
    """Of all models on a list, or of the search in lattices."""
    counts = read_json(path)
    if "seconds" in counts:
        return float(counts["seconds"])
    return sum(float(model["seconds"]) for model in counts.values())
