"""Speed of training in the kernel, beside what the processor can do.

Models and words are those of `neural_gpu`, on all threads. There are three ceilings, all measured
here: the operations of a token at the speed of a large matrix product; its rows of tables, read
twice, at the speed of a copy within the caches; its share of what a minibatch touches, in all
passes, at the speed of a copy in memory. That of which most is reached is the one that binds.
"""

import os
from collections.abc import Iterator

import torch

from benchmarks.frames import Row
from benchmarks.neural_costs import minibatch_bytes, products, token_bytes
from benchmarks.neural_gpu import (
    MODELS,
    Settings,
    copy_rate,
    make_layout,
    peak_rate,
    training_pace,
    zipf_counts,
)
from nlmt.neural import NeuralConfig
from nlmt.neural.kind import OPERATIONS

NAMES = ("deep, 1 layer", "deep, 4 layers", "lstm, 1 layer of 1024")  # as they are there
BY_SIZE = ("pragmatic, nce", "pragmatic, likelihood")
DIMS = (200, 500)
# Numbers of a copy: more than any cache holds; more than one core's own caches do.
LARGE, SMALL = 1 << 26, 1 << 19


def run() -> Iterator[Row]:
    """Yield the ceilings and the rows of each model."""
    threads = len(os.sched_getaffinity(0))
    torch.set_num_threads(threads)
    ceilings = {
        "matrix product": peak_rate("float32", 2048, "cpu"),
        "copy in the caches": copy_rate(SMALL, "cpu"),
        "copy in memory": copy_rate(LARGE, "cpu"),
    }
    for name, rate in ceilings.items():
        unit = "GFLOP/s" if name == "matrix product" else "GB/s"
        yield {"step": name, "figure": float(f"{rate / 1e9:.3g}"), "unit": unit}
    for name in BY_SIZE:
        words, settings, _ = MODELS[name]
        for dim in DIMS:
            yield from measure(
                f"{name}, D {dim}", words, {**settings, "dim": dim}, ceilings, threads
            )
    for name in NAMES:
        words, settings, _ = MODELS[name]
        yield from measure(name, words, settings, ceilings, threads)


def measure(
    name: str, words: int, settings: Settings, ceilings: dict[str, float], threads: int
) -> Iterator[Row]:
    """Yield tokens a second, what a token takes of each ceiling, and how much of it is reached."""
    counts = zipf_counts(words)
    config = NeuralConfig.from_dict({**settings, "dropout": 0.0, "engine": "kernel"})
    layout, path = make_layout(config, counts)
    pace = training_pace(config, layout, counts, threads=threads)
    row: Row = {"step": name}
    yield row | {"figure": round(pace), "unit": "tokens/s"}
    costs = {
        "MFLOP a token": OPERATIONS * products(config, layout, path) / 1e6,
        "kB a token, in the caches": token_bytes(config, layout) / 1e3,
        "kB a token, of memory": minibatch_bytes(config, layout, counts) / config.minibatch / 1e3,
    }
    for unit, cost in costs.items():
        yield row | {"figure": float(f"{cost:.3g}"), "unit": unit}
    for (ceiling, rate), cost, each in zip(
        ceilings.items(), costs.values(), (1e6, 1e3, 1e3), strict=True
    ):
        yield row | {"figure": round(100 * pace * cost * each / rate, 1), "unit": f"% of {ceiling}"}
