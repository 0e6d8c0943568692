"""Measures of the quality and the cost of word classes."""

import math
from typing import Any

import numpy as np

from nlmt.classes.bigrams import BigramCounts
from nlmt.classes.clustering import Clustering


def class_measures(clustering: Clustering, bigrams: BigramCounts) -> dict[str, Any]:
    """Figures of the classes of a text, ready for JSON.

    `words`, `classes`; `average_mutual_information_bits` and the same `_before_exchange`;
    `perplexity` of the text, words and sentence ends, in the class bigram model p(class | class
    before) p(word | class) with relative frequencies; `expected_class_size`, mean size of the class
    of a word of the text; `expected_products`, rows by which a class-factored softmax multiplies
    the hidden vector for a word: all classes and the words of its class; `expected_path`, mean
    length of the bit string of a word.
    """
    found = {
        "words": len(clustering.words),
        "classes": len(clustering.bits),
        "expected_class_size": clustering.expected_class_size,
        "expected_products": len(clustering.bits) + clustering.expected_class_size,
        "expected_path": clustering.expected_path,
    }
    before, after = clustering.start_mutual_information, clustering.average_mutual_information
    if after is None or before is None:
        return found
    events = np.append(bigrams.counts, bigrams.sentences).astype(np.float64)
    shares = events / events.sum()
    entropy = -float(shares @ np.log(shares))  # of a word without its context, in nats
    return found | {
        "average_mutual_information_bits": after / math.log(2),
        "average_mutual_information_bits_before_exchange": before / math.log(2),
        "perplexity": math.exp(entropy - after),
    }
