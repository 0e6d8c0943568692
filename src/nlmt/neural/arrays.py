"""A trained feed-forward model as arrays: what the decoder scores with, without Python objects.

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
from nlmt.neural.short_list import ShortList
from nlmt.neural.word_classes import WordClasses
from nlmt.neural.word_tree import WordTree

Floats = NDArray[np.float32]


@dataclass(frozen=True, eq=False)
class NetworkArrays:
    """The parts of a model with V words; h is the size of the last hidden layer.

    Attributes:
        words: the vocabulary, `<unk>`, `<s>`, `</s>` first.
        activation: `relu`, `tanh` or `sigmoid` of all layers; `none`.
        context: number of words before the one that is predicted.
        embeddings: (V, dim).
        products: (context, dim), diagonal matrices; or (context, out, dim). The oldest word first.
        bias: (out,) of the first layer.
        hidden: weight (out, in) and bias (out,) of the layers behind the first.
        unit_weight: (V, h) what a word is read off: its row, under the class-factored output its
            row within the class; under a tree (nodes, h).
        unit_bias: (V,) or (nodes,).
        class_of: (V,) class of each word; empty unless class-factored.
        class_weight: (classes, h); empty unless class-factored.
        class_bias: (classes,).
        path_starts: (V + 1,) under a tree the path of word w is the nodes
            path_nodes[path_starts[w]:path_starts[w + 1]] from the root; empty otherwise.
        path_nodes: (steps,).
        path_signs: (steps,) 1 where sigmoid(node) is the probability of the step, -1 where it is
            that of the other one.
    """

    words: tuple[str, ...]
    activation: str
    context: int
    embeddings: Floats
    products: Floats
    bias: Floats
    hidden: tuple[tuple[Floats, Floats], ...]
    unit_weight: Floats
    unit_bias: Floats
    class_of: NDArray[np.int32]
    class_weight: Floats
    class_bias: Floats
    path_starts: NDArray[np.int64]
    path_nodes: NDArray[np.int32]
    path_signs: Floats


def load_arrays(folder: Path | str) -> NetworkArrays:
    """Read the arrays of a model's folder.

    Raises:
        InputError: a file is missing or damaged, or the model is of no kind that can be brought
            into this form.
    """
    return network_arrays(NeuralLM.load(folder))


def network_arrays(model: NeuralLM) -> NetworkArrays:
    """The arrays of a model.

    Raises:
        InputError: it has a short-list or a source, or is no feed-forward model.
    """
    architecture, parameters = model.config.architecture, model.parameters
    if architecture.network != "feed-forward":
        what = f"the decoder does not take a model of network: {architecture.network}"
        raise InputError(what, hint="rescore n-best lists with it")
    if architecture.source != "none":
        what = f"the decoder does not take a model of source: {architecture.source}"
        raise InputError(what, hint="rescore n-best lists with it")
    context, dim = architecture.context, architecture.dim
    hidden = [
        (parameters[f"hidden.{i}.weight"], parameters[f"hidden.{i}.bias"])
        for i in range(len(architecture.hidden))
    ]
    activation: str = architecture.activation
    if architecture.projection != "concatenation":
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
    structure = model.structure
    if isinstance(structure, ShortList):
        what = "the decoder does not take a model with a short-list"
        raise InputError(what, hint="rescore n-best lists with it")
    units = {"class-factored": "word", "tree-factored": "node", "full": "output"}
    unit = units[architecture.output]
    nothing = np.zeros((0, 1), dtype=np.float32)
    tree = structure if isinstance(structure, WordTree) else None
    classes = structure if isinstance(structure, WordClasses) else None
    unit_weight, unit_bias = parameters[f"{unit}_weight"], parameters[f"{unit}_bias"]
    if classes is not None:
        # A word that is alone in its class has no second layer: its row was never trained.
        several = np.bincount(classes.of)[classes.of] > 1
        unit_weight, unit_bias = unit_weight * several[:, None], unit_bias * several
    return NetworkArrays(
        words=model.vocabulary.words,
        activation=activation,
        context=context,
        embeddings=parameters["embeddings"],
        products=np.ascontiguousarray(products),
        bias=bias,
        hidden=tuple(hidden),
        unit_weight=unit_weight,
        unit_bias=unit_bias,
        class_of=np.zeros(0, dtype=np.int32) if classes is None else classes.of,
        class_weight=nothing if classes is None else parameters["class_weight"],
        class_bias=nothing[:, 0] if classes is None else parameters["class_bias"],
        path_starts=np.zeros(0, dtype=np.int64) if tree is None else tree.starts,
        path_nodes=np.zeros(0, dtype=np.int32) if tree is None else tree.nodes,
        path_signs=nothing[:, 0] if tree is None else tree.signs.astype(np.float32),
    )
