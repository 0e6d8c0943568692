"""Costs of a neural model, by arithmetic: operations per token, memory."""

import math

from nlmt.neural import NeuralConfig
from nlmt.neural.kind import BYTES
from nlmt.neural.outputs.layout import OutputLayout
from nlmt.neural.parameters import MEMORIES, shapes
from nlmt.neural.parts import NETWORKS, OBJECTIVES


def products(config: NeuralConfig, layout: OutputLayout, path: float) -> float:
    """Multiplications in the forward pass of a token, elementwise ones left out.

    Args:
        config: parts and training.
        layout: of the output layer.
        path: nodes of a word's path under a tree; words of a word's class under classes; the mean
            over the training text.
    """
    below = NETWORKS.get(config.network).products(config)
    return below + config.hidden_dim * output_rows(config, layout, path)


def output_rows(config: NeuralConfig, layout: OutputLayout, path: float) -> float:
    """Rows by which the hidden vector is multiplied to predict a word; `path` as in `products`."""
    if config.output == "tree-factored":
        return path
    contrasts, classes = OBJECTIVES.get(config.objective).contrasts, config.needs_classes
    if contrasts:
        return (2 if classes else 1) * (1 + config.noise)
    return layout.count + (path if classes else 0)


def parameter_count(config: NeuralConfig, layout: OutputLayout) -> int:
    """Number of parameters of a model."""
    return sum(math.prod(shape) for shape in shapes(config, layout).values())


def training_bytes(config: NeuralConfig, layout: OutputLayout) -> int:
    """Memory of training: parameters, the optimiser's memories, the best parameters so far.

    A checkpoint has the same size, and is one more copy while it is written.
    """
    copies = 2 + len(MEMORIES[config.optimiser])
    return copies * BYTES * parameter_count(config, layout)
