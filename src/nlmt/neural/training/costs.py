"""Costs of a model, by arithmetic: operations per token, memory."""

from nlmt.neural.config import NeuralConfig
from nlmt.neural.outputs.registry import OutputLayout
from nlmt.neural.parameters import MEMORIES, shapes

BYTES = 4  # of a number in single precision
# A product of a matrix and a vector multiplies and adds; a step has three: the forward
# epoch, the gradient of what goes in and the gradient of the matrix.
OPERATIONS = 2 * 3


def products(config: NeuralConfig, layout: OutputLayout, path: float) -> float:
    """Multiplications in the forward pass of a token, elementwise ones left out.

    Args:
        config: parts and training.
        layout: of the output layer.
        path: nodes of a word's path under a tree; words of a word's class under classes; the mean
            over the training text.
    """
    a = config.architecture
    if not a.reads_sentences:
        size = a.projected
        total = a.positions * a.dim**2 if a.projection == "full" else 0
        total += size * a.source_vector_dim
        for out in a.hidden:
            total += size * out
            size = out
    else:
        matrices = {"elman": 1, "gru": 6, "lstm": 8, "transformer": 12}[a.network]
        total = matrices * a.dim**2 * (1 if a.network == "elman" else a.layers)
        total += a.dim * a.source_vector_dim
    choices = 1 + config.training.noise if config.training.noise_contrastive else None
    return total + a.hidden_dim * layout.products(path, choices)


def parameter_count(config: NeuralConfig, layout: OutputLayout) -> int:
    """Number of parameters of a model."""
    total = 0
    for shape in shapes(config.architecture, layout).values():
        count = 1
        for size in shape:
            count *= size
        total += count
    return total


def training_bytes(config: NeuralConfig, layout: OutputLayout) -> int:
    """Memory of training: parameters, the optimiser's memories, the best parameters so far.

    A checkpoint has the same size, and is one more copy while it is written.
    """
    copies = 2 + len(MEMORIES[config.training.optimiser])
    return copies * BYTES * parameter_count(config, layout)
