"""Costs of a model, by arithmetic: operations per token, memory."""

import math

from nlmt.neural.outputs.layout import OutputLayout
from nlmt.neural.parameters import MEMORIES, shapes
from nlmt.neural.parts import NETWORKS, OBJECTIVES
from nlmt.neural.settings.neural import NeuralConfig

BYTES = 4  # of a number in single precision
# A product of a matrix and a vector multiplies and adds; a step has three: the forward
# pass, the gradient of what goes in and the gradient of the matrix.
OPERATIONS = 2 * 3


def products(config: NeuralConfig, layout: OutputLayout, path: float) -> float:
    """Multiplications in the forward pass of a token, elementwise ones left out.

    Args:
        config: parts and training.
        layout: of the output layer.
        path: nodes of a word's path under a tree; words of a word's class under classes; the mean
            over the training text.
    """
    contrasts = OBJECTIVES.get(config.objective).contrasts
    choices = 1 + config.noise if contrasts else None
    below = NETWORKS.get(config.network).products(config)
    return below + config.hidden_dim * layout.products(path, choices)


def parameter_count(config: NeuralConfig, layout: OutputLayout) -> int:
    """Number of parameters of a model."""
    return sum(math.prod(shape) for shape in shapes(config, layout).values())


def training_bytes(config: NeuralConfig, layout: OutputLayout) -> int:
    """Memory of training: parameters, the optimiser's memories, the best parameters so far.

    A checkpoint has the same size, and is one more copy while it is written.
    """
    copies = 2 + len(MEMORIES[config.optimiser])
    return copies * BYTES * parameter_count(config, layout)
