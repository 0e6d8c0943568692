"""BLEU of a sentence as minimum Bayes risk has it, in plain Python."""

import math
from collections import Counter


def sentence_bleu(words: list[str], reference: list[str]) -> float:
    """BLEU of a sentence, one added to matches and counts from bigrams on."""
    if not words or not reference:
        return float(words == reference)
    logs = 0.0
    for n in range(1, 5):
        mine, theirs = (
            Counter(tuple(line[i : i + n]) for i in range(len(line) - n + 1))
            for line in (words, reference)
        )
        matches, count = (mine & theirs).total() + (n > 1), mine.total() + (n > 1)
        if matches == 0:
            return 0.0
        logs += math.log(matches / count) / 4
    return math.exp(logs + min(0.0, 1 - len(reference) / len(words)))
