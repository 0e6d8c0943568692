"""Table 1 of Baltescu and Blunsom (2015), measured: time against the size of the vocabulary.

Models are trained and queried with synthetic texts that follow Zipf's law with exponent 1, as texts
do about. The operations of an output layer depend only on the number of words, but for the depth of
a tree; how much of its vectors the processor's caches hold depends on how often each word occurs.
"""

import math
import time
from collections.abc import Sequence
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from nlmt.evaluation.difference import compare_values
from nlmt.io.files import scratch_folder, write_lines
from nlmt.io.json_files import read_json
from nlmt.lm.kinds import TrainingData
from nlmt.neural.parameters import initial
from nlmt.neural.train.task import Task
from nlmt.papers.paper import PairFiles, Table
from nlmt.papers.plots import BLUE, GREEN, ORANGE, PURPLE, log_axis, style_axes
from nlmt.papers.results import ALL_PAIRS, records, result_frame, result_row, run_values
from nlmt.papers.speed import QUARTERS, machine_facts, timed_task, training_work
from nlmt.papers.times import timed_cell
from nlmt.papers.timing import Prepared, Work, measure_in_turns, timing_facts

if TYPE_CHECKING:
    from matplotlib.figure import Figure

FILE = "results/papers/baltescu2015/complexity.json"
ORDER = 5
SENTENCE = 20  # words
BATCH = 1000  # n-grams of a minibatch of training, or of a call for scores
CHEAP = 20  # factor on the number of tokens where the cost of a token is sublinear in V
TRAINING, DECODING = "Training", "Exact Decoding"
# Settings of the model of each row.
OUTPUTS: dict[str, dict[str, Any]] = {
    "Standard": {"output": "full", "objective": "likelihood"},
    "Class Factored": {"output": "class-factored", "objective": "likelihood"},
    "Tree Factored": {"output": "tree-factored", "objective": "likelihood"},
    "NCE": {"output": "full", "objective": "nce", "noise": 10},
}
# The models' names beside those of systems.
PARTS = {row: f"synthetic-{row.lower().replace(' ', '-')}" for row in OUTPUTS}
COLORS = dict(zip(OUTPUTS, (ORANGE, BLUE, GREEN, PURPLE), strict=True))
MARKERS = dict(zip(OUTPUTS, "osD^", strict=True))


def measure_complexity(
    sizes: Sequence[int], beside: Path, *, dim: int, tokens: int, repetitions: int
) -> dict[str, Any]:
    """Seconds per token for training and for exact scoring, by output layer and vocabulary.

    Each repetition is a pass over all of these. It trains on `tokens`, of which the first quarter
    warms up, and scores as many; twenty times as many where the cost of a token is sublinear in V.
    Texts are made in a temporary folder beside `beside`.

    Returns:
        `points`, each with `row`, `words`, the seconds of each repetition as `Training` and `Exact
        Decoding`, and the facts of the `timing` of both; and the machine.
    """
    works: dict[tuple[int, str, str], Prepared] = {}
    for size in sizes:
        with scratch_folder(beside) as folder:
            data, length = _write_texts(folder, size, CHEAP * tokens)
            for row, parts in OUTPUTS.items():
                full = parts["output"] == "full"
                trained = tokens if full and parts["objective"] == "likelihood" else CHEAP * tokens
                settings = {
                    **{"kind": "neural", "order": ORDER, "dim": dim, "min_count": 1, "dropout": 0},
                    **{"minibatch": BATCH, "resampling": [trained / length], **parts},
                }
                task = timed_task(settings, data, evaluations=QUARTERS)
                works[size, row, TRAINING] = partial(_training, task)
                scored = tokens if full else CHEAP * tokens
                works[size, row, DECODING] = partial(_decoding, task, scored)
    timings = measure_in_turns(works, repetitions)
    points = []
    for size in sizes:
        for row in OUTPUTS:
            own = {column: timings[size, row, column] for column in (TRAINING, DECODING)}
            times = {column: [one.value for one in of] for column, of in own.items()}
            facts = {column: timing_facts(of) for column, of in own.items()}
            points.append({"row": row, "words": size, **times, "timing": facts})
    return {"points": points, "dim": dim, **machine_facts()}


def _training(task: Task) -> Work:
    """Training for the epoch of a task; returns seconds per token."""
    train = training_work(task)
    return lambda: 1 / train()


def _decoding(task: Task, tokens: int) -> Work:
    """Scoring of n-grams of the text by an untrained model; returns seconds per token."""
    parts = task.config, task.layout, task.counts, task.vocabulary
    model = task.model(initial(*parts), threads=1)
    ngrams = task.texts.windows(np.arange(tokens), ORDER)  # (tokens, ORDER)
    batches = [ngrams[at : at + BATCH] for at in range(0, tokens, BATCH)]

    def score() -> float:
        begin = time.perf_counter()
        for batch in batches:
            model.score_ngrams(batch[:, :-1], batch[:, -1])
        return (time.perf_counter() - begin) / tokens

    model.score_ngrams(batches[0][:, :-1], batches[0][:, -1])  # prepares caches
    return score


def _write_texts(folder: Path, size: int, least: int) -> tuple[TrainingData, int]:
    """Write a text of V words by Zipf's law, and sqrt(V) equal classes; count its tokens.

    A word's count is inversely proportional to its rank; the rarest occurs about once, or more
    often to make the text as long as `least`.
    """
    shares = 1 / np.arange(1, size + 1)
    counts = np.ceil(max(size, least / shares.sum()) * shares).astype(np.int64)
    ranks = np.random.default_rng(1).permutation(np.repeat(np.arange(size), counts))
    sentences = [
        " ".join(f"w{rank}" for rank in ranks[at : at + SENTENCE].tolist())
        for at in range(0, len(ranks), SENTENCE)
    ]
    write_lines(folder / "train", sentences)
    write_lines(folder / "dev", sentences[:1])
    count = math.isqrt(size)
    bits = count.bit_length()
    write_lines(
        folder / "classes",
        (f"{rank % count:0{bits}b}\tw{rank}\t{counts[rank]}" for rank in range(size)),
    )
    data = TrainingData([folder / "train"], folder / "dev", folder / "classes")
    return data, len(ranks)


def exponent(words: Sequence[float], seconds: Sequence[float] | NDArray[np.float64]) -> float:
    """The power of V with which time grows, by least squares over the logarithms."""
    return float(np.polyfit(np.log(words), np.log(seconds), 1)[0])


def _needs(_experiment: object, _settings: object, pair: str) -> PairFiles:
    return PairFiles(pair, {"complexity": [FILE]})


def _points(parts: Sequence[PairFiles]) -> dict[str, Any]:
    """The measurements, which do not depend on the pair."""
    return read_json(parts[0].files["complexity"][0])


def make_exponents(parts: Sequence[PairFiles]) -> pd.DataFrame:
    """The fitted exponent of each row and column, the mean over the passes.

    Those of two rows are compared pass by pass.
    """
    facts = _points(parts)
    rows = []
    for column in (TRAINING, DECODING):
        powers, busy = {}, {}
        for name in OUTPUTS:
            points = [point for point in facts["points"] if point["row"] == name]
            sizes = [point["words"] for point in points]
            passes = zip(*(point[column] for point in points), strict=True)
            powers[name] = [exponent(sizes, seconds) for seconds in passes]
            busy[name] = any(point["timing"][column]["busy"] for point in points)
        for name, own in powers.items():
            measured = replace(
                timed_cell(own, facts, busy=busy[name]),
                differences={
                    PARTS[other]: compare_values(own, powers[other], paired=True)
                    for other in OUTPUTS
                    if other != name
                },
            )
            part = PARTS[name]
            rows.append(result_row(ALL_PAIRS, name, column, "exponent of V", part, measured))
    return result_frame(rows)


def make_times(parts: Sequence[PairFiles]) -> pd.DataFrame:
    """The mean time of each point."""
    facts = _points(parts)
    rows = [
        result_row(
            ALL_PAIRS,
            f"{point['row']} / V = {point['words']}",
            column,
            "microseconds a token",
            PARTS[point["row"]],
            timed_cell(
                [1e6 * seconds for seconds in point[column]],
                facts,
                busy=point["timing"][column]["busy"],
            ),
        )
        for point in facts["points"]
        for column in (TRAINING, DECODING)
    ]
    return result_frame(rows)


def draw_times(frame: pd.DataFrame, figure: "Figure") -> None:
    """Draw time against the size of the vocabulary, both logarithmic, with a panel per column.

    Points are means of the repetitions, with lines from the shortest to the longest; the legend has
    exponents.
    """
    figure.set_size_inches(9.5, 3.8)
    for axes, column in zip(figure.subplots(1, 2, sharey=True), (TRAINING, DECODING), strict=True):
        for name in OUTPUTS:
            rows = [
                row
                for row in records(frame[frame["column"] == column])
                if row["row"].startswith(f"{name} / ")
            ]
            words = [int(row["row"].rpartition("= ")[2]) for row in rows]
            means = np.array([row["value"] for row in rows])
            runs = np.array([run_values(row) for row in rows])  # (sizes, repetitions)
            # Means of equal values may be off by the last digit.
            reach = np.maximum(0, [means - runs.min(axis=1), runs.max(axis=1) - means])
            power = f"{exponent(words, means):.2f}"
            axes.errorbar(
                words, means, reach, color=COLORS[name], marker=MARKERS[name],
                ms=5, lw=1.5, capsize=3, label=f"{name}, $V^{{{power}}}$",
            )  # fmt: skip
        style_axes(axes)
        log_axis(axes.xaxis)
        log_axis(axes.yaxis)
        axes.set_title(column.lower(), fontsize=11)
        axes.set_xlabel("words of the vocabulary, V")
        axes.legend(frameon=False, fontsize=8)
    figure.axes[0].set_ylabel("microseconds a token, mean and range")


TABLE1 = Table(
    title="Table 1: how time grows with the vocabulary",
    needs=_needs,
    make=make_exponents,
    note="The power of V that the time for a token grows with, fitted over synthetic vocabularies "
    "whose words are as frequent as Zipf's law has it; the mean over passes. "
    "The paper has formulas, whose exponents are beside ours: O(V D) for standard models and for "
    "exact decoding after NCE, O(sqrt(V) D) with classes, O(log(V) D) with trees, O(k D) for "
    "training with NCE. The part of the time that does not depend on V makes the powers smaller, "
    "vectors that are not in the processor's caches make them larger. Sizes, D, tokens and "
    "repetitions are those of papers.baltescu2015 in the configuration below; the seed is 1.",
    pair=ALL_PAIRS,
)
TIMES = Table(
    title="Time against the size of the vocabulary",
    needs=_needs,
    make=make_times,
    note="The mean over several passes with nothing else running, on one thread; words are as "
    "frequent as Zipf's law has it. Training is by AdaGrad on minibatches; scores are normalised "
    "exactly.",
    draw=draw_times,
    pair=ALL_PAIRS,
)
