"""Random systems, and statistics of given edits."""

import numpy as np


def corpus(seed, sentences, quality):
    """Lines of a random system that gets each word right with `quality`, and references."""
    rng = np.random.default_rng(0)
    references = [[f"w{i}" for i in rng.integers(50, size=12)] for _ in range(sentences)]
    rng = np.random.default_rng(seed)
    lines = [
        " ".join(word if rng.random() < quality else "x" for word in words) for words in references
    ]
    return lines, [" ".join(words) for words in references]


def ter_rows(edits, length=10):
    """TER statistics: the edits of each sentence, all references equally long."""
    edits = np.asarray(edits)
    return np.stack([edits, np.full_like(edits, length)], axis=1)
