"""Speed of training, decoding and rescoring, measured with repetitions on one thread.

The rules that call it have the machine to themselves; resumed training and translations made before
never count.
"""

import math
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
from numpy.lib.stride_tricks import sliding_window_view
from numpy.typing import NDArray

from nlmt.decoder import TranslationEngine, open_engine
from nlmt.errors import InputError
from nlmt.lm.kinds import TrainingData
from nlmt.neural import Trainer
from nlmt.neural.model import NeuralLM, make_scorer
from nlmt.neural.score.ngrams import NgramScorer, Requests
from nlmt.neural.settings.neural import NeuralSettings
from nlmt.neural.text.numbered import BEGIN_ID, END_ID
from nlmt.neural.train.epochs import open_epoch
from nlmt.neural.train.folder import read_task
from nlmt.neural.train.task import Task
from nlmt.papers.timing import (
    Timing,
    Work,
    measure,
    measure_in_turns,
    repeat_in_processes,
    timing_facts,
)
from nlmt.provenance.environment import processor
from nlmt.settings_check import read_settings

QUARTERS = 4  # parts of a repetition, of which the first warms up
_MOST_TOKENS = 1_000_000  # of a repetition, a minute of most models; of more text it tells no more


def measure_training(
    model: Mapping[str, Any], data: TrainingData, *, repetitions: int
) -> dict[str, Any]:
    """Time the training of a neural model with its first learning rate, without evaluation.

    Each repetition is in a process of its own and trains on an equal part of an epoch, at most a
    million tokens, of which the first quarter warms up. Of a search, it is the first combination.

    Returns:
        `tokens_per_second` of each repetition; `epoch_tokens`; and the facts of timing and machine.
    """
    measured = repeat_in_processes(repetitions, _time_training, model, data, repetitions)
    timings = [timing for timing, _ in measured]
    return {
        "tokens_per_second": [round(timing.value, 1) for timing in timings],
        "epoch_tokens": measured[0][1],
        **timing_facts(timings),
        **machine_facts(),
    }


def _time_training(
    model: Mapping[str, Any], data: TrainingData, repetitions: int
) -> tuple[Timing, int]:
    """Time training on one part of an epoch; also return the epoch's tokens."""
    task = timed_task(model, data)
    tokens = open_epoch(task, 0).examples
    parts = parts_of_an_epoch(tokens, repetitions)
    evaluations = QUARTERS * parts
    timed = {"evaluations": evaluations, "patience": evaluations}
    divided = replace(task, config=task.config.model_copy(update=timed))
    return measure(lambda: training_work(divided, 1 / parts)), tokens


def parts_of_an_epoch(tokens: int, repetitions: int) -> int:
    """Number of equal parts of an epoch of so many tokens, of which a repetition trains on one."""
    return max(repetitions, math.ceil(tokens / _MOST_TOKENS))


def timed_task(model: Mapping[str, Any], data: TrainingData) -> Task:
    """The task of training a neural model for one epoch, evaluated after each quarter."""
    searched = {key: values[0] for key, values in model.get("search", {}).items()}
    timed = {"search": {}, "epochs": 1, "evaluations": QUARTERS, "patience": QUARTERS}
    return read_task(read_settings(NeuralSettings, {**model, **searched, **timed}), data)


def training_work(task: Task, share: float = 1.0) -> Work:
    """Training from the beginning on a share of an epoch, on one thread, in memory.

    It returns tokens per second, without evaluation. What comes before the first of several
    evaluations is not counted.
    """
    trainer = Trainer(task)

    def train() -> float:
        first, *others = trainer.advance(share)
        if not others:
            return first.tokens_per_second
        last = others[-1]
        return (last.tokens - first.tokens) / (last.seconds - first.seconds)

    return train


def measure_decoding(
    ini: Path,
    decoder: Mapping[str, Any],
    weights: Mapping[str, Sequence[float]],
    lines: Sequence[str],
    *,
    repetitions: int,
    again: bool,
) -> dict[str, Any]:
    """Time the translation of some lines on one thread, without loading.

    Each repetition is in a process of its own, which has translated a quarter of the lines before
    with another decoder. With `again` the same decoder has translated all of them before, and thus
    caches scores of neural models and prepared phrases, rather than just started.

    Returns:
        `seconds_a_sentence` of each repetition, `sentences`; and the facts of timing and machine.
    """
    timings = repeat_in_processes(repetitions, _time_decoding, ini, decoder, weights, lines, again)
    return {
        "seconds_a_sentence": [timing.value for timing in timings],
        "sentences": len(lines),
        **timing_facts(timings),
        **machine_facts(),
    }


def _time_decoding(
    ini: Path,
    decoder: Mapping[str, Any],
    weights: Mapping[str, Sequence[float]],
    lines: Sequence[str],
    again: bool,
) -> Timing:
    """Time one translation of the lines in this process, once it has warmed up."""

    def started() -> TranslationEngine:
        engine = open_engine(ini, decoder, threads=1)
        engine.set_weights(weights)
        return engine

    def translate(engine: TranslationEngine) -> float:
        begin = time.perf_counter()
        for _ in engine.translate(lines):
            pass
        return (time.perf_counter() - begin) / len(lines)

    warm = started()
    for _ in warm.translate(lines if again else lines[: -(-len(lines) // QUARTERS)]):
        pass
    return measure(lambda: partial(translate, warm if again else started()))


def measure_rescoring(folder: Path, lines: Sequence[str], *, repetitions: int) -> dict[str, Any]:
    """Time the scoring of lines by a feed-forward model, with several groupings of requests.

    Times include grouping, but not reading (Schwenk 2010, section 2).

    Returns:
        `requests_per_second` of each repetition by way: `apart`, each request separately; `ngrams`,
        equal ones once; `contexts`, equal contexts once. `requests` and the numbers of different
        `ngrams` and `contexts` among them; the facts of the `timing` of each way, and of the
        machine.

    Raises:
        InputError: no such model, or one of another kind.
    """
    model = NeuralLM.load(folder)
    if model.order is None or model.needs_source:
        raise InputError("not a feed-forward model without a source", path=folder)
    scorer = make_scorer(model.config, model.layout, model.parameters, threads=1)
    assert isinstance(scorer, NgramScorer)
    contexts, words = _requests(model, lines)
    ways: dict[str, Callable[[], Requests]] = {
        "apart": lambda: Requests.apart(contexts, words),
        "ngrams": lambda: scorer.gather_ngrams(contexts, words).ungrouped(),
        "contexts": lambda: scorer.gather_ngrams(contexts, words),
    }

    def scoring(group: Callable[[], Requests]) -> Work:
        def score() -> float:
            begin = time.perf_counter()
            scorer.score(group())
            return len(words) / (time.perf_counter() - begin)

        return score

    works = {way: partial(scoring, group) for way, group in ways.items()}
    timings = measure_in_turns(works, repetitions)
    grouped = scorer.gather_ngrams(contexts, words)
    return {
        "requests_per_second": {
            way: [timing.value for timing in own] for way, own in timings.items()
        },
        "requests": len(words),
        "ngrams": len(grouped.words),
        "contexts": len(grouped.contexts),
        "timing": {way: timing_facts(own) for way, own in timings.items()},
        **machine_facts(),
    }


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
