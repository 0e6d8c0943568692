"""Speed of training, decoding and rescoring, measured with repetitions on one thread.

The rules that call it have the machine to themselves; resumed training and translations made before
never count.
"""

import time
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np
from numpy.lib.stride_tricks import sliding_window_view
from numpy.typing import NDArray

from nlmt.decoder import TranslationEngine, open_engine
from nlmt.errors import InputError
from nlmt.lm.kinds import TrainingData
from nlmt.neural import Result, Trainer
from nlmt.neural.model import NeuralLM, make_ngram_scorer
from nlmt.neural.score.ngrams import Requests
from nlmt.neural.settings.neural import NeuralSettings
from nlmt.neural.text.numbered import BEGIN_ID, END_ID
from nlmt.neural.train.folder import read_task
from nlmt.provenance.environment import processor
from nlmt.settings_check import read_settings


def training_speed(
    model: Mapping[str, Any], data: TrainingData, *, repetitions: int
) -> dict[str, Any]:
    """Train a neural model for one epoch, with its first learning rate, and time equal parts of it.

    Returns:
        `tokens_per_second` of each part, without evaluation; and `machine_facts`.
    """
    trained = train_in_parts(model, data, repetitions)
    speeds = [round(row.tokens_per_second, 1) for row in trained.progress.log]
    return {"tokens_per_second": speeds, **machine_facts()}


def train_in_parts(model: Mapping[str, Any], data: TrainingData, parts: int) -> Result:
    """Train for one epoch on one thread, in memory; the log has a row for each part.

    Of a search, it is the first combination.
    """
    searched = {key: values[0] for key, values in model.get("search", {}).items()}
    timed = {"search": {}, "epochs": 1, "evaluations": parts, "patience": parts}
    settings = read_settings(NeuralSettings, {**model, **searched, **timed})
    return Trainer(read_task(settings, data)).run()


def decoding_speed(
    ini: Path,
    decoder: Mapping[str, Any],
    weights: Mapping[str, Sequence[float]],
    lines: Sequence[str],
    *,
    repetitions: int,
    again: bool = False,
) -> dict[str, Any]:
    """Time the translation of some lines on one thread, without loading.

    With `again` the decoder has translated them before, and thus caches scores of neural models and
    prepared phrases, rather than just started.

    Returns:
        `seconds_a_sentence` of each repetition, `sentences`; and `machine_facts`.
    """

    def started() -> TranslationEngine:
        engine = open_engine(ini, decoder, threads=1)
        engine.set_weights(weights)
        return engine

    def translate(engine: TranslationEngine) -> float:
        begin = time.perf_counter()
        for _ in engine.translate(lines):
            pass
        return (time.perf_counter() - begin) / len(lines)

    engine = started()  # files are in the system's cache from now on
    if again:
        translate(engine)
    times = []
    for _ in range(repetitions):
        engine = engine if again else started()
        times.append(translate(engine))
    return {"seconds_a_sentence": times, "sentences": len(lines), **machine_facts()}


def rescoring_speed(folder: Path, lines: Sequence[str], *, repetitions: int) -> dict[str, Any]:
    """Time the scoring of lines by a feed-forward model, with several groupings of requests.

    Times include grouping, but not reading (Schwenk 2010, section 2).

    Returns:
        `requests_per_second` of each repetition by way: `apart`, each request separately; `ngrams`,
        equal ones once; `contexts`, equal contexts once. `requests` and the numbers of different
        `ngrams` and `contexts` among them; and `machine_facts`.

    Raises:
        InputError: no such model, or one of another kind.
    """
    model = NeuralLM.load(folder)
    if model.order is None or model.needs_source:
        raise InputError("not a feed-forward model without a source", path=folder)
    scorer = make_ngram_scorer(model.config, model.layout, model.parameters, threads=1)
    contexts, words = _requests(model, lines)
    ways: dict[str, Callable[[], Requests]] = {
        "apart": lambda: Requests.apart(contexts, words),
        "ngrams": lambda: scorer.gather_ngrams(contexts, words).ungrouped(),
        "contexts": lambda: scorer.gather_ngrams(contexts, words),
    }
    speeds: dict[str, list[float]] = {way: [] for way in ways}
    for _ in range(repetitions):
        for way, group in ways.items():
            begin = time.perf_counter()
            scorer.score(group())
            speeds[way].append(len(words) / (time.perf_counter() - begin))
    grouped = scorer.gather_ngrams(contexts, words)
    counts = {"ngrams": len(grouped.words), "contexts": len(grouped.contexts)}
    return {"requests_per_second": speeds, "requests": len(words), **counts, **machine_facts()}


def _requests(model: NeuralLM, lines: Sequence[str]) -> tuple[NDArray[np.int32], NDArray[np.int32]]:
    """The contexts (n, order - 1) and words (n,) of lines, with sentence ends as words."""
    order = model.config.order
    before, end = [BEGIN_ID] * (order - 1), [END_ID]
    rows = [
        sliding_window_view(np.array([*before, *model.lookup(line.split()), *end]), order)
        for line in lines
    ]
    ngrams = np.concatenate(rows).astype(np.int32)  # (n, order)
    return np.ascontiguousarray(ngrams[:, :-1]), np.ascontiguousarray(ngrams[:, -1])


def machine_facts() -> dict[str, Any]:
    """The machine: `threads` and `processor`."""
    model = processor().partition(" (")[0]  # without its vector instructions
    return {"threads": 1, "processor": model}
