"""The task of training: a configuration and its texts as numbers."""

import hashlib
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from nlmt.errors import InputError
from nlmt.lm.kinds import TrainingData
from nlmt.neural.model import NeuralLM
from nlmt.neural.model_files import ModelParts, StoredModel
from nlmt.neural.outputs.layout import OutputLayout
from nlmt.neural.parts import OUTPUTS
from nlmt.neural.settings.architecture import Architecture
from nlmt.neural.settings.neural import NeuralConfig
from nlmt.neural.tensors import Parameters, Tensors
from nlmt.neural.text.files import TextFiles, with_source, with_sources
from nlmt.neural.text.numbered import NumberedText, Texts, runs
from nlmt.neural.train.sampling import Sampling
from nlmt.neural.train.source_side import check_sources, learn_arrays, source_of_models
from nlmt.vocabulary import SPECIAL, Vocabulary

# Words that are contiguous in the text, and words that are shuffled; likewise sentences, of some 25
# words.
CHUNK, BUFFER = 1 << 14, 1 << 22
SENTENCE_CHUNK, SENTENCE_BUFFER = 1 << 9, 1 << 17


@dataclass(eq=False, kw_only=True)
class Task(ModelParts):
    """A model to be trained.

    Attributes:
        texts: all training texts, one after the other.
        sampling: of the examples of an epoch: words and sentence ends that the output layer
            predicts; or sentences, where the network reads them from their beginning.
        counts: (V,) how often each word is predicted in an epoch, on average.
        dev: for early stopping.
        test: another text, whose perplexity the learning curve has; it influences nothing.
        start: parameters to start from; None for random ones.
        transform_errors: of a transform of the source that was learnt: the least squared error on
            dev of each rate, of which the one with the lowest was taken.
    """

    texts: Texts
    sampling: Sampling
    counts: NDArray[np.float64]
    dev: NumberedText
    test: NumberedText | None = None
    start: Parameters | None = None
    transform_errors: Mapping[float, float] = field(default_factory=dict)

    def unigram_perplexity(self) -> float:
        """The perplexity of the dev text by relative frequencies, below which a model has learnt.

        A word that no example predicts counts as seen once.
        """
        seen = np.maximum(self.counts, 1.0)
        dev = self.dev.target_counts(self.vocabulary)
        return float(np.exp(-(dev @ np.log(seen / seen.sum())) / dev.sum()))

    @classmethod
    def read(
        cls,
        config: NeuralConfig,
        data: TrainingData,
        *,
        start: StoredModel | None = None,
        source_embeddings: StoredModel | None = None,
    ) -> "Task":
        """Read the texts and the classes.

        Args:
            config: parts and training.
            data: texts and the files that belong to them.
            start: the loaded model to start from, which determines vocabularies and classes.
            source_embeddings: the loaded model of the source language, for vectors that are
                `averaged` or `concatenated`; it determines the source vocabulary.

        Raises:
            InputError: a text that is too short or unreadable, encoded texts or classes that do not
                fit, no classes, another number of shares than texts, a model of other parts, source
                sides that are missing, unused or do not fit.
        """
        shares = config.shares(len(data.texts))
        check_sources(config, data)
        texts = TextFiles(data.texts)
        vocabulary, make_layout = _output(config, texts, data, start)
        corpora = texts.read(vocabulary, at_least=2)
        (dev,) = TextFiles([data.dev]).read(vocabulary, at_least=1)
        _known(dev, vocabulary, data.dev)
        test = None
        if data.test is not None:
            (test,) = TextFiles([data.test]).read(vocabulary, at_least=1)
        counts, shortest = np.zeros(len(vocabulary)), config.shortest
        for path, share, text in zip(data.texts, shares, corpora, strict=True):
            own = _known(text, vocabulary, path) - _left_out(text, shortest, len(vocabulary))
            if not own.any():
                raise InputError(
                    f"no sentence of at least {shortest} words", path=path, hint="lower shortest"
                )
            counts += share * own
        layout = make_layout(counts)
        # Last, as the analysis of the source may take minutes: other faults are found before.
        source_vocabulary, arrays = source_of_models(config, start, source_embeddings)
        errors: Mapping[float, float] = {}
        if data.dev_source is not None:
            linked = config.linked_words
            sources = TextFiles([source.text for source in data.sources])
            if source_vocabulary is None:
                source_vocabulary = sources.vocabulary(config.min_count, config.max_words)
            corpora = with_sources(corpora, sources, data.sources, source_vocabulary, linked)
            dev = with_source(dev, data.dev_source, source_vocabulary, linked)
            if test is not None and data.test_source is not None:
                test = with_source(test, data.test_source, source_vocabulary, linked)
            sizes = len(vocabulary), len(source_vocabulary)
            if not arrays:
                arrays, errors = learn_arrays(config, Texts(corpora), Texts([dev]), *sizes)
        joined = Texts(corpora)
        return cls(
            config,
            vocabulary,
            layout,
            source_vocabulary=source_vocabulary,
            source_arrays=arrays,
            texts=joined,
            sampling=_sampling(config, joined, shares, layout),
            counts=counts,
            dev=dev,
            test=test,
            start=None if start is None else start.parameters,
            transform_errors=errors,
        )

    @property
    def learns_source(self) -> bool:
        """Whether the source arrays are learnt from the texts, rather than those of a model."""
        given = self.start is not None or self.config.takes_embeddings
        return bool(self.source_arrays) and not given

    def model(self, parameters: Parameters, threads: int) -> NeuralLM:
        """The model with these parameters."""
        return NeuralLM(
            self.config,
            self.vocabulary,
            self.layout,
            parameters,
            source_vocabulary=self.source_vocabulary,
            source_arrays=self.source_arrays,
            threads=threads,
        )

    @cached_property
    def fingerprint(self) -> dict[str, str]:
        """Fingerprints of all that must not change on resuming."""
        settings = {key: repr(value) for key, value in self.config.to_dict().items()}
        return settings | {
            "training text": self.texts.fingerprint(),
            "dev text": Texts([self.dev]).fingerprint(),
            "test text": "" if self.test is None else Texts([self.test]).fingerprint(),
            "classes": self.layout.fingerprint(self.vocabulary),
            "model to start from": _digest(self.start or {}),
            "source vectors": _digest(self.source_arrays),
        }


def _digest(arrays: Tensors) -> str:
    """SHA-256 of arrays and their names."""
    digest = hashlib.sha256()
    for name, values in arrays.items():
        digest.update(name.encode())
        digest.update(np.ascontiguousarray(values).data)
    return digest.hexdigest()


def _output(
    config: NeuralConfig, texts: TextFiles, data: TrainingData, start: StoredModel | None
) -> tuple[Vocabulary, Callable[[NDArray[np.float64]], OutputLayout]]:
    """The vocabulary, and a function from the words' counts to the output layer's layout."""
    if start is not None:
        _check_parts(config, start)
        layout = start.layout
        return start.vocabulary, lambda counts: layout
    part = OUTPUTS.get(config.output)
    return part.read(config, texts, data)


def _sampling(
    config: NeuralConfig, texts: Texts, shares: tuple[float, ...], layout: OutputLayout
) -> Sampling:
    """The sampling of an epoch's examples."""
    predicted, shortest = layout.predicted, config.shortest

    def long(sentences: NDArray[np.int64]) -> NDArray[np.bool_]:
        return texts.lengths(sentences) > shortest

    def eligible(events: NDArray[np.int64]) -> NDArray[np.bool_]:
        found = np.ones(len(events), dtype=bool)
        if predicted is not None:
            found &= predicted[texts.targets(events)]
        return found & long(texts.locate(events)[0]) if shortest else found

    if config.reads_sentences:
        sizes = tuple(part.sentences for part in texts.parts)
        return Sampling(sizes, shares, SENTENCE_CHUNK, SENTENCE_BUFFER, long if shortest else None)
    sizes = tuple(part.events for part in texts.parts)
    some = predicted is not None or shortest > 0
    return Sampling(sizes, shares, CHUNK, BUFFER, eligible if some else None)


def _left_out(text: NumberedText, shortest: int, words: int) -> NDArray[np.float64]:
    """Number of predictions of each word in sentences that are too short (V,)."""
    if not shortest:
        return np.zeros(words)
    short = np.diff(text.begins) <= shortest
    events = runs(text.begins[:-1][short], text.begins[1:][short])
    return np.bincount(text.stream[events], minlength=words).astype(np.float64)


def _known(text: NumberedText, vocabulary: Vocabulary, path: Path | str) -> NDArray[np.float64]:
    """Number of predictions of each word (V,); a text of only unknown words is refused."""
    counts = text.target_counts(vocabulary)
    if not counts[len(SPECIAL) :].any():
        what = "none of its words is in the vocabulary"
        hint = "give texts of one language, tokenised alike, or a lower min_count"
        raise InputError(what, path=path, hint=hint)
    return counts


def _check_parts(config: NeuralConfig, start: StoredModel) -> None:
    """Refuse to start from a model of other parts, or at random, by the name of the key."""
    for key in Architecture.model_fields:
        wanted, has = getattr(config, key), getattr(start.config, key)
        if wanted != has:
            what = f"{key}: {wanted!r}, but the model to start from has {has!r}"
            raise InputError(what, hint=f"leave {key} out")
    if config.initial_range is not None or "initial_range" in config.search:
        what = "initial_range has no effect with a model to start from"
        raise InputError(what, hint="leave initial_range out")
