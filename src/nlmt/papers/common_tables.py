"""The tables of every paper: scores by test set, ends of trainings, and searched settings."""

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from nlmt.io.json_files import read_json
from nlmt.papers.paper import PairFiles, Table
from nlmt.papers.published import LEVELS
from nlmt.papers.results import Measurement, result_row
from nlmt.papers.scores import score
from nlmt.papers.tables import SHOWN, pair_table

if TYPE_CHECKING:
    from nlmt.experiment import Experiment

# Among the facts: row and test sets of each system; alternatives of each model.
SYSTEMS, ALTERNATIVES = "systems", "alternatives"

Alternatives = Mapping[str, Mapping[str, Any]]  # by name, the values of the settings that differ


def by_test_set(paper: str) -> Table:
    """BLEU of all systems of a paper, with a row per system and a column per test set.

    The set on which a system's rescoring weights were tuned is left out, as its score is not
    comparable.
    """

    def needs(experiment: "Experiment", _settings: Any, pair: str) -> PairFiles:
        systems = experiment.systems
        own = experiment.paper_systems(paper)
        names = list(dict.fromkeys([*(systems[name].baseline for name in own), *own]))
        labels = Counter(systems[name].settings.label for name in names)
        facts = {}
        for name in names:
            label = systems[name].settings.label
            tuned_on = systems[name].tuning_set if systems[name].rescores else None
            facts[name] = {
                "row": label if labels[label] == 1 else f"{label}, {name}",
                "test_sets": [one for one in systems[name].test_sets if one != tuned_on],
            }
        files = {name: [f"eval/{name}.json"] for name in names}
        return PairFiles(pair, files, {SHOWN: names, SYSTEMS: facts})

    return pair_table(
        "Each test set by itself",
        needs,
        _score_rows,
        note="All systems, BLEU. With --configfile config/domains.yaml they are tested on the "
        "documentation of other projects, too. p: against the baseline of each.",
    )


def _score_rows(part: PairFiles) -> Iterator[dict[str, Any]]:
    """The scores of one pair."""
    for name, facts in part.facts[SYSTEMS].items():
        paths = [Path(path) for path in part.files[name]]
        for test_set in facts["test_sets"]:
            bleu = score(name, test_set=test_set)
            yield result_row(part.pair, facts["row"], test_set, bleu.unit, name, bleu.read(paths))


def training_table(paper: str, further: Sequence[str] = ()) -> Table:
    """Epochs, dev perplexity and time of each run of the neural models of a paper's systems.

    `further` are models that no system uses.
    """

    def needs(experiment: "Experiment", _settings: Any, pair: str) -> PairFiles:
        models = experiment.models
        used = experiment.systems.models_of(experiment.paper_systems(paper))
        known = [name for name in further if name in models.names()]
        names = list(dict.fromkeys(models.neural([*used, *known])))
        files = {name: models.paths(name, "metrics.json", "config.json") for name in names}
        return PairFiles(pair, files, {SHOWN: names})

    return pair_table(
        "When training ended",
        needs,
        _training_rows,
        note="Epochs that were trained, and the one after which dev perplexity was lowest, whose "
        "weights are the model's. Where that is the last epoch allowed, a longer training might "
        "have gone lower. Times are those of the workflow's jobs, beside whatever else ran; of a "
        "search, that of the settings it chose.",
    )


def _training_rows(part: PairFiles) -> Iterator[dict[str, Any]]:
    """The trainings of one pair."""
    for model, paths in part.files.items():
        for run, files in enumerate(zip(paths[::2], paths[1::2], strict=True), 1):
            metrics, config = (read_json(Path(path)) for path in files)
            allowed = config["model"]["epochs"]
            last = "the last epoch allowed" if metrics["best_epoch"] >= allowed else ""
            for column, unit, value, note in (
                ("epochs", "epochs", metrics["epochs"], ""),
                ("best epoch", "epochs", metrics["best_epoch"], last),
                ("dev perplexity", "perplexity", metrics["dev"]["perplexity"], ""),
                ("time", "seconds", metrics["seconds"], ""),
            ):
                row = f"{model}{LEVELS}run {run}"
                measured = Measurement(float(value), note=note)
                yield result_row(part.pair, row, column, unit, model, measured)


def chosen_settings(paper: str) -> Table:
    """The dev score of each alternative of the models of a paper that choose by it.

    They are the settings of a `search`, and the rates of a transform of the source.
    """

    def needs(experiment: "Experiment", _settings: Any, pair: str) -> PairFiles:
        models = {name: experiment.models[name] for name in experiment.paper_models(paper)}
        found = {name: model.settings.tried() for name, model in models.items()}
        known = {name: one for name, one in found.items() if one}
        files = {name: experiment.models.paths(name, "metrics.json") for name in known}
        return PairFiles(pair, files, {SHOWN: list(known), ALTERNATIVES: known})

    return pair_table(
        "Settings among which dev chooses",
        needs,
        _setting_rows,
        note="Perplexities of dev, at best, of the first run of each model, which chooses the "
        "settings with the lowest for all of its runs, and of a run that chooses for itself as "
        "they diverged in it; of the rates of a transform the squared errors of its first run, as "
        "each run chooses its own. Those of models with different words do not compare. A chosen "
        "number that is the least or the largest of its list is at "
        "the border: a better one may lie beyond.",
    )


def _setting_rows(part: PairFiles) -> Iterator[dict[str, Any]]:
    """The settings of one pair."""
    for model, paths in part.files.items():
        metrics = [read_json(Path(path)) for path in paths]
        rates = metrics[0].get("transform_errors", {})
        errors = {f"transform_rate {rate}": error for rate, error in rates.items()}
        yield from _alternative_rows(part, model, model, "squared error", errors, {})
        ends = {"diverged": "training diverged", "trained": ""}
        for run, of_run in enumerate(metrics, start=1):
            searched = of_run.get("searched", {})
            notes = {
                name: ends.get(tried["end"], f"stopped after {tried['epochs']:g} epochs")
                for name, tried in searched.items()
            }
            values = {name: tried["perplexity"] for name, tried in searched.items()}
            row = model if run == 1 else f"{model}{LEVELS}run {run}"
            yield from _alternative_rows(part, model, row, "perplexity", values, notes)


def _alternative_rows(
    part: PairFiles,
    model: str,
    row: str,
    unit: str,
    values: Mapping[str, float | None],
    notes: Mapping[str, str],
) -> Iterator[dict[str, Any]]:
    """The alternatives of one choice."""
    best = chosen(values, part.facts[ALTERNATIVES][model])
    for name, value in values.items():
        measured = None if value is None else Measurement(value)
        note = best.get(name, notes.get(name, ""))
        yield {**result_row(part.pair, row, name, unit, model, measured), "note": note}


def chosen(values: Mapping[str, float | None], alternatives: Alternatives) -> dict[str, str]:
    """A note on the best of some alternatives, by its name; none where all have failed."""
    known = {name: value for name, value in values.items() if value is not None}
    if not known:
        return {}
    best = min(known, key=known.__getitem__)
    border = []
    for key, own in alternatives.get(best, {}).items():
        tried = [one[key] for one in alternatives.values() if key in one]
        numbers = [value for value in tried if isinstance(value, int | float)]  # words lack order
        if len(set(numbers)) > 1 and own in (min(numbers), max(numbers)):
            border.append(key)
    return {best: f"chosen, {' and '.join(border)} at the border" if border else "chosen"}
