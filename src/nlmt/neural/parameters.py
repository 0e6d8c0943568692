"""The parameters of a model: their names, shapes and first values. They are plain numpy arrays.

| name | shape | where |
| --- | --- | --- |
| `embeddings` | (V, dim) | always |
| `context` | (order - 1, dim), or (order - 1, dim, dim) | `diagonal`; `full` |
| `hidden.<i>.weight`, `hidden.<i>.bias` | (out, in), (out,) | each hidden layer |
| `class_weight`, `class_bias` | (K, h), (K,) | `class-factored` |
| `word_weight`, `word_bias` | (V, h), (V,) | `class-factored`: the word within its class |
| `output_weight`, `output_bias` | (V, h), (V,) | `full` |
"""

import math

import numpy as np
from numpy.typing import NDArray

from nlmt.neural.config import Architecture
from nlmt.neural.word_classes import WordClasses
from nlmt.vocabulary import Vocabulary

Parameters = dict[str, NDArray[np.float32]]

# OxLM draws everything from N(0, 0.1). Small output weights start from the unigram model, and
# context matrices near a multiple of one, not near zero, let the gradient through to the embeddings
# from the start: both reach a lower dev perplexity.
SCALE = 0.03
CONTEXT_CENTRE = 0.3
OUTPUT_SCALE = 0.01
# Logarithm of the probability that a sentence begins anew inside of a sentence.
NEVER = -100.0


def shapes(architecture: Architecture, words: int, classes: int) -> dict[str, tuple[int, ...]]:
    """The shape of every parameter, in the order of the files."""
    a = architecture
    result: dict[str, tuple[int, ...]] = {"embeddings": (words, a.dim)}
    if a.projection == "diagonal":
        result["context"] = (a.context, a.dim)
    elif a.projection == "full":
        result["context"] = (a.context, a.dim, a.dim)
    size = a.dim * (a.context if a.projection == "concatenation" else 1)
    for i, out in enumerate(a.hidden):
        result[f"hidden.{i}.weight"] = (out, size)
        result[f"hidden.{i}.bias"] = (out,)
        size = out
    layers = {"output": words} if a.output == "full" else {"class": classes, "word": words}
    for layer, rows in layers.items():
        result[f"{layer}_weight"] = (rows, size)
        result[f"{layer}_bias"] = (rows,)
    return result


def initial(
    architecture: Architecture,
    classes: WordClasses,
    counts: NDArray[np.float64],
    vocabulary: Vocabulary,
    seed: int,
) -> Parameters:
    """Random weights; output biases are the logarithms of the unigram model, as in OxLM.

    Args:
        architecture: the parts.
        classes: of the vocabulary's words.
        counts: (V,) how often each word is predicted in the training text.
        vocabulary: its `<s>` is never predicted.
        seed: of the random numbers.
    """
    random = np.random.default_rng(seed)
    result: Parameters = {}
    scale = {"embeddings": SCALE, "context": SCALE}
    for name, shape in shapes(architecture, len(vocabulary), classes.count).items():
        if name.endswith("bias"):
            result[name] = np.zeros(shape, dtype=np.float32)
            continue
        width = scale.get(name, OUTPUT_SCALE)
        if name.startswith("hidden"):
            width = 1 / math.sqrt(shape[1])
        elif len(shape) == 3:
            width /= math.sqrt(shape[2])
        values = random.normal(scale=width, size=shape)
        if name == "context":
            values += CONTEXT_CENTRE * (np.eye(shape[1]) if len(shape) == 3 else 1.0)
        result[name] = values.astype(np.float32)

    # A word that never occurs as a target counts half: its logarithm has to be finite.
    counts = np.maximum(counts, 0.5)
    counts[vocabulary.begin] = 0.0
    by_class = np.bincount(classes.of, weights=counts, minlength=classes.count)
    with np.errstate(divide="ignore"):
        if architecture.output == "full":
            biases = {"output_bias": np.log(counts / counts.sum())}
        else:
            within = np.log(counts / by_class[classes.of])
            biases = {"class_bias": np.log(by_class / by_class.sum()), "word_bias": within}
    for name, values in biases.items():
        result[name] = np.maximum(values, NEVER).astype(np.float32)
    return result


def initial_squares(parameters: Parameters, value: float) -> Parameters:
    """What AdaGrad's sums of squares start from: `value`, but zero for biases.

    A bias is one number with much evidence: it may move at once.
    """
    return {
        name: np.full_like(values, 0.0 if name.endswith("bias") else value)
        for name, values in parameters.items()
    }
