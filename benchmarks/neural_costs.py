"""Costs of a neural model, by arithmetic: operations and bytes per token, memory."""

import math

import numpy as np

from nlmt.neural import NeuralConfig
from nlmt.neural.kind import BYTES
from nlmt.neural.outputs.classes import WordClasses
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


def step_passes(config: NeuralConfig) -> int:
    """How often a step of training reads or writes a weight or one of the optimiser's memories.

    A weight is read twice, once for the activations and once for the gradient of what gave them;
    the step reads and writes it and the memories.
    """
    return 2 + 2 * (1 + len(MEMORIES[config.optimiser]))


def embedded_words(config: NeuralConfig) -> int:
    """Embeddings that predict a token; sentences read one for each."""
    return 1 if config.reads_sentences else config.positions


def token_bytes(config: NeuralConfig, layout: OutputLayout) -> float:
    """Bytes of a token's own rows of tables, read twice."""
    numbers = config.dim * embedded_words(config)
    if OBJECTIVES.get(config.objective).contrasts:
        numbers += config.hidden_dim * int(output_rows(config, layout, 0.0))
    return 2 * BYTES * numbers


def minibatch_bytes(config: NeuralConfig, layout: OutputLayout, counts: np.ndarray) -> float:
    """Expected bytes of the parameters and memories that a minibatch touches, in all passes.

    `counts` are those of each word; of the output's words only the sampled ones are touched, or
    those of the targets' classes.
    """
    n = config.minibatch
    sizes: dict[str, float] = {name: math.prod(one) for name, one in shapes(config, layout).items()}
    sizes["embeddings"] = config.dim * float(drawn(counts, n * embedded_words(config)).sum())
    if isinstance(layout, WordClasses):
        if OBJECTIVES.get(config.objective).contrasts:
            words = drawn(counts, n * (1 + config.noise)).sum()
        else:
            words = np.bincount(layout.of) @ drawn(np.bincount(layout.of, counts), n)
        sizes["word_weight"] = config.hidden_dim * float(words)
    return BYTES * step_passes(config) * sum(sizes.values())


def drawn(counts: np.ndarray, draws: int) -> np.ndarray:
    """Probability of each to be among so many draws by counts."""
    chances: np.ndarray = 1 - (1 - counts / counts.sum()) ** draws
    return chances


def parameter_count(config: NeuralConfig, layout: OutputLayout) -> int:
    """Number of parameters of a model."""
    return sum(math.prod(shape) for shape in shapes(config, layout).values())


def training_bytes(config: NeuralConfig, layout: OutputLayout) -> int:
    """Memory of training: parameters, the optimiser's memories, the best parameters so far.

    A checkpoint has the same size, and is one more copy while it is written.
    """
    copies = 2 + len(MEMORIES[config.optimiser])
    return copies * BYTES * parameter_count(config, layout)
