"""Neural models with random parameters, and what their output units say."""

from collections.abc import Sequence
from pathlib import Path

import numpy as np

from nlmt.neural import NeuralConfig, NeuralLM
from nlmt.neural.network import Network
from nlmt.neural.parameters import shapes
from nlmt.neural.word_classes import WordClasses
from nlmt.vocabulary import SPECIAL, Vocabulary


def make_neural(folder: Path, words: Sequence[str], **settings: object) -> NeuralLM:
    """Write a model with random parameters into a folder."""
    config = NeuralConfig.from_dict({"order": 4, "dim": 9, **settings})
    vocabulary = Vocabulary((*SPECIAL, *words))
    random = np.random.default_rng(1)
    # Every class has a word; the sizes differ.
    count = max(2, len(vocabulary) // 4)
    of = np.r_[np.arange(count), np.sort(random.integers(count, size=len(vocabulary) - count))]
    classes = WordClasses(of.astype(np.int32))
    parameters = {
        name: random.normal(scale=0.5, size=shape).astype(np.float32)
        for name, shape in shapes(config.architecture, len(vocabulary), classes.count).items()
    }
    model = NeuralLM(config, vocabulary, classes, parameters)
    model.save(folder)
    return model


def activations(model: NeuralLM, sentence: Sequence[str]) -> float:
    """Sum over a sentence and `</s>` of the activations of the words' units."""
    network = Network(model.config.architecture, model.classes)
    network.load_parameters(model.parameters)
    n, p = model.config.architecture.context, model.parameters
    words = [1] * n + model.lookup(sentence).tolist() + [2]
    contexts = np.array([words[i - n : i] for i in range(n, len(words))], dtype=np.int32)
    total = 0.0
    for h, word in zip(network.hidden_arrays(contexts), words[n:], strict=True):
        if "output_weight" in p:
            total += h @ p["output_weight"][word] + p["output_bias"][word]
        else:
            c = model.classes.of[word]
            total += h @ (p["class_weight"][c] + p["word_weight"][word])
            total += p["class_bias"][c] + p["word_bias"][word]
    return total
