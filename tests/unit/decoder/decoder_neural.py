"""Neural models with random parameters."""

from collections.abc import Callable, Sequence
from pathlib import Path

import numpy as np

from nlmt.neural import NeuralConfig, NeuralLM
from nlmt.neural.outputs.classes import WordClasses
from nlmt.neural.outputs.full import Flat
from nlmt.neural.outputs.layout import OutputLayout
from nlmt.neural.outputs.short_list import ShortList
from nlmt.neural.outputs.tree import WordTree
from nlmt.neural.parameters import shapes
from nlmt.ngram.backoff import BackoffModel, Ngrams
from nlmt.vocabulary import SPECIAL, Vocabulary


def random_backoff(vocabulary: Vocabulary, order: int) -> BackoffModel:
    """A back-off model with some of the n-grams of each order."""
    random = np.random.default_rng(order)
    ngrams = [[word] for word in vocabulary.words]
    levels: list[Ngrams] = []
    for length in range(1, order + 1):
        if length > 1:
            longer = [[*ngram, word] for ngram in ngrams for word in vocabulary.words]
            ngrams = [longer[i] for i in random.choice(len(longer), 3 * len(vocabulary), False)]
        levels.append(
            (
                ngrams,
                random.uniform(-9, -5, len(ngrams)).tolist(),
                random.uniform(-2, 0, len(ngrams)).tolist(),
            )
        )
    number = {word: i for i, word in enumerate(vocabulary.words)}
    return BackoffModel.build(levels, number, "")


def make_neural(
    folder: Path,
    words: Sequence[str],
    *,
    more_words: int = 0,
    backoff_order: int = 3,
    **settings: object,
) -> NeuralLM:
    """Write a model with random parameters into a folder.

    Args:
        folder: of the model.
        words: its vocabulary, beside the marks.
        more_words: number of further words, w0, w1, ...
        backoff_order: of the back-off model of a short-list.
        settings: of the model.
    """
    config = NeuralConfig.from_dict({"order": 4, "dim": 9, **settings})
    vocabulary = Vocabulary((*SPECIAL, *words, *(f"w{i}" for i in range(more_words))))
    random = np.random.default_rng(1)
    # Every class has a word; the sizes differ.
    count = max(2, len(vocabulary) // 4)
    of = np.r_[np.arange(count), np.sort(random.integers(count, size=len(vocabulary) - count))]
    counts, leaves = random.random((2, len(vocabulary)))
    layouts: dict[str, Callable[[], OutputLayout]] = {
        "class-factored": lambda: WordClasses(of.astype(np.int32)),
        "full": lambda: Flat(len(vocabulary)),
        "short-list": lambda: ShortList.most_frequent(
            config.short_list, counts, random_backoff(vocabulary, backoff_order), vocabulary
        ),
        "tree-factored": lambda: WordTree.huffman(leaves),
    }
    layout = layouts[config.output]()
    parameters = {
        name: random.normal(scale=0.5, size=shape).astype(np.float32)
        for name, shape in shapes(config, layout).items()
    }
    model = NeuralLM(config, vocabulary, layout, parameters)
    model.save(folder)
    return model
