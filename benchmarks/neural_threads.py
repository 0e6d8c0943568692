"""Training in the kernel on growing numbers of threads, of models that `neural_gpu` measures."""

import os
from collections.abc import Iterator

from benchmarks.frames import Row
from benchmarks.neural_gpu import MODELS, first_parameters, make_layout, training_pace, zipf_counts
from nlmt.neural import NeuralConfig

NAMES = ("pragmatic, nce", "pragmatic, likelihood", "deep, 1 layer", "lstm, 1 layer of 1024")


def run() -> Iterator[Row]:
    """Yield tokens a second of each model on 1, 2, 4, ... threads, up to the processors."""
    threads = [1 << i for i in range(len(os.sched_getaffinity(0)).bit_length())]
    for name in NAMES:
        words, settings, _ = MODELS[name]
        counts = zipf_counts(words)
        config = NeuralConfig.from_dict({**settings, "dropout": 0.0, "engine": "kernel"})
        layout, _ = make_layout(config, counts)
        start = first_parameters(config, layout, counts)
        for count in threads:
            pace = round(training_pace(config, layout, counts, start, count))
            yield {"step": name, "setting": f"{count}", "figure": pace, "unit": "tokens/s"}
