"""A trained feed-forward model as arrays, with which the decoder scores without Python objects.

Every kind of model is brought into one form. The first layer is

    f(bias + sum_j products[j] q(w_j))

over the positions of the context, with a diagonal or a full matrix for each; a concatenation is the
case in which each position has rows of its own, or the rows of the first hidden layer.
"""

from dataclasses import dataclass
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from nlmt.errors import InputError
from nlmt.neural.model import NeuralLM
from nlmt.neural.outputs.layout import OutputArrays
from nlmt.neural.parts import OUTPUTS

Floats = NDArray[np.float32]


@dataclass(frozen=True, eq=False, kw_only=True)
class NetworkArrays(OutputArrays):
    """The parts of a model with V words, except those of its output layer.

    Attributes:
        words: the vocabulary, `<unk>`, `<s>`, `</s>` first.
        activation: `relu`, `tanh` or `sigmoid` of all layers; `none`.
        context: number of words before the one that is predicted.
        embeddings: (V, dim).
        products: (context, dim), diagonal matrices; or (context, out, dim). The oldest word first.
        bias: (out,) of the first layer.
        hidden: weight (out, in) and bias (out,) of the layers behind the first.
    """

    words: tuple[str, ...]
    activation: str
    context: int
    embeddings: Floats
    products: Floats
    bias: Floats
    hidden: tuple[tuple[Floats, Floats], ...]


def load_arrays(folder: Path | str) -> NetworkArrays:
    """Read the arrays of a model's folder.

    Raises:
        InputError: a file is missing or damaged, or the model cannot be brought into this form.
    """
    return network_arrays(NeuralLM.load(folder))


def network_arrays(model: NeuralLM) -> NetworkArrays:
    """The arrays of a model.

    Raises:
        InputError: it has a source, is not feed-forward, or its output layer does not decode.
    """
    config, parameters = model.config, model.parameters
    unfit: dict[str, str] = {}
    if config.reads_sentences:
        unfit["network"] = config.network
    if config.source != "none":
        unfit["source"] = config.source
    if not OUTPUTS.get(config.output).decodes:
        unfit["output"] = config.output
    for key, value in unfit.items():
        what = f"the decoder does not take a model of {key}: {value}"
        raise InputError(what, hint="rescore n-best lists with it")
    context, dim = config.context, config.dim
    hidden = [
        (parameters[f"hidden.{i}.weight"], parameters[f"hidden.{i}.bias"])
        for i in range(len(config.hidden))
    ]
    activation: str = config.activation
    if config.projection != "concatenation":
        products = parameters["context"]
        bias = np.zeros(dim, dtype=np.float32)
    elif hidden:
        weight, bias = hidden.pop(0)  # (out, context * dim)
        products = weight.reshape(len(weight), context, dim).swapaxes(0, 1)
    else:
        activation = "none"
        products = np.eye(context * dim, dtype=np.float32)
        products = products.reshape(context, dim, context * dim).swapaxes(1, 2)
        bias = np.zeros(context * dim, dtype=np.float32)
    return NetworkArrays(
        **vars(model.layout.decoder_arrays(parameters)),
        words=model.vocabulary.words,
        activation=activation,
        context=context,
        embeddings=parameters["embeddings"],
        products=np.ascontiguousarray(products),
        bias=bias,
        hidden=tuple(hidden),
    )
