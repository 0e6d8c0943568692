"""Auli, Galley, Quirk and Zweig (2013): recurrent models rescore whole lattices."""

import json
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pandas as pd

from nlmt.errors import InputError
from nlmt.evaluation.system import AVERAGE
from nlmt.experiment.papers import PairFiles, PaperSettings
from nlmt.papers.gains import BestGain, LargestGain
from nlmt.papers.paper import PaperModule
from nlmt.papers.plots import BLUE, ORANGE, style_axes
from nlmt.papers.quantities import (
    ModelPerplexity,
    PerplexityFall,
    Quantity,
    SystemScore,
    TextRecord,
    TrainingRecord,
    mean_over,
)
from nlmt.papers.results import RESULT_COLUMNS, Measurement, result_frame, result_row
from nlmt.papers.sizes import SizeOfText
from nlmt.papers.tables import SHOWN, PaperTable, quantity_table
from nlmt.papers.times import DecodingTime, TrainingTime
from nlmt.settings import setting

if TYPE_CHECKING:
    from matplotlib.figure import Figure

    from nlmt.experiment import Experiment

PAIR = "fr-en"
LIST, STATES = "list", "states"  # the kinds of searches
# Key of a search to the column of the tables and its unit.
COLUMNS = {
    "bleu": ("BLEU", "BLEU"),
    "score": ("model score", "model score"),
    "seconds": ("time", "seconds a sentence"),
}
ADDED = "time that rescoring adds"


class Auli2013Settings(PaperSettings):
    """Searches of several sizes, for table 1 and figure 3."""

    search: str = setting(
        "auli2013_rnn_lattice10",
        "The system with the key `lattice` whose lattices and weights all searches share.",
    )
    lists: tuple[int, ...] = setting(
        (1, 10, 100, 1000), "Sizes of n-best lists, the one-best output first.", min_length=1
    )
    states: tuple[int, ...] = setting(
        (1, 2, 5, 10, 50, 100),
        "Numbers of states that are kept at a node of a lattice, the paper's k.",
        min_length=1,
    )


def _search_files(experiment: "Experiment", settings: Auli2013Settings, pair: str) -> PairFiles:
    """The searches of each run, and the time of the system that decodes."""
    systems, name = experiment.systems, settings.search
    if name not in systems.names():
        return PairFiles(pair, {"searches": [], "decoding": []}, {"system": name, SHOWN: []})
    known = [other for other in systems.on_lattices() if not systems.reference_features(other)]
    if systems.settings(name).lattice is None:
        what = f"papers.auli2013.search: {name} works on no lattices"
        raise InputError(what, hint=f"one of {', '.join(known)}")
    if systems.reference_features(name):
        what = f"papers.auli2013.search: {name} sees the reference, which no search is given"
        raise InputError(what, hint=f"one of {', '.join(known)}")
    test_set = systems.test_sets(name)[0]
    files = {
        "searches": [
            f"rescore/{name}/run{run}/{test_set}.searches.json" for run in systems.seeds(name)
        ],
        "decoding": DecodingTime(systems.decoded_by(name)).files(experiment),
    }
    return PairFiles(pair, files, {"system": name, SHOWN: [name]})


def read_searches(paths: Sequence[str]) -> dict[tuple[str, int], dict[str, Measurement]]:
    """What the searches of all runs found, by kind and size, then by `bleu`, `score`, `seconds`.

    Raises:
        InputError: a file is missing, or lacks a search that another one has.
    """
    runs = []
    for path in paths:
        if not Path(path).is_file():
            raise InputError("no such file", path=path)
        searches = json.loads(Path(path).read_text(encoding="utf-8"))
        runs.append({(search["kind"], search["size"]): search for search in searches})
    for path, run in zip(paths, runs, strict=True):
        if run.keys() != runs[0].keys():
            hint = "make it again"
            raise InputError(f"other searches than those of {paths[0]}", path=path, hint=hint)
    return {
        search: {key: mean_over([float(run[search][key]) for run in runs]) for key in COLUMNS}
        for search in (runs[0] if runs else ())
    }


def _search_rows(
    part: PairFiles,
    found: Mapping[tuple[str, int], Mapping[str, Measurement]],
    rows: Mapping[str, tuple[str, int]],
) -> Iterator[dict[str, Any]]:
    """Cells of some searches by the name of the row; those that are missing were not run."""
    for row, search in rows.items():
        for key, (column, unit) in COLUMNS.items():
            measured = found.get(search, {}).get(key)
            yield result_row(part.pair, row, column, unit, part.facts["system"], measured)


def _with_decoding(
    found: Mapping[tuple[str, int], Mapping[str, Measurement]], decoding: Measurement
) -> dict[tuple[str, int], dict[str, Measurement]]:
    """Searches whose time is that of the decoder, too; of the one-best output, that alone."""
    together = {}
    for search, values in found.items():
        times = [decoding.value + seconds for seconds in values["seconds"].runs]
        seconds = decoding if search == (LIST, 1) else mean_over(times)
        together[search] = {**values, "seconds": seconds}
    return together


def _added_time(
    found: Mapping[tuple[str, int], Mapping[str, Measurement]], decoding: Measurement | None
) -> Measurement | None:
    """What rescoring with one state a node adds to the decoder's time, in per cent of that."""
    rescoring = found.get((STATES, 1))
    if rescoring is None or decoding is None:
        return None
    return mean_over([100 * seconds / decoding.value for seconds in rescoring["seconds"].runs])


def make_table1(parts: Sequence[PairFiles]) -> pd.DataFrame:
    """The one-best output, the longest lists, and lattices with one and with 100 states a node."""
    rows: list[dict[str, Any]] = []
    for part in parts:
        found = read_searches(part.files["searches"])
        paths = [Path(path) for path in part.files["decoding"]]
        decoding = DecodingTime("").read(paths) if paths else None
        added = _added_time(found, decoding)
        if decoding is not None:
            found = _with_decoding(found, decoding)
        longest = max((size for kind, size in found if kind == LIST), default=1000)
        wanted = {
            "1-best output": (LIST, 1),
            "n-best lists": (LIST, longest),
            "lattices / k = 1": (STATES, 1),
            "lattices / k = 100": (STATES, 100),
        }
        rows += _search_rows(part, found, wanted)
        system = part.facts["system"]
        rows.append(result_row(part.pair, "lattices / k = 1", ADDED, "%", system, added))
    return result_frame(rows)


def make_figure3(parts: Sequence[PairFiles]) -> pd.DataFrame:
    """All searches."""
    rows: list[dict[str, Any]] = []
    for part in parts:
        names = {LIST: "n-best lists / {}", STATES: "lattices / k = {}"}
        found = read_searches(part.files["searches"])
        wanted = {names[kind].format(size): (kind, size) for kind, size in found}
        rows += _search_rows(part, found, wanted)
    return result_frame(rows)


def draw_figure3(frame: pd.DataFrame, figure: "Figure") -> None:
    """BLEU, model score and time against the size of the search, a row of panels for each pair."""
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
                    sizes, some["value"], some["stdev"].fillna(0), color=color, marker=marker,
                    ms=4, lw=1.5, capsize=3, label=kind,
                )  # fmt: skip
            style_axes(axes)
            axes.set_xscale("log")
            axes.xaxis.set_major_formatter("{x:g}")
            axes.set_ylabel(f"{pair}: {unit}")
            if unit == "seconds a sentence":
                axes.set_yscale("log")
    for axes in grid[-1]:
        axes.set_xlabel("translations of a list, states of a node")
    grid[0][0].legend(frameon=False)


BASELINE, TARGET_ONLY = "auli2013_baseline", "auli2013_rnn"
# Row of tables 5 and 6 to the name of the model, which is that of the system, too.
SOURCES = {
    "sent-lsa-dim80": "auli2013_sent_lsa80",
    "sent-lsa-dim240": "auli2013_sent_lsa240",
    "ww-rnn-dim50.n5": "auli2013_ww_rnn_n5",
    "ww-rnn-dim50.p5n5": "auli2013_ww_rnn_p5n5",
    "ww-rnn-dim50.p3": "auli2013_ww_rnn_p3",
    "ww-rnn-dim50.c5": "auli2013_ww_rnn_c5",
    "ww-lsa-dim50.n5": "auli2013_ww_lsa_n5",
    "ww-lsa-dim50.p3": "auli2013_ww_lsa_p3",
}
# Row of table 7 to the name of model and system.
ORACLES = {"oracle": "auli2013_oracle240", "oracle, 80 numbers": "auli2013_oracle80"}
TRANSFORM, SECOND = "auli2013_transform", "dev2"  # model and system; the second test set
# Row of tables 2 to 4 to the system, whose model has its name.
SAMPLES = {
    "RNN / 2 million words": "auli2013_rnn_4pct",
    "RNN / 20 % of the text": "auli2013_rnn_20pct",
    "RNN / 50 million words": TARGET_ONLY,
}
COSINE = "cosine similarity"
# Column of table 6 to the end of the names of its systems.
LEFT_OUT = {"without p(e|f)": "_without_ef", "without p(e|f) and p(f|e)": "_without_cm"}


def _scores(system: str, against: str) -> dict[str, Quantity]:
    """BLEU on the first test set, and the mean over all of them."""
    return {
        "BLEU": SystemScore(system, against=against),
        "BLEU, average": SystemScore(system, against=against, test_set=AVERAGE),
    }


def _measured(name: str, against: str) -> dict[str, Quantity]:
    """BLEU of a system, and the perplexity of its model of the same name."""
    return {**_scores(name, against), "perplexity": ModelPerplexity(name, against=against)}


def _sets(system: str, against: str) -> dict[str, Quantity]:
    """BLEU on each test set, and the mean over them."""
    sets = {"test set 1": "", "test set 2": SECOND, "average": AVERAGE}
    return {
        column: SystemScore(system, against=against, test_set=test_set)
        for column, test_set in sets.items()
    }


def _shares(number: int, pair: str) -> PaperTable:
    """One of tables 2 to 4."""
    return quantity_table(
        f"Table {number}: models of the target trained on growing shares of the text",
        {
            "Baseline": _scores(BASELINE, ""),
            **{
                row: {
                    **_measured(system, BASELINE),
                    "gain, best test set": LargestGain(system, BASELINE),
                }
                for row, system in SAMPLES.items()
            },
        },
        pair=pair,
        note="The paper's 2 and 50 million words are 4 % and all of our text; samples are parts of "
        "one another, and know fewer words, so that perplexities do not compare. Lattices, k = 1; "
        "test and dev2, which no weights are tuned on, are the test sets of the average. Tables 2 "
        "to 4 have the same rows for each of our pairs. p: against the baseline.",
    )


def _without(model: str) -> dict[str, Quantity]:
    """BLEU of a model beside decoders that lack features."""
    return {
        column: SystemScore(model + end, against=f"auli2013{end}")
        for column, end in LEFT_OUT.items()
    }


SEARCH_NOTE = (
    "The same lattices and weights for all: the n best different translations of the decoder "
    "scored by the model, or the lattice rescored with k states kept at a node. Means and standard "
    "deviations over tuning runs, "
)

TABLES: dict[str, PaperTable] = {
    "table1": PaperTable(
        title="Table 1: lattices against n-best lists",
        needs=_search_files,
        make=make_table1,
        columns=RESULT_COLUMNS,
        note=SEARCH_NOTE + "measured with nothing else running. Times are the decoder's and, but "
        "for the one-best output, those of listing or rescoring.",
        pair=PAIR,
    ),
    "figure3": PaperTable(
        title="Figure 3: what a wider search brings and costs",
        needs=_search_files,
        make=make_figure3,
        columns=RESULT_COLUMNS,
        note=SEARCH_NOTE + "measured with nothing else running. Times are those of listing or "
        "rescoring, without the decoder's.",
        draw=draw_figure3,
        pair=PAIR,
    ),
    "table2": _shares(2, PAIR),
    "table3": _shares(3, "de-en"),
    "table4": _shares(4, "en-de"),
    "table5": quantity_table(
        "Table 5: what is seen of the source",
        {
            "Baseline": _scores(BASELINE, ""),
            "target-only": _measured(TARGET_ONLY, BASELINE),
            **{row: _measured(model, TARGET_ONLY) for row, model in SOURCES.items()},
        },
        pair=PAIR,
        note="sent-lsa: of the sentence, by latent semantic analysis; ww: of words before (p), "
        "after (n) or around (c) the one that the predicted word is affiliated with, side by side: "
        "their embeddings in an Elman network of the source, or their singular vectors in the "
        "analysis. Perplexities are those given the source and the reference's own alignment. "
        "Lattices, k = 1. p: against target-only, and of that against the baseline.",
    ),
    "table6": quantity_table(
        "Table 6: joint models in place of channel features",
        {
            "Baseline": {"all channel features": SystemScore(BASELINE)},
            "Baseline without CM": {
                column: SystemScore(f"auli2013{end}", against=BASELINE)
                for column, end in LEFT_OUT.items()
            },
            "target-only": _without(TARGET_ONLY),
            **{row: _without(model) for row, model in list(SOURCES.items())[1:]},
        },
        pair=PAIR,
        note="The decoder lacks both features of one direction, or all four, and its weights are "
        "tuned without them; the paper takes them out of its lattices. k = 1. p: against the same "
        "decoder alone, and of that against all features.",
    ),
    "table7": quantity_table(
        "Table 7: the reference in place of the source",
        {
            "Baseline": _scores(BASELINE, ""),
            "target-only": _measured(TARGET_ONLY, BASELINE),
            **{row: _measured(model, TARGET_ONLY) for row, model in ORACLES.items()},
            "oracle vs. Baseline": {"BLEU": BestGain(BASELINE, tuple(ORACLES.values()))},
            "oracle vs. target-only": {
                "perplexity": PerplexityFall(TARGET_ONLY, tuple(ORACLES.values()))
            },
        },
        pair=PAIR,
        note="The model sees a vector of the reference by latent semantic analysis, in training, "
        "tuning and test: how much an ideal vector of the source would gain. That of the row "
        "oracle has 240 numbers. Its perplexity is not one in the usual sense. Lattices, k = 1. p: "
        "against target-only, and of that against the baseline.",
    ),
    "table8": quantity_table(
        "Table 8: a transform of the source to the vector of the reference",
        {
            "Baseline": _sets(BASELINE, ""),
            "target-only": _sets(TARGET_ONLY, BASELINE),
            "transform": {
                **_sets(TRANSFORM, TARGET_ONLY),
                "perplexity": ModelPerplexity(TRANSFORM, against=TARGET_ONLY),
                "cosine, training": TrainingRecord(TRANSFORM, "train_source_cosine", COSINE),
                "cosine, validation": TextRecord(TRANSFORM, "source_cosine", COSINE, "dev"),
                "cosine, test": TextRecord(TRANSFORM, "source_cosine", COSINE),
            },
            "transform vs. Baseline": {
                "best test set": LargestGain(TRANSFORM, BASELINE),
                "average": BestGain(BASELINE, (TRANSFORM,), test_set=AVERAGE),
            },
            "transform vs. target-only": {
                "average": BestGain(TARGET_ONLY, (TRANSFORM,), test_set=AVERAGE),
            },
        },
        pair=PAIR,
        note="A linear transform of the source's words and pairs of words, hashed to 20 bits, "
        "learns to give the vector of the reference by latent semantic analysis, of 80 numbers; "
        "the paper does not say how many. Cosines are means over sentences, of training text, dev "
        "and test. Lattices, k = 1. p: against target-only, and of that against the baseline; of "
        "averages over the sentences of all test sets together.",
    ),
    "text": quantity_table(
        "In the text: the time of training, sizes of texts",
        {
            **{row: {"training time": TrainingTime(model)} for row, model in SAMPLES.items()},
            "parallel text": {"size": SizeOfText(("train",))},
            "language model text": {"size": SizeOfText(("texts/default",))},
            "tuning set": {"size": SizeOfText(("dev",), "sentences")},
            **{
                which: {"size": SizeOfText(("test", SECOND), "sentences", of_all=of_all)}
                for which, of_all in (
                    ("smallest test set", min),
                    ("largest test set", max),
                    ("all test sets", sum),
                )
            },
        },
        pair=PAIR,
        note="Times are of all epochs, on one thread with nothing else running; the paper names no "
        "machine for them. Its 2 and 50 million words are 4 % and all of our text. Tokens are of "
        "the target side. The paper has a language model of each text, we have one of both.",
    ),
    "systems": quantity_table(
        "Systems with weights of their own",
        {
            row: {
                metric: SystemScore(system, metric, "baseline")
                for metric in ("BLEU", "TER", "chrF")
            }
            for row, system in {
                "Baseline": "baseline",
                "feed-forward model, 1000-best lists": "nlm",
                "feed-forward model, lattices, all states": "auli2013_nce_lattice",
                "Elman network, lattices, k = 10": "auli2013_rnn_lattice10",
                "LSTM, 1000-best lists": "auli2013_lstm_lists",
                "LSTM, lattices, k = 10": "auli2013_lstm_lattice10",
            }.items()
        },
        pair=PAIR,
        note="p: against the baseline.",
    ),
    "models": quantity_table(
        "The models",
        {
            row: {
                "dev perplexity": ModelPerplexity(model, "dev"),
                "test perplexity": ModelPerplexity(model, "test"),
            }
            for row, model in {
                "target-only": TARGET_ONLY,
                "LSTM": "auli2013_lstm",
                "feed-forward model": "nce",
            }.items()
        },
        pair=PAIR,
    ),
}

PAPER = PaperModule(
    title="Auli, Galley, Quirk and Zweig (2013): Joint Language and Translation Modeling with "
    "Recurrent Neural Networks",
    about="Recurrent models, of the target alone or of source and target, rescore the lattices of "
    "a phrase-based system, k histories a state. They are Elman networks of 100 units with direct "
    "n-gram features, as the paper's, trained on software help; an LSTM of 200 units stands beside "
    "them.",
    tables=TABLES,
    settings=Auli2013Settings,
)
