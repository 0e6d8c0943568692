"""Training in the kernel on more threads than there are processors, rehearsed on one.

One thread runs the tasks that a minibatch is cut into for so many threads, and deals them as these
would take them: a round ends with its busiest thread. That threads share caches and memory, and
wait for each other's signals at the end of each round, is not counted.
"""

import time
from collections.abc import Iterator

from benchmarks.frames import Row
from benchmarks.neural_gpu import (
    MODELS,
    SECONDS,
    Words,
    first_parameters,
    make_layout,
    make_minibatches,
    take,
    zipf_counts,
)
from benchmarks.neural_threads import NAMES
from nlmt.neural import NeuralConfig
from nlmt.neural.parameters import TrainingState
from nlmt.neural.train.engine import KernelEngine

THREADS = (1, 2, 8, 32)


def run() -> Iterator[Row]:
    """Yield the rows of each model."""
    for name in NAMES:
        words, settings, _ = MODELS[name]
        yield from measure(name, words, settings)


def measure(name: str, words: int, settings: dict[str, object]) -> Iterator[Row]:
    """Yield speed on each number of threads over that on one, what is serial, and rounds."""
    counts = zipf_counts(words)
    config = NeuralConfig.from_dict({**settings, "dropout": 0.0, "engine": "kernel"})
    layout, _ = make_layout(config, counts)
    start = first_parameters(config, layout, counts)
    alone = 0.0
    for threads in THREADS:
        state = TrainingState.first(start, config)
        engine = KernelEngine(config, layout, counts, state, threads)
        serial, dealt, rounds = rehearse(engine, config, Words(counts))
        seconds = serial + dealt
        alone = alone or seconds
        row: Row = {"step": name, "setting": f"on {threads}"}
        if threads > 1:
            yield row | {"figure": round(alone / seconds, 2), "unit": "times as fast"}
        yield row | {"figure": round(100 * serial / seconds, 1), "unit": "% serial"}
    yield {"step": name, "figure": round(rounds), "unit": "rounds a minibatch"}


def rehearse(
    engine: KernelEngine, config: NeuralConfig, words: Words
) -> tuple[float, float, float]:
    """Seconds of a minibatch between rounds and in rounds, and the number of rounds."""
    trainer = engine._trainer
    batches = make_minibatches(config, words, config.minibatch)
    trainer.rehearse()
    take(engine, batches, 0)  # not counted: its memory is new
    trainer.rehearse()
    steps, wall = 0, 0.0
    while wall < SECONDS:
        begin = time.perf_counter()
        take(engine, batches, 0)
        wall += time.perf_counter() - begin
        steps += 1
    rounds, tasks, dealt = trainer.rehearse()
    return (wall - tasks) / steps, dealt / steps, rounds / steps
