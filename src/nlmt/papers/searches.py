"""Table 1 and figure 3 of Auli et al. (2013): searches of several sizes in lattices and lists."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
import pandas as pd

from nlmt.errors import InputError
from nlmt.evaluation import BLEU
from nlmt.evaluation.difference import SampledRuns, compare_runs, sample_means, sample_runs
from nlmt.io.json_files import read_json_value
from nlmt.paper_settings import PaperSettings
from nlmt.papers.paper import PairFiles
from nlmt.papers.plots import BLUE, ORANGE, log_axis, shared_legend, style_axes
from nlmt.papers.results import Measurement, mean_over, result_row
from nlmt.papers.tables import SHOWN, pair_table
from nlmt.papers.times import decoding_time
from nlmt.settings import setting

if TYPE_CHECKING:
    from matplotlib.figure import Figure

    from nlmt.experiment import Experiment

LIST, STATES = "list", "states"  # the kinds of searches
ONE_BEST = (LIST, 1)  # the decoder's own output
# Column of the tables and unit for each measurement of a search.
COLUMNS = {
    "bleu": ("BLEU", "BLEU"),
    "score": ("model score", "model score"),
    "seconds": ("time", "seconds a sentence"),
}
ADDED = "time that rescoring adds"

Search = tuple[str, int]  # its kind and size
Searches = Mapping[Search, Mapping[str, Measurement]]


class Auli2013Settings(PaperSettings):
    """Settings of the searches for table 1 and figure 3."""

    search: str = setting(
        "auli2013_rnn_lattice10",
        "The system with the key `lattice` whose lattices and weights all searches share.",
    )
    lists: tuple[int, ...] = setting(
        (1, 10, 100, 1000),
        "Sizes of n-best lists, beginning with the one-best output.",
        min_length=1,
    )
    states: tuple[int, ...] = setting(
        (1, 2, 5, 10, 100),
        "Numbers of states to keep at a node of a lattice, the paper's k.",
        min_length=1,
    )
    repetitions: int = setting(
        3, "Least number of measurements of each time, those of all runs together.", ge=2
    )


def _search_files(experiment: "Experiment", settings: Auli2013Settings, pair: str) -> PairFiles:
    """Files with the searches of each run and the decoding time of the system."""
    systems, name = experiment.systems, settings.search
    if name not in systems.names():
        facts = {"system": name, "decoder": "", SHOWN: []}
        return PairFiles(pair, {"searches": [], "decoding": []}, facts)
    on_lattices = [other for other in systems.names() if systems[other].on_lattices]
    known = [other for other in on_lattices if not systems[other].reference_features]
    if name not in known:
        sees = "sees the reference, which no search is given"
        why = sees if systems[name].reference_features else "rescores no lattices"
        hint = f"one of {', '.join(known)}"
        raise InputError(f"papers.auli2013.search: {name} {why}", hint=hint)
    test_set = systems[name].test_sets[0]
    files = {
        "searches": [
            f"rescore/{name}/run{run}/{test_set}.searches.json" for run in systems[name].runs
        ],
        "decoding": decoding_time(systems[name].decoded_by).files(experiment),
    }
    facts = {"system": name, "decoder": systems[name].decoded_by, SHOWN: [name]}
    return PairFiles(pair, files, facts)


def read_searches(system: str, paths: Sequence[str]) -> Searches:
    """Results of a system's searches in all runs, by kind and size, then by the keys of `COLUMNS`.

    BLEU and model score of each are compared with those of the others, run by run, over sentences.

    Raises:
        InputError: a file is missing or damaged, or lacks a search that another one has.
    """
    runs = [{(one["kind"], one["size"]): one for one in read_json_value(path)} for path in paths]
    for path, run in zip(paths, runs, strict=True):
        if run.keys() != runs[0].keys():
            hint = "make it again"
            raise InputError(f"other searches than those of {paths[0]}", path=path, hint=hint)
    searches = {one: [run[one] for run in runs] for one in (runs[0] if runs else ())}
    bleu = {
        one: sample_runs(BLEU, [np.array(run["bleu_statistics"]) for run in found])
        for one, found in searches.items()
    }
    score = {
        one: sample_means([np.array(run["scores"]) for run in found], len(found[0]["scores"]))
        for one, found in searches.items()
    }
    return {
        one: {
            "bleu": _compared(system, one, bleu),
            "score": _compared(system, one, score),
            "seconds": mean_over([seconds for run in found for seconds in run["seconds"]]),
        }
        for one, found in searches.items()
    }


def _compared(system: str, search: Search, sampled: Mapping[Search, SampledRuns]) -> Measurement:
    """The mean over the runs of a search, compared with the other searches of the system."""
    own = sampled[search]
    return replace(
        mean_over(own.scores.tolist()),
        differences={
            _part(system, other): compare_runs(own, another, paired=True)
            for other, another in sampled.items()
            if other != search
        },
    )


def _part(system: str, search: Search) -> str:
    """The name of a search of a system."""
    return f"{system}:{search[0]}{search[1]}"


def _rows(
    part: PairFiles, found: Searches, rows: Mapping[str, Search], *, with_decoding: bool
) -> Iterator[dict[str, Any]]:
    """Cells of some searches by name of the row; those that were not found were not run.

    Times may include the decoder's; the one-best output has only that one.
    """
    system, paths = part.facts["system"], [Path(path) for path in part.files["decoding"]]
    decoding = decoding_time("").read(paths) if paths else None
    for row, search in rows.items():
        values = found.get(search, {})
        if with_decoding and values and decoding is not None:
            times = [decoding.value + seconds for seconds in values["seconds"].runs]
            values = {**values, "seconds": decoding if search == ONE_BEST else mean_over(times)}
        for key, (column, unit) in COLUMNS.items():
            # Repetitions of the decoder do not correspond to runs of the searches.
            alone = with_decoding and search == ONE_BEST and key == "seconds"
            measured_part = part.facts["decoder"] if alone else _part(system, search)
            yield result_row(part.pair, row, column, unit, measured_part, values.get(key))
    for row, search in rows.items():
        if search != ONE_BEST:
            added = None
            if search in found and decoding is not None:
                times = [100 * s / decoding.value for s in found[search]["seconds"].runs]
                added = mean_over(times)
            yield result_row(part.pair, row, ADDED, "%", _part(system, search), added)


def _table1(part: PairFiles) -> Iterator[dict[str, Any]]:
    """The one-best output, the longest lists, and lattices with one and with 100 states a node."""
    found = read_searches(part.facts["system"], part.files["searches"])
    longest = max((size for kind, size in found if kind == LIST), default=1000)
    wanted = {
        "1-best output": ONE_BEST,
        "n-best lists": (LIST, longest),
        "lattices / k = 1": (STATES, 1),
        "lattices / k = 100": (STATES, 100),
    }
    return _rows(part, found, wanted, with_decoding=True)


def _figure3(part: PairFiles) -> Iterator[dict[str, Any]]:
    """All searches."""
    names = {LIST: "n-best lists / {}", STATES: "lattices / k = {}"}
    found = read_searches(part.facts["system"], part.files["searches"])
    wanted = {names[kind].format(size): (kind, size) for kind, size in found}
    return _rows(part, found, wanted, with_decoding=False)


def draw_figure3(frame: pd.DataFrame, figure: "Figure") -> None:
    """Draw BLEU, model score and time against the search's size, with a row of panels per pair."""
    frame = frame[frame["value"].notna()]
    pairs = list(dict.fromkeys(frame["pair"]))
    if not pairs:
        return
    figure.set_size_inches(10.5, 3.3 * len(pairs))
    grid = figure.subplots(len(pairs), len(COLUMNS), squeeze=False, sharex=True)
    for pair, panels in zip(pairs, grid, strict=True):
        for axes, (column, unit) in zip(panels, COLUMNS.values(), strict=True):
            cells = frame[(frame["pair"] == pair) & (frame["column"] == column)]
            for kind, color, marker in (("n-best lists", ORANGE, "s"), ("lattices", BLUE, "o")):
                some = cells[cells["row"].str.startswith(kind)]
                sizes = some["row"].str.extract(r"(\d+)$")[0].astype(int)
                axes.errorbar(
                    sizes, some["value"], some["stdev"], color=color, marker=marker,
                    ms=4, lw=1.5, capsize=3, label=kind,
                )  # fmt: skip
            style_axes(axes)
            log_axis(axes.xaxis)
            axes.set_title(f"{pair}: {unit}", fontsize=10)
            if unit == "seconds a sentence":
                log_axis(axes.yaxis)
    for axes in grid[-1]:
        axes.set_xlabel("translations of a list, states of a node")
    shared_legend(figure)


_NOTE = (
    "The same lattices and weights for all: the n best different translations of the decoder "
    "scored by the model, or the lattice rescored with k states kept at a node. Means and standard "
    "deviations over runs, of times over all repetitions, measured with nothing else running. "
)

TABLE1 = pair_table(
    "Table 1: lattices against n-best lists",
    _search_files,
    _table1,
    note=_NOTE + "Times are the decoder's and, but for the one-best output, those of listing or "
    "rescoring, whose spread they have, on the mean of the decoder's; lattices are written and "
    "read outside of them.",
)

FIGURE3 = pair_table(
    "Figure 3: what a wider search brings and costs",
    _search_files,
    _figure3,
    note=_NOTE + "Times are those of listing or rescoring, without the decoder's, and beside them "
    "what they add to its mean; lattices are written and read outside of them.",
    draw=draw_figure3,
)
