"""Word classes: Brown clustering against Liang's wcluster, and all methods on a large text."""

import math
import resource
import sys
import time
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import yaml

from benchmarks.frames import Row
from nlmt.classes import brown_cluster, class_measures, cluster_words, count_bigrams, read_bigrams

TEXT = Path("results/help/fr-en/text/train.en.gz")
CLASSES = 270  # of the reference figure

SENTENCE = 25  # words, of the synthetic text
BLOCK = 10_000  # sentences made at a time


def run() -> list[Row]:
    """Rows of the clustering; needs the English training text of the help corpus."""
    if not TEXT.exists():
        return [{"step": "Brown clustering", "figure": f"not run: needs {TEXT}"}]
    start = time.process_time()
    bigrams = read_bigrams(TEXT)
    clustering = brown_cluster(bigrams, CLASSES)
    seconds = time.process_time() - start

    start = time.process_time()
    window = brown_cluster(bigrams, CLASSES, refine=False)
    window_seconds = time.process_time() - start

    size = f"{len(clustering.words):,} words, {len(clustering.bits)} classes"
    reference: Row = {"unit": "CPU s", "reference_tool": "wcluster", "reference_figure": 60}
    return [
        reference | {"step": "Brown clustering, whole", "figure": round(seconds, 2), "note": size},
        reference
        | {
            "step": "Brown clustering, wcluster's algorithm",
            "figure": round(window_seconds, 2),
            "note": f"{size}; without counting bigrams and exchange",
        },
        {
            "step": "average mutual information",
            "figure": round((clustering.average_mutual_information or 0.0) / math.log(2), 4),
            "unit": "bits",
            "reference_tool": "wcluster's algorithm",
            "reference_figure": round((window.average_mutual_information or 0.0) / math.log(2), 4),
            "note": "on the same counts; higher is better",
        },
    ]


def zipfian_text(words: int, tokens: int) -> Iterator[str]:
    """Sentences of words whose frequencies follow Zipf's law, p(rank) ~ 1 / rank.

    Half of the words are drawn independently. The others are moved, by less than ten ranks, to the
    word whose rank has the last digit of the word before: something for a clustering to find.
    """
    # Unlike `benchmarks.scale`, the law has one exponent and the vocabulary a given size, on which
    # the time of clustering depends.
    random = np.random.Generator(np.random.PCG64(1))
    names = [str(rank) for rank in range(words)]
    for _ in range(0, tokens, SENTENCE * BLOCK):
        # By inversion of the distribution function, log(rank) / log(V).
        drawn = words ** random.random((BLOCK, SENTENCE))
        ranks = np.minimum(drawn.astype(np.int64), words) - 1
        bound = random.random(ranks.shape) < 0.5
        for place in range(1, SENTENCE):
            moved = ranks[:, place] // 10 * 10 + ranks[:, place - 1] % 10
            chosen = np.where(bound[:, place], moved, ranks[:, place])
            ranks[:, place] = np.minimum(chosen, words - 1)
        for row in ranks.tolist():
            yield " ".join([names[rank] for rank in row])


def run_large(words: int, tokens: int, classes: int, *methods: str) -> None:
    """Print time and memory of methods on a synthetic text.

    Not part of `make bench`, as 100 million words take an hour and more:

        python -m benchmarks.classes WORDS TOKENS CLASSES METHOD[:KEY=VALUE] ...

    `brown:refine=false` is wcluster's algorithm alone, without the exchange behind it.
    """
    start = time.process_time()
    bigrams = count_bigrams(zipfian_text(words, tokens))
    print(f"{tokens:,} words of text, {len(bigrams.words):,} different ones")
    print(f"{len(bigrams.number):,} different bigrams, {_spent(start)}", flush=True)
    for method in methods:
        start = time.process_time()
        name, _, option = method.partition(":")
        key, _, value = option.partition("=")
        options = {key: yaml.safe_load(value)} if key else {}
        clustering = cluster_words(name, bigrams, classes, options)
        print(f"{method}, {classes} classes: {_spent(start)}")
        print(class_measures(clustering, bigrams), flush=True)


def _spent(start: float) -> str:
    """CPU seconds since `start`, and the process's peak memory so far."""
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    return f"{time.process_time() - start:.1f} CPU s, peak memory {peak:,.0f} MB"


if __name__ == "__main__":
    words, tokens, classes = map(int, sys.argv[1:4])
    run_large(words, tokens, classes, *sys.argv[4:])
