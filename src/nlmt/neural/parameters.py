"""The parameters of a model: their names, shapes and first values. They are plain numpy arrays.

| name | shape | where |
| --- | --- | --- |
| `embeddings` | (V + S, dim) | always; the S words of the source, if any, below the V others |
| `context` | (positions, dim), or (positions, dim, dim) | `diagonal`; `full` |
| `layers.<i>.<part>` | see `nlmt.neural.networks` | unless feed-forward, each layer |
| `source_weight` | (first layer, n) | with vectors of n numbers of the source |
| `direct` | (table + rows of the output layer,) | with `direct_features` |
| `hidden.<i>.weight`, `hidden.<i>.bias` | (out, in), (out,) | each hidden layer |
| `class_weight`, `class_bias` | (K, h), (K,) | `class-factored` |
| `word_weight`, `word_bias` | (V, h), (V,) | `class-factored`: the word within its class |
| `node_weight`, `node_bias` | (V - 1, h), (V - 1,) | `tree-factored` |
| `output_weight`, `output_bias` | (V, h), (V,) | `full`; of s words, (s, h), (s,), `short-list` |
"""

from dataclasses import dataclass, field
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from nlmt.errors import InputError
from nlmt.neural.outputs.layout import OutputLayout
from nlmt.neural.parts import NETWORKS
from nlmt.neural.settings.architecture import Architecture
from nlmt.neural.settings.neural import NeuralConfig
from nlmt.neural.settings.training import Training
from nlmt.neural.tensors import Parameters
from nlmt.vocabulary import Vocabulary

# The memories of each optimiser.
MEMORIES: dict[str, tuple[str, ...]] = {
    "sgd": (),
    "adagrad": ("squares",),
    "adam": ("squares", "moments"),
}

# Small output weights start from the unigram model.
OUTPUT_SCALE = 0.01
# Logarithm of the probability of `<s>`, which is never predicted.
NEVER = -100.0


def shapes(
    architecture: Architecture, layout: OutputLayout, source_words: int = 0
) -> dict[str, tuple[int, ...]]:
    """The shape of every parameter, in the order in which `initial` draws their first values.

    `source_words` is S, the number of source words with embeddings, as a window needs them.
    """
    a = architecture
    embedded = layout.words + (source_words if a.source == "window" else 0)
    output = layout.shapes(a.hidden_dim)
    direct = {}
    if a.direct_features:
        rows = sum(shape[0] for shape in output.values() if len(shape) == 1)
        direct["direct"] = (a.direct_features + rows,)
    return {"embeddings": (embedded, a.dim)} | NETWORKS.get(a.network).shapes(a) | direct | output


def check(
    parameters: Parameters, expected: dict[str, tuple[int, ...]], path: Path, hint: str
) -> None:
    """Refuse arrays of a file that do not fit the model.

    Raises:
        InputError: one is missing, has another shape or type, or numbers that are not finite.
    """
    for name, shape in expected.items():
        if name not in parameters:
            raise InputError(f"no {name} {shape}", path=path, hint=hint)
        values = parameters[name]
        if values.shape != shape:
            raise InputError(f"{values.shape} instead of {name} {shape}", path=path, hint=hint)
        if values.dtype != np.float32:
            raise InputError(f"{name} is {values.dtype}, not float32", path=path, hint=hint)
        if not np.isfinite(values).all():
            what = f"{name} holds numbers that are not finite"
            raise InputError(what, path=path, hint="train again, with a lower learning_rate")


def initial(
    config: NeuralConfig,
    layout: OutputLayout,
    counts: NDArray[np.float64],
    vocabulary: Vocabulary,
    source_words: int = 0,
) -> Parameters:
    """Random weights; output biases are the logarithms of the unigram model, as in OxLM.

    Args:
        config: parts and training; with `initial_range` all weights and biases are drawn evenly.
        layout: of the output layer.
        counts: (V,) how often each word is predicted in the training text.
        vocabulary: its `<s>` is never predicted.
        source_words: S, of the words of the source that have embeddings.
    """
    random, width = np.random.default_rng(config.seed), config.initial_range
    needed = shapes(config, layout, source_words)
    if width is not None:
        return {
            name: random.uniform(-width, width, shape).astype(np.float32)
            for name, shape in needed.items()
        }
    result: Parameters = {}
    network = NETWORKS.get(config.network)
    layers = network.shapes(config)
    for name, shape in needed.items():
        if name.endswith("bias") or name == "direct":
            result[name] = np.zeros(shape, dtype=np.float32)
            continue
        if name in layers:
            values = network.first_weight(config, name, shape, random)
        else:
            width = network.embedding_scale if name == "embeddings" else OUTPUT_SCALE
            values = random.normal(scale=width, size=shape)
        result[name] = values.astype(np.float32)

    # A word that never occurs as a target counts as half: its logarithm has to be finite.
    counts = np.maximum(counts, 0.5)
    counts[vocabulary.begin] = 0.0
    for name, values in layout.unigram_biases(counts).items():
        result[name] = np.clip(values, NEVER, -NEVER).astype(np.float32)
    return result


@dataclass(frozen=True, eq=False)
class TrainingState:
    """Parameters, and the optimiser's memories of each, under the same names.

    Attributes:
        parameters: the present ones.
        squares: sums (AdaGrad) or means (Adam) of squared gradients; empty under plain descent.
        moments: means of gradients (Adam); empty under the others.
    """

    parameters: Parameters
    squares: Parameters = field(default_factory=dict)
    moments: Parameters = field(default_factory=dict)

    @classmethod
    def first(cls, parameters: Parameters, training: Training) -> "TrainingState":
        """The state before the first step.

        AdaGrad's sums start from `initial_square`, but those of biases from zero: a bias is one
        number with much evidence and may move at once. Every example of a minibatch adds to the
        gradients of hidden layers and full context matrices: their sums start from `initial_square`
        times the minibatch size, or their first steps would be much longer than the weights.
        """
        start = training.initial_square if training.optimiser == "adagrad" else 0.0

        def begin(name: str, values: NDArray[np.float32]) -> float:
            if name.endswith("bias"):
                return 0.0
            shared = name.startswith("hidden.") or values.ndim == 3
            return start * (training.minibatch if shared else 1)

        memories: dict[str, Parameters] = {
            memory: {
                name: np.full_like(values, begin(name, values))
                for name, values in parameters.items()
            }
            for memory in MEMORIES[training.optimiser]
        }
        return cls(parameters, **memories)
