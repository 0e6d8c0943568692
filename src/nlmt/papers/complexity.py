"""Measurements of table 1 of Baltescu and Blunsom (2015): time against the size of the vocabulary.

Models are trained and queried with synthetic texts that follow Zipf's law with exponent 1, as texts
do about. The operations of an output layer depend only on the number of words, but for the depth of
a tree; how much of its vectors the processor's caches hold depends on how often each word occurs.
"""

import math
import time
from collections.abc import Sequence
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np

from nlmt.io.files import scratch_folder, write_lines
from nlmt.lm.kinds import TrainingData
from nlmt.neural.parameters import initial
from nlmt.neural.train.task import Task
from nlmt.papers.complexity_tables import DECODING, ROWS, TRAINING
from nlmt.papers.speed import machine_facts, timed_task, training_work
from nlmt.papers.timing import Prepared, Work, measure_in_turns, timing_facts

ORDER = 5
SENTENCE = 20  # words
BATCH = 1000  # n-grams of a minibatch of training, or of a call for scores
CHEAP = 20  # factor on the number of tokens where the cost of a token is sublinear in V
OUTPUTS: tuple[dict[str, Any], ...] = (  # settings of the model of each row
    {"output": "full", "objective": "likelihood"},
    {"output": "class-factored", "objective": "likelihood"},
    {"output": "tree-factored", "objective": "likelihood"},
    {"output": "full", "objective": "nce", "noise": 10},
)


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
            for row, parts in zip(ROWS, OUTPUTS, strict=True):
                full = parts["output"] == "full"
                trained = tokens if full and parts["objective"] == "likelihood" else CHEAP * tokens
                settings = {
                    **{"kind": "neural", "order": ORDER, "dim": dim, "min_count": 1, "dropout": 0},
                    **{"minibatch": BATCH, "resampling": [trained / length], **parts},
                }
                task = timed_task(settings, data)
                works[size, row, TRAINING] = partial(_training, task)
                scored = tokens if full else CHEAP * tokens
                works[size, row, DECODING] = partial(_decoding, task, scored)
    timings = measure_in_turns(works, repetitions)
    points = []
    for size in sizes:
        for row in ROWS:
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
