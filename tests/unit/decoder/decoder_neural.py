"""Neural models with random parameters."""

from collections.abc import Sequence
from pathlib import Path

import numpy as np

from nlmt.neural import NeuralConfig, NeuralLM
from nlmt.neural.parameters import shapes
from nlmt.neural.structure import Flat, Structure
from nlmt.neural.word_classes import WordClasses
from nlmt.neural.word_tree import WordTree
from nlmt.vocabulary import SPECIAL, Vocabulary


def make_neural(folder: Path, words: Sequence[str], **settings: object) -> NeuralLM:
    """Write a model with random parameters into a folder."""
    config = NeuralConfig.from_dict({"order": 4, "dim": 9, **settings})
    vocabulary = Vocabulary((*SPECIAL, *words))
    random = np.random.default_rng(1)
    # Every class has a word; the sizes differ.
    count = max(2, len(vocabulary) // 4)
    of = np.r_[np.arange(count), np.sort(random.integers(count, size=len(vocabulary) - count))]
    structures: dict[str, Structure] = {
        "class-factored": WordClasses(of.astype(np.int32)),
        "full": Flat(len(vocabulary)),
        "tree-factored": WordTree.huffman(random.random(len(vocabulary))),
    }
    structure = structures[config.architecture.output]
    parameters = {
        name: random.normal(scale=0.5, size=shape).astype(np.float32)
        for name, shape in shapes(config.architecture, structure).items()
    }
    model = NeuralLM(config, vocabulary, structure, parameters)
    model.save(folder)
    return model
