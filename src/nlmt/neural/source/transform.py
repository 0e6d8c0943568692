"""A linear transform of the source sentence into the space of its translation's vectors.

Auli et al. 2013, section 5.4: the source is a sparse vector of its words and pairs of words,
numbered by the low bits of a hash and divided by its length; the translation is its vector by
latent semantic analysis; stochastic gradient descent lowers the squared error.

The translation's vector is divided by its length, too, of which the paper says nothing: it grows
with the sentence, so that a source vector of length 1 cannot tell it. On our text only with both
divided are the cosines in the paper's order, training text before validation text, and does
dividing the source vector help.
"""

import math
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray
from typing_extensions import override

from nlmt.errors import InputError
from nlmt.neural.settings.architecture import Architecture
from nlmt.neural.settings.neural import NeuralConfig
from nlmt.neural.source.vectors import SourceEncoder, TableEncoder
from nlmt.neural.tensors import Tensors
from nlmt.neural.text.numbered import END_ID, Ids, Texts, as_stream

BLOCK = 1 << 13  # sentences whose vectors are held at a time
ALONE = 0xFFFFFFFF  # second number of a feature that is a single word
APART = 0x80000000  # added to the first number of a pair that has a word between
# Names of arrays in a model's folder.
FEATURES, WEIGHTS = "transform_features", "transform_weights"  # (r,); (r, numbers)
TARGET_TABLE = "target_table"  # (V, numbers) of each word of the target


@dataclass(frozen=True, eq=False)
class SourceFeatures:
    """The sparse vectors of n source sentences.

    Attributes:
        begins: (n + 1,); sentence i has the entries from begins[i] to begins[i + 1].
        ids: of the features, rising within a sentence.
        values: whose squares add up to 1 in each sentence with words.
    """

    begins: NDArray[np.int64]
    ids: NDArray[np.int64]
    values: NDArray[np.float32]


@dataclass(frozen=True, eq=False)
class TransformEncoder(SourceEncoder):
    """Encodes a sentence as the linear transform of its words and pairs of words.

    Attributes:
        architecture: of the model, with the kinds of features.
        features: (r,) numbers of the features of the training text, rising; others have no weight.
        weights: (r, dim) a row for each.
        target: encoder of the translations, whose vectors the transform has learnt to predict.
    """

    architecture: Architecture
    features: NDArray[np.int32]
    weights: NDArray[np.float32]
    target: TableEncoder

    names = (FEATURES, WEIGHTS, TARGET_TABLE)

    @classmethod
    @override
    def shapes(
        cls, architecture: Architecture, words: int, source_words: int, arrays: Tensors
    ) -> dict[str, tuple[int, ...]]:
        ids, hint = arrays.get(FEATURES), "train the model again"
        if ids is None:
            raise InputError(f"no {FEATURES}", hint=hint)
        rising = ids.ndim == 1 and ids.dtype == np.int32 and ids.size and np.all(ids[1:] > ids[:-1])
        if not rising or ids[0] < 0 or ids[-1] >= 1 << architecture.source_bits:
            what = f"{FEATURES} are not rising numbers of {architecture.source_bits} bits"
            raise InputError(what, hint=hint)
        return {
            WEIGHTS: (ids.size, architecture.source_dim),
            TARGET_TABLE: (words, architecture.source_dim),
        }

    @classmethod
    @override
    def from_arrays(cls, architecture: Architecture, arrays: Tensors) -> "TransformEncoder":
        a = architecture
        target = TableEncoder("lsa", (), arrays[TARGET_TABLE], a.source_weights)
        return cls(a, arrays[FEATURES], arrays[WEIGHTS], target)

    @property
    @override
    def of_sentences(self) -> bool:
        return True

    @override
    def at(self, stream: Ids, indices: NDArray[np.int64]) -> NDArray[np.float32]:
        places, of = np.unique(indices, return_inverse=True)
        found = np.empty((len(places), self.weights.shape[1]), dtype=np.float32)
        for block in _blocks(np.arange(len(places))):
            found[block] = self.vectors(source_features(stream, places[block], self.architecture))
        vectors: NDArray[np.float32] = found[of]
        return vectors

    def vectors(self, source: SourceFeatures) -> NDArray[np.float32]:
        """The vectors (n, dim) of sentences, zeros where no feature has a weight."""
        row = np.searchsorted(self.features, source.ids)
        row = np.minimum(row, len(self.features) - 1)
        known = self.features[row] == source.ids
        sentence = np.repeat(np.arange(len(source.begins) - 1), np.diff(source.begins))[known]
        terms = self.weights[row[known]] * source.values[known, None]
        result = np.zeros((len(source.begins) - 1, self.weights.shape[1]), dtype=np.float32)
        first = np.flatnonzero(np.diff(sentence, prepend=-1))
        if len(first):
            result[sentence[first]] = np.add.reduceat(terms, first)
        return result

    def cosines(self, texts: Texts) -> NDArray[np.float64]:
        """Cosine (sentences,) of each sentence's vector and its translation's.

        NaN where the analysis knows no word of the translation; 0 for a vector of zeros.
        """
        cosines = np.zeros(texts.sentences)
        for block in _blocks(np.arange(texts.sentences)):
            source, wanted = self.examples(texts, block)
            found = self.vectors(source).astype(np.float64)
            sizes = np.linalg.norm(found, axis=1) * np.linalg.norm(wanted, axis=1)
            products = (found * wanted).sum(axis=1)
            cosines[block] = np.divide(products, sizes, out=cosines[block], where=sizes > 0)
            cosines[block[~wanted.any(axis=1)]] = np.nan
        return cosines

    def squared_error(self, texts: Texts) -> float:
        """Mean squared distance of the sentences' vectors from their translations' of length 1."""
        total = 0.0
        for block in _blocks(np.arange(texts.sentences)):
            source, wanted = self.examples(texts, block)
            total += float(np.square(self.vectors(source) - wanted, dtype=np.float64).sum())
        return total / texts.sentences

    def examples(
        self, texts: Texts, sentences: NDArray[np.int64]
    ) -> tuple[SourceFeatures, NDArray[np.float32]]:
        """The features of some source sentences, and the vectors (n, dim) of their translations.

        A vector has length 1, or 0 if the analysis knows no word of the translation.
        """
        events, sizes = texts.sentence_events(sentences)
        wanted = self.target.at(events, np.cumsum(sizes) - sizes)
        lengths = np.linalg.norm(wanted, axis=1, keepdims=True)
        wanted /= np.where(lengths > 0, lengths, 1)
        return source_features(*_sources(texts, sentences), self.architecture), wanted


def cosine_facts(cosines: NDArray[np.float64]) -> dict[str, float]:
    """The mean of cosines of sentences and its standard error; those that are NaN do not count."""
    known = cosines[~np.isnan(cosines)]
    error = float(known.std(ddof=1)) / math.sqrt(len(known)) if len(known) > 1 else 0.0
    return {
        "source_cosine": float(known.mean()) if len(known) else 0.0,
        "source_cosine_error": error,
    }


def source_features(
    stream: Ids, begins: NDArray[np.int64], architecture: Architecture
) -> SourceFeatures:
    """The features of the sentences that begin at some places of a stream.

    A word counts as often as it occurs; a pair of neighbours, or with a word between (`skips`),
    `source_pair_weight` times as often; three neighbours (`triples`) two thirds of that.
    """
    bits, weight = architecture.source_bits, architecture.source_pair_weight
    size = 1 << bits
    sentences, at = np.arange(len(begins)), begins
    before = earlier = np.full(len(begins), -1, dtype=np.int64)
    keys, weights = [np.zeros(0, np.int64)], [np.zeros(0)]

    def add(
        known: NDArray[np.bool_],
        first: NDArray[np.int64],
        second: NDArray[np.int64],
        value: float,
    ) -> None:
        ids = feature_ids(first[known], second[known], bits)
        keys.append(sentences[known] * size + ids)
        weights.append(np.full(len(ids), value))

    while len(sentences):
        words = stream[at].astype(np.int64)
        going = words != END_ID
        sentences, at, words = sentences[going], at[going] + 1, words[going]
        before, earlier = before[going], earlier[going]
        add(words >= 0, words, np.full_like(words, ALONE), 1.0)
        add(before >= 0, before, words, weight)
        if "skips" in architecture.source_further:
            add(earlier >= 0, earlier + APART, words, weight)
        if "triples" in architecture.source_further:
            add(earlier >= 0, feature_ids(earlier, before, 32), words, 2 * weight / 3)
        before, earlier = words, before
    found, of = np.unique(np.concatenate(keys), return_inverse=True)
    sentence, ids = np.divmod(found, size)
    sums = np.bincount(of, np.concatenate(weights), len(found))
    lengths = np.ones(len(begins))
    if architecture.source_normalised:
        lengths = np.sqrt(np.bincount(sentence, np.square(sums), len(begins)))
    values = (sums / lengths[sentence]).astype(np.float32)
    counts = np.bincount(sentence, minlength=len(begins))
    return SourceFeatures(np.concatenate([[0], np.cumsum(counts)]), ids, values)


def feature_ids(
    first: NDArray[np.int64], second: NDArray[np.int64], bits: int
) -> NDArray[np.int64]:
    """The low bits of a hash of two numbers below 2^32 (the finaliser of SplitMix64)."""
    z = first.astype(np.uint64) << np.uint64(32) | second.astype(np.uint64)
    z += np.uint64(0x9E3779B97F4A7C15)
    z = (z ^ (z >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
    z = (z ^ (z >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
    z ^= z >> np.uint64(31)
    return (z & np.uint64((1 << bits) - 1)).astype(np.int64)


def learn_transform(
    config: NeuralConfig, texts: Texts, dev: Texts, target: TableEncoder
) -> tuple[TransformEncoder, dict[float, float]]:
    """Train the transform, one sentence a step; the dev text chooses rate and epoch.

    A step adds the rate times the error times the sparse vector, whose length is 1: at a rate of 1
    the sentence then has no error left. A sentence of unseen words makes no step.

    Args:
        config: `source_bits` and other keys of features, `transform_rates` and other keys of
            training, and the seed of the order of sentences.
        texts: bitexts, with their source sides.
        dev: another one.
        target: the vectors of translations, of any length.

    Returns:
        The transform, and the least squared error on dev of each rate.
    """
    features = _features_of(texts, config)
    shape = (len(features), target.table.shape[1])
    best = TransformEncoder(config, features, np.zeros(shape, np.float32), target)
    lowest = best.squared_error(dev)
    errors: dict[float, float] = {}
    for rate in config.transform_rates:
        present = TransformEncoder(config, features, np.zeros(shape, np.float32), target)
        error, step = np.inf, rate
        for epoch in range(config.transform_epochs):
            order = np.random.default_rng([config.seed, epoch]).permutation(texts.sentences)
            for block in _blocks(order):
                _descend(present, *present.examples(texts, block), step)
            former, error = error, present.squared_error(dev)
            errors[rate] = min(error, errors.get(rate, np.inf))
            if error < lowest:
                lowest = error
                best = TransformEncoder(config, features, present.weights.copy(), target)
            if config.transform_schedule == "decay":
                step *= 0.9
            if not error < former:
                if config.transform_schedule != "reduce":
                    break
                step /= 2
    return best, errors


def _descend(
    transform: TransformEncoder, source: SourceFeatures, wanted: NDArray[np.float32], rate: float
) -> None:
    """Take one step for each sentence, in order."""
    weights = transform.weights
    rows = np.searchsorted(transform.features, source.ids)
    for i, (begin, end) in enumerate(pairwise(source.begins.tolist())):
        own, values = rows[begin:end], source.values[begin:end]
        moved = weights[own]
        moved += (rate * values)[:, None] * (wanted[i] - values @ moved)
        weights[own] = moved


def _features_of(texts: Texts, architecture: Architecture) -> NDArray[np.int32]:
    """The numbers of the features that occur, rising."""
    seen = np.zeros(1 << architecture.source_bits, dtype=bool)
    for block in _blocks(np.arange(texts.sentences)):
        seen[source_features(*_sources(texts, block), architecture).ids] = True
    return np.flatnonzero(seen).astype(np.int32)


def _sources(texts: Texts, sentences: NDArray[np.int64]) -> tuple[Ids, NDArray[np.int64]]:
    """Some source sentences, concatenated, and where each of them begins."""
    positions = texts.source_positions(sentences)
    stream, _ = as_stream(positions)
    return stream, positions.offsets[:-1] + np.arange(len(sentences))


def _blocks(sentences: NDArray[np.int64]) -> Iterator[NDArray[np.int64]]:
    """Numbers of sentences in blocks of `BLOCK`."""
    for begin in range(0, len(sentences), BLOCK):
        yield sentences[begin : begin + BLOCK]
