"""A trained feed-forward model as arrays, with which the decoder scores without Python objects."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from nlmt.errors import InputError
from nlmt.neural.model import NeuralLM
from nlmt.neural.outputs.layout import OutputArrays
from nlmt.neural.parts import OUTPUTS
from nlmt.neural.settings.architecture import Architecture

Floats = NDArray[np.float32]


@dataclass(frozen=True, eq=False, kw_only=True)
class NetworkArrays(OutputArrays):
    """The parts of a model with V words, except those of its output layer.

    Attributes:
        words: the vocabulary, `<unk>`, `<s>`, `</s>` first.
        projection: `diagonal`, `full` or `concatenation`.
        activation: `relu`, `tanh` or `sigmoid` of all layers.
        context: number of words before the one that is predicted.
        embeddings: (V, dim).
        context_weight: (context, dim), diagonal matrices; (context, dim, dim), full ones; empty
            for a concatenation. The oldest word first.
        hidden: weight (out, in) and bias (out,) of each hidden layer.
    """

    words: tuple[str, ...]
    projection: str
    activation: str
    context: int
    embeddings: Floats
    context_weight: Floats
    hidden: tuple[tuple[Floats, Floats], ...]


def unfit_for_decoder(architecture: Architecture) -> str:
    """The key and value for which the decoder does not take a model; empty if it does."""
    a = architecture
    if a.source != "none":
        return f"source: {a.source}"
    if a.reads_sentences:
        return f"network: {a.network}"
    return "" if OUTPUTS.get(a.output).decodes else f"output: {a.output}"


def network_arrays(model: NeuralLM) -> NetworkArrays:
    """The arrays of a model.

    Raises:
        InputError: the decoder does not take it.
    """
    config, parameters = model.config, model.parameters
    unfit = unfit_for_decoder(config)
    if unfit:
        what = f"the decoder does not take a model of {unfit}"
        raise InputError(what, hint="rescore n-best lists with it")
    return NetworkArrays(
        **vars(model.layout.decoder_arrays(parameters)),
        words=model.vocabulary.words,
        projection=config.projection,
        activation=config.activation,
        context=config.context,
        embeddings=parameters["embeddings"],
        context_weight=parameters.get("context", np.zeros((0, config.dim), np.float32)),
        hidden=tuple(
            (parameters[f"hidden.{i}.weight"], parameters[f"hidden.{i}.bias"])
            for i in range(len(config.hidden))
        ),
    )
