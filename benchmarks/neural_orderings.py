"""Perplexity and time of a model's variants, compared as in the papers.

Class-factored, full and tree-factored output, NCE and likelihood, diagonal and full context
matrices, classes by Brown, by exchange and of equal frequency (after Baltescu and Blunsom 2015,
tables 6, 7, 9, 10 and 11, and more), on the English side of the help corpus: D 200, order 5, three
epochs with the rate falling to zero, one thread. Takes some ten minutes of CPU time, more than half
of it for the full softmax with likelihood.
"""

import tempfile
import time
from collections.abc import Iterator
from pathlib import Path

from benchmarks.frames import Row
from benchmarks.neural import LIKELIHOOD, PAIR, Settings
from nlmt.classes import METHODS, cluster_words, read_bigrams, write_paths
from nlmt.lm.kinds import TrainingData
from nlmt.neural import NeuralConfig, Task, Trainer

TEXT, DEV = PAIR / "texts/default.gz", PAIR / "text/dev.en.gz"

NCE: Settings = {"objective": "nce"}
FULL: Settings = {"projection": "full"}
MODELS: list[tuple[str, Settings, str]] = [
    *((f"class-factored, {name}", {**objective}, method)
      for method, how in METHODS.items()
      if not how.word_tree
      for name, objective in (("likelihood", LIKELIHOOD), ("nce", NCE))),
    ("full matrices, likelihood", {**LIKELIHOOD, **FULL}, "brown"),
    ("full matrices, nce", {**NCE, **FULL}, "brown"),
    ("full softmax, likelihood", {**LIKELIHOOD, "output": "full"}, ""),
    ("full softmax, nce", {**NCE, "output": "full"}, ""),
    ("full softmax, nce, 100 samples", {**NCE, "output": "full", "noise": 100}, ""),
    ("Huffman tree", {**LIKELIHOOD, "output": "tree-factored", "tree": "huffman"}, ""),
    *(("Brown tree", {**LIKELIHOOD, "output": "tree-factored", "tree": "brown"}, method)
      for method in ("brown", "brown-tree")),
]  # fmt: skip


def run() -> Iterator[Row]:
    """Yield dev perplexity, mean |log Z| on dev, and CPU seconds of training of each model."""
    if missing := [str(path) for path in (TEXT, DEV) if not path.exists()]:
        yield {"step": "orderings", "figure": f"not run: needs {missing[0]}"}
        return
    bigrams = read_bigrams(TEXT)
    with tempfile.TemporaryDirectory() as folder:
        for name, settings, method in MODELS:
            classes = Path(folder) / method if method else None
            if classes is not None and not classes.exists():
                write_paths(cluster_words(method, bigrams), classes)
            for unit, figure in measure(settings, classes).items():
                yield {"step": name, "setting": method, "figure": figure, "unit": unit}


def measure(settings: Settings, classes: Path | None) -> dict[str, float]:
    """Figures of one model by their unit; seconds with the evaluation of each epoch."""
    config = NeuralConfig.from_dict({"epochs": 3, **settings})
    task = Task.read(config, TrainingData([TEXT], DEV, classes))
    begin = time.process_time()
    result = Trainer(task, None, threads=1).run()
    return {
        "perplexity": round(result.dev.perplexity, 2),
        "CPU s": round(time.process_time() - begin, 1),
        "mean abs. log Z": round(result.mean_abs_log_z, 2),
    }
