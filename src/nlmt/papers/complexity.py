"""Table 1 of Baltescu and Blunsom (2015), measured: time against the size of the vocabulary.

Models are trained and queried with words drawn uniformly from synthetic vocabularies: the cost of
an output layer depends only on the number of words.
"""

import math
import time
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
import pandas as pd

from nlmt.io.files import scratch_folder, write_lines
from nlmt.io.json_files import read_json
from nlmt.lm.kinds import TrainingData
from nlmt.papers.paper import PairFiles
from nlmt.papers.plots import BLUE, GREEN, ORANGE, PURPLE, log_axis, style_axes
from nlmt.papers.results import (
    ALL_PAIRS,
    Measurement,
    records,
    result_frame,
    result_row,
    run_values,
)
from nlmt.papers.speed import machine_facts, train_in_parts
from nlmt.papers.tables import PaperTable
from nlmt.papers.times import machine_text

if TYPE_CHECKING:
    from matplotlib.figure import Figure

FILE = "results/papers/baltescu2015/complexity.json"
SENTENCE = 20  # words
CHEAP = 20  # factor on the number of tokens where the cost of a token is sublinear in V
TRAINING, DECODING = "Training", "Exact Decoding"
# Settings of the model of each row.
OUTPUTS: dict[str, dict[str, Any]] = {
    "Standard": {"output": "full", "objective": "likelihood"},
    "Class Factored": {"output": "class-factored", "objective": "likelihood"},
    "Tree Factored": {"output": "tree-factored", "objective": "likelihood"},
    "NCE": {"output": "full", "objective": "nce", "noise": 10},
}
COLORS = dict(zip(OUTPUTS, (ORANGE, BLUE, GREEN, PURPLE), strict=True))
MARKERS = dict(zip(OUTPUTS, "osD^", strict=True))


def measure_complexity(
    sizes: Sequence[int], beside: Path, *, dim: int, tokens: int, repetitions: int
) -> dict[str, Any]:
    """Seconds per token for training and for exact scoring, by output layer and vocabulary.

    Each repetition trains on `tokens`, and scores as many; twenty times as many where the cost of a
    token is sublinear in V. Texts are made in a temporary folder beside `beside`.

    Returns:
        `points`, each with `row`, `words`, and the seconds of each repetition as `Training` and
        `Exact Decoding`; and the machine.
    """
    points = []
    for size in sizes:
        with scratch_folder(beside) as folder:
            data, length = _write_texts(folder, size, repetitions * CHEAP * tokens)
            for row, parts in OUTPUTS.items():
                full = parts["output"] == "full"
                trained = tokens if full and parts["objective"] == "likelihood" else CHEAP * tokens
                settings = {
                    **{"kind": "neural", "order": 5, "dim": dim, "min_count": 1, "dropout": 0},
                    **{"minibatch": tokens, "resampling": [repetitions * trained / length]},
                    **parts,
                }
                scored = tokens if full else CHEAP * tokens
                times = _measure(settings, data, scored, repetitions)
                points.append({"row": row, "words": size, **times})
    return {"points": points, "dim": dim, **machine_facts()}


def _measure(
    settings: Mapping[str, Any], data: TrainingData, tokens: int, repetitions: int
) -> dict[str, list[float]]:
    """Seconds per token of the parts of a training, and of scoring with the trained model."""
    trained = train_in_parts(settings, data, repetitions)
    random = np.random.default_rng(1)
    shape = (repetitions, tokens, 5)
    words = random.integers(3, len(trained.model.vocabulary.words), shape, dtype=np.int32)
    trained.model.score_ngrams(words[0, :1, :4], words[0, :1, 4])  # the first call prepares caches
    decoding = []
    for part in words:
        begin = time.perf_counter()
        trained.model.score_ngrams(part[:, :4], part[:, 4])
        decoding.append((time.perf_counter() - begin) / tokens)
    training = [1 / row.tokens_per_second for row in trained.progress.log]
    return {TRAINING: training, DECODING: decoding}


def _write_texts(folder: Path, size: int, least: int) -> tuple[TrainingData, int]:
    """Write a text with every word equally often, and sqrt(V) equal classes; count its tokens."""
    words = [f"w{number}" for number in np.random.default_rng(1).permutation(size)]
    text = words * math.ceil(least / size)
    sentences = [" ".join(text[at : at + SENTENCE]) for at in range(0, len(text), SENTENCE)]
    write_lines(folder / "train", sentences)
    write_lines(folder / "dev", sentences[:1])
    count = math.isqrt(size)
    bits = count.bit_length()
    write_lines(
        folder / "classes",
        (f"{place % count:0{bits}b}\t{word}\t1" for place, word in enumerate(words)),
    )
    data = TrainingData([folder / "train"], folder / "dev", folder / "classes")
    return data, len(text)


def exponent(words: Sequence[float], seconds: Sequence[float]) -> float:
    """The power of V with which time grows, by least squares over the logarithms."""
    return float(np.polyfit(np.log(words), np.log(seconds), 1)[0])


def _needs(_experiment: object, _settings: object, pair: str) -> PairFiles:
    return PairFiles(pair, {"complexity": [FILE]})


def _points(parts: Sequence[PairFiles]) -> dict[str, Any]:
    """The measurements, which do not depend on the pair."""
    return read_json(parts[0].files["complexity"][0])


def make_exponents(parts: Sequence[PairFiles]) -> pd.DataFrame:
    """The fitted exponent of each row and column, also for each repetition."""
    facts, rows = _points(parts), []
    for name in OUTPUTS:
        points = [point for point in facts["points"] if point["row"] == name]
        sizes = [point["words"] for point in points]
        for column in (TRAINING, DECODING):
            runs = [
                exponent(sizes, seconds)
                for seconds in zip(*(point[column] for point in points), strict=True)
            ]
            value = exponent(sizes, [min(point[column]) for point in points])
            measured = Measurement(value, tuple(runs), machine=machine_text(facts))
            rows.append(result_row(ALL_PAIRS, name, column, "exponent of V", "", measured))
    return result_frame(rows)


def make_times(parts: Sequence[PairFiles]) -> pd.DataFrame:
    """The shortest time of each point."""
    facts = _points(parts)
    rows = [
        result_row(
            ALL_PAIRS,
            f"{point['row']} / V = {point['words']}",
            column,
            "microseconds a token",
            "",
            Measurement(
                1e6 * min(point[column]),
                tuple(1e6 * seconds for seconds in point[column]),
                machine=machine_text(facts),
            ),
        )
        for point in facts["points"]
        for column in (TRAINING, DECODING)
    ]
    return result_frame(rows)


def draw_times(frame: pd.DataFrame, figure: "Figure") -> None:
    """Draw time against the size of the vocabulary, both logarithmic, with a panel per column.

    Points are the shortest of the repetitions, lines reach to the longest; the legend has
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
            least = [row["value"] for row in rows]
            more = [max([row["value"], *run_values(row)]) - row["value"] for row in rows]
            power = f"{exponent(words, least):.2f}"
            axes.errorbar(
                words, least, [[0.0] * len(more), more], color=COLORS[name], marker=MARKERS[name],
                ms=5, lw=1.5, capsize=3, label=f"{name}, $V^{{{power}}}$",
            )  # fmt: skip
        style_axes(axes)
        log_axis(axes.xaxis)
        log_axis(axes.yaxis)
        axes.set_title(column.lower(), fontsize=11)
        axes.set_xlabel("words of the vocabulary, V")
        axes.legend(frameon=False, fontsize=8)
    figure.axes[0].set_ylabel("microseconds a token, least to largest")


TABLE1 = PaperTable(
    title="Table 1: how time grows with the vocabulary",
    needs=_needs,
    make=make_exponents,
    note="The power of V that the time for a token grows with, fitted over synthetic vocabularies. "
    "The paper has formulas, whose exponents are beside ours: O(V D) for standard models and for "
    "exact decoding after NCE, O(sqrt(V) D) with classes, O(log(V) D) with trees, O(k D) for "
    "training with NCE. The part of the time that does not depend on V makes the powers smaller, "
    "vectors that are not in the processor's caches make them larger. Sizes, D, tokens and "
    "repetitions are those of papers.baltescu2015 in the configuration below; the seed is 1.",
    pair=ALL_PAIRS,
)
TIMES = PaperTable(
    title="Time against the size of the vocabulary",
    needs=_needs,
    make=make_times,
    note="The least of several repetitions with nothing else running, on one thread. Training is "
    "by AdaGrad on minibatches; scores are normalised exactly.",
    draw=draw_times,
    pair=ALL_PAIRS,
)
