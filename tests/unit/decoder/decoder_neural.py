"""Neural models with random parameters."""

from collections.abc import Sequence
from pathlib import Path

import numpy as np

from nlmt.neural import NeuralConfig, NeuralLM
from nlmt.neural.outputs.classes import WordClasses
from nlmt.neural.outputs.full import Flat
from nlmt.neural.outputs.registry import OutputLayout
from nlmt.neural.outputs.tree import WordTree
from nlmt.neural.parameters import shapes
from nlmt.vocabulary import SPECIAL, Vocabulary


def make_neural(folder: Path, words: Sequence[str], **settings: object) -> NeuralLM:
    """Write a model with random parameters into a folder."""
    config = NeuralConfig.from_dict({"order": 4, "dim": 9, **settings})
    vocabulary = Vocabulary((*SPECIAL, *words))
    random = np.random.default_rng(1)
    # Every class has a word; the sizes differ.
    count = max(2, len(vocabulary) // 4)
    of = np.r_[np.arange(count), np.sort(random.integers(count, size=len(vocabulary) - count))]
    layouts: dict[str, OutputLayout] = {
        "class-factored": WordClasses(of.astype(np.int32)),
        "full": Flat(len(vocabulary)),
        "tree-factored": WordTree.huffman(random.random(len(vocabulary))),
    }
    layout = layouts[config.architecture.output]
    parameters = {
        name: random.normal(scale=0.5, size=shape).astype(np.float32)
        for name, shape in shapes(config.architecture, layout).items()
    }
    model = NeuralLM(config, vocabulary, layout, parameters)
    model.save(folder)
    return model
