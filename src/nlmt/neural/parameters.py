"""The parameters of a model: their names, shapes and first values. They are plain numpy arrays.

| name | shape | where |
| --- | --- | --- |
| `embeddings` | (V, dim) | always |
| `context` | (order - 1, dim), or (order - 1, dim, dim) | `diagonal`; `full` |
| `hidden.<i>.weight`, `hidden.<i>.bias` | (out, in), (out,) | each hidden layer |
| `class_weight`, `class_bias` | (K, h), (K,) | `class-factored` |
| `word_weight`, `word_bias` | (V, h), (V,) | `class-factored`: the word within its class |
| `node_weight`, `node_bias` | (V - 1, h), (V - 1,) | `tree-factored` |
| `output_weight`, `output_bias` | (V, h), (V,) | `full` |
"""

import math
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from nlmt.neural.config import Architecture, Training
from nlmt.neural.structure import Structure
from nlmt.vocabulary import Vocabulary

Parameters = dict[str, NDArray[np.float32]]

# What each optimiser remembers.
MEMORIES: dict[str, tuple[str, ...]] = {
    "sgd": (),
    "adagrad": ("squares",),
    "adam": ("squares", "moments"),
}

# OxLM draws everything from N(0, 0.1). Small output weights start from the unigram model, and
# context matrices near a multiple of one, not near zero, let the gradient through to the embeddings
# from the start: both reach a lower dev perplexity.
SCALE = 0.03
CONTEXT_CENTRE = 0.3
OUTPUT_SCALE = 0.01
# Logarithm of the probability that a sentence begins anew inside of a sentence.
NEVER = -100.0


def shapes(architecture: Architecture, structure: Structure) -> dict[str, tuple[int, ...]]:
    """The shape of every parameter, in the order of the files."""
    a = architecture
    result: dict[str, tuple[int, ...]] = {"embeddings": (structure.words, a.dim)}
    if a.projection == "diagonal":
        result["context"] = (a.context, a.dim)
    elif a.projection == "full":
        result["context"] = (a.context, a.dim, a.dim)
    size = a.dim * (a.context if a.projection == "concatenation" else 1)
    for i, out in enumerate(a.hidden):
        result[f"hidden.{i}.weight"] = (out, size)
        result[f"hidden.{i}.bias"] = (out,)
        size = out
    return result | structure.shapes(size)


def initial(
    architecture: Architecture,
    structure: Structure,
    counts: NDArray[np.float64],
    vocabulary: Vocabulary,
    seed: int,
) -> Parameters:
    """Random weights; output biases are the logarithms of the unigram model, as in OxLM.

    Args:
        architecture: the parts.
        structure: what the output layer stands on.
        counts: (V,) how often each word is predicted in the training text.
        vocabulary: its `<s>` is never predicted.
        seed: of the random numbers.
    """
    random = np.random.default_rng(seed)
    result: Parameters = {}
    scale = {"embeddings": SCALE, "context": SCALE}
    for name, shape in shapes(architecture, structure).items():
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
    for name, values in structure.unigram_biases(counts).items():
        result[name] = np.clip(values, NEVER, -NEVER).astype(np.float32)
    return result


@dataclass(frozen=True, eq=False)
class State:
    """Parameters, and what the optimiser remembers of each, under the same names.

    Attributes:
        parameters: the present ones.
        squares: sums (AdaGrad) or means (Adam) of squared gradients; empty under plain descent.
        moments: means of gradients (Adam); empty under the others.
    """

    parameters: Parameters
    squares: Parameters = field(default_factory=dict)
    moments: Parameters = field(default_factory=dict)

    @classmethod
    def first(cls, parameters: Parameters, training: Training) -> "State":
        """The state before the first step.

        AdaGrad's sums start from `initial_square`, but those of biases from zero: a bias is one
        number with much evidence, it may move at once.
        """
        start = training.initial_square if training.optimiser == "adagrad" else 0.0
        memories: dict[str, Parameters] = {
            memory: {
                name: np.full_like(values, 0.0 if name.endswith("bias") else start)
                for name, values in parameters.items()
            }
            for memory in MEMORIES[training.optimiser]
        }
        return cls(parameters, **memories)
