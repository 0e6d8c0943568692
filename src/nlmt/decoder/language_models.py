"""Class n-gram and neural models, prepared for the search."""

from dataclasses import replace
from pathlib import Path

import numpy as np

from nlmt.decoder._decoder import ClassTable, NeuralModel, ShortList
from nlmt.neural.arrays import NetworkArrays, network_arrays
from nlmt.neural.model import NeuralLM
from nlmt.neural.outputs.layout import ListArrays
from nlmt.ngram.class_model import load_table


def load_class_table(folder: Path) -> ClassTable:
    """Read the words and classes of a class n-gram model in a folder."""
    members = load_table(folder).members
    return ClassTable(
        words=list(members),
        classes=[member.name for member in members.values()],
        log_p=np.array([member.log_p for member in members.values()], np.float32),
    )


def load_neural_model(
    folder: Path, *, normalised: bool, eight_bits: bool, keep_products: bool
) -> NeuralModel:
    """Read a feed-forward model's folder.

    Args:
        folder: of a model, as `nlmt lm train` writes it.
        normalised: score by log-probabilities, else by activations of output units.
        eight_bits: keep embeddings and output vectors of words in 8 bits, with a scale per vector,
            in a quarter of the memory.
        keep_products: keep the products of words with context matrices, as Devlin et al. (2014).

    Raises:
        InputError: a file is missing or damaged, or the search does not support the kind of model.
    """
    arrays = network_arrays(NeuralLM.load(folder))
    if not normalised and arrays.class_of.size:
        arrays = _add_classes(arrays)
    short_list = None if arrays.short_list is None else _short_list(arrays.short_list)
    return NeuralModel(
        arrays,
        normalised=normalised,
        eight_bits=eight_bits,
        keep_products=keep_products,
        short_list=short_list,
    )


def _add_classes(arrays: NetworkArrays) -> NetworkArrays:
    """The arrays with the units of classes added to their words', whose logits are then scores."""
    of = arrays.class_of
    return replace(
        arrays,
        unit_weight=arrays.unit_weight + arrays.class_weight[of],
        unit_bias=arrays.unit_bias + arrays.class_bias[of],
        class_of=of[:0],
    )


def _short_list(arrays: ListArrays) -> ShortList:
    """The short-list with the logarithms of its mass, of which the longest n-grams have none."""
    masses = [np.log(mass).astype(np.float32) for mass in arrays.mass]
    after = [*masses[1:], np.zeros(0, dtype=np.float32)]
    return ShortList(
        units=arrays.units,
        log_mass=float(masses[0][0]),
        levels=[
            (level.keys, level.log_p, level.log_backoff, mass)
            for level, mass in zip(arrays.backoff.levels, after, strict=True)
        ],
    )
