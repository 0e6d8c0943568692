"""The parameters of a model: their names, shapes and first values. They are plain numpy arrays.

| name | shape | where |
| --- | --- | --- |
| `embeddings` | (V + S, dim) | always; the S words of the source, if any, below the V others |
| `context` | (positions, dim), or (positions, dim, dim) | `diagonal`; `full` |
| `layers.<i>.<part>` | see `layer_shapes` | unless feed-forward, each layer |
| `source_weight` | (first layer, n) | with vectors of n numbers of the source |
| `direct` | (table + rows of the output layer,) | with `direct_features` |
| `hidden.<i>.weight`, `hidden.<i>.bias` | (out, in), (out,) | each hidden layer |
| `class_weight`, `class_bias` | (K, h), (K,) | `class-factored` |
| `word_weight`, `word_bias` | (V, h), (V,) | `class-factored`: the word within its class |
| `node_weight`, `node_bias` | (V - 1, h), (V - 1,) | `tree-factored` |
| `output_weight`, `output_bias` | (V, h), (V,) | `full` |
"""

import math
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from nlmt.errors import InputError
from nlmt.neural.data.tensors import Parameters
from nlmt.neural.keys.architecture import Architecture
from nlmt.neural.keys.training import Training
from nlmt.neural.outputs.registry import OutputLayout
from nlmt.vocabulary import Vocabulary

# The memories of each optimiser.
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
# Width of the embeddings of networks over sentences, as in Mikolov's toolkit.
SENTENCE_SCALE = 0.1
OUTPUT_SCALE = 0.01
# Logarithm of the probability of `<s>`, which is never predicted.
NEVER = -100.0


def shapes(
    architecture: Architecture, layout: OutputLayout, source_words: int = 0
) -> dict[str, tuple[int, ...]]:
    """The shape of every parameter, in the order of the files.

    `source_words` is S, the number of source words with embeddings, as a window needs them.
    """
    a = architecture
    embedded = layout.words + (source_words if a.source == "window" else 0)
    result: dict[str, tuple[int, ...]] = {"embeddings": (embedded, a.dim)}
    if a.reads_sentences:
        result |= layer_shapes(a)
        if a.source_vector_dim:
            result["source_weight"] = (a.dim, a.source_vector_dim)
        output = layout.shapes(a.hidden_dim)
        if a.direct_features:
            rows = sum(shape[0] for shape in output.values() if len(shape) == 1)
            result["direct"] = (a.direct_features + rows,)
        return result | output
    if a.projection == "diagonal":
        result["context"] = (a.positions, a.dim)
    elif a.projection == "full":
        result["context"] = (a.positions, a.dim, a.dim)
    if a.source_vector_dim:
        result["source_weight"] = (a.projected, a.source_vector_dim)
    size = a.projected
    for i, out in enumerate(a.hidden):
        result[f"hidden.{i}.weight"] = (out, size)
        result[f"hidden.{i}.bias"] = (out,)
        size = out
    return result | layout.shapes(a.hidden_dim)


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


def layer_shapes(architecture: Architecture) -> dict[str, tuple[int, ...]]:
    """The shapes of the layers of a network over sentences.

    The gates of an LSTM or GRU are stacked in torch's order; a GRU has a bias for each product. A
    transformer's attention has no biases.
    """
    dim = architecture.dim
    parts: dict[str, tuple[int, ...]]
    if architecture.network == "elman":
        return {"layers.0.hidden_weight": (dim, dim), "layers.0.bias": (dim,)}
    if architecture.network == "transformer":
        parts = {
            "attention_weight": (3 * dim, dim),
            "attention_output_weight": (dim, dim),
            "wide_weight": (4 * dim, dim),
            "wide_bias": (4 * dim,),
            "narrow_weight": (dim, 4 * dim),
            "narrow_bias": (dim,),
        }
    else:
        gates = {"gru": 3, "lstm": 4}[architecture.network] * dim
        parts = {
            "input_weight": (gates, dim),
            "hidden_weight": (gates, dim),
            "input_bias": (gates,),
            "hidden_bias": (gates,),
        }
    return {
        f"layers.{i}.{name}": shape
        for i in range(architecture.layers)
        for name, shape in parts.items()
    }


def initial(
    architecture: Architecture,
    layout: OutputLayout,
    counts: NDArray[np.float64],
    vocabulary: Vocabulary,
    seed: int,
    source_words: int = 0,
    uniform: float | None = None,
) -> Parameters:
    """Random weights; output biases are the logarithms of the unigram model, as in OxLM.

    Args:
        architecture: the parts.
        layout: of the output layer.
        counts: (V,) how often each word is predicted in the training text.
        vocabulary: its `<s>` is never predicted.
        seed: of the random numbers.
        source_words: S, of the words of the source that have embeddings.
        uniform: all weights and biases are drawn evenly up to this size instead.
    """
    random = np.random.default_rng(seed)
    result: Parameters = {}
    if uniform is not None:
        for name, shape in shapes(architecture, layout, source_words).items():
            result[name] = random.uniform(-uniform, uniform, shape).astype(np.float32)
        return result
    scale = {"embeddings": SCALE, "context": SCALE}
    for name, shape in shapes(architecture, layout, source_words).items():
        if name.endswith("bias") or name == "direct":
            result[name] = np.zeros(shape, dtype=np.float32)
            continue
        width = scale.get(name, OUTPUT_SCALE)
        if name == "embeddings" and architecture.reads_sentences:
            width = SENTENCE_SCALE
        if name.startswith(("hidden", "layers")):
            width = 1 / math.sqrt(shape[1])
            if name.startswith("hidden") and architecture.activation == "relu":
                width *= math.sqrt(2)  # half of the units are off (He et al. 2015)
        elif len(shape) == 3:
            width /= math.sqrt(shape[2])
        values = random.normal(scale=width, size=shape)
        if name == "context":
            values += CONTEXT_CENTRE * (np.eye(shape[1]) if len(shape) == 3 else 1.0)
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
