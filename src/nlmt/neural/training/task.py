"""The task of training: a configuration and its texts as numbers."""

import hashlib
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from nlmt.errors import InputError
from nlmt.neural.config import NeuralConfig
from nlmt.neural.data.numbered_text import NumberedText
from nlmt.neural.data.sampling import Sampling
from nlmt.neural.data.source_kinds import source_encoder
from nlmt.neural.data.source_vectors import SourceEncoder
from nlmt.neural.data.tensors import Parameters, Tensors
from nlmt.neural.data.text_files import TextFiles, with_source
from nlmt.neural.data.texts import Texts, runs
from nlmt.neural.outputs.registry import OUTPUTS, OutputFiles, OutputLayout
from nlmt.neural.training.inputs import TaskFiles, TrainedModel
from nlmt.neural.training.source_side import SourceSide, check_sources
from nlmt.vocabulary import SPECIAL, Vocabulary

# Words that are contiguous in the text, and words that are shuffled; likewise sentences, of some 25
# words.
CHUNK, BUFFER = 1 << 14, 1 << 22
SENTENCE_CHUNK, SENTENCE_BUFFER = 1 << 9, 1 << 17


@dataclass(frozen=True, eq=False)
class Task:
    """A model to be trained.

    Attributes:
        config: parts and training.
        vocabulary: of the training texts, or of the model to start from.
        layout: of the output layer.
        texts: all training texts, one after the other.
        sampling: of the examples of an epoch: words and sentence ends that the output layer
            predicts; or sentences, where the network reads them from their beginning.
        counts: (V,) how often each word is predicted in an epoch, on average.
        dev: for early stopping.
        test: another text, whose perplexity the learning curve has; it influences nothing.
        start: parameters to start from; None for random ones.
        source_vocabulary: of the source of the training texts, for a model conditioned on it.
        source_arrays: of the model to be trained; see `NeuralLM.source_arrays`.
    """

    config: NeuralConfig
    vocabulary: Vocabulary
    layout: OutputLayout
    texts: Texts
    sampling: Sampling
    counts: NDArray[np.float64]
    dev: NumberedText
    test: NumberedText | None = None
    start: Parameters | None = None
    source_vocabulary: Vocabulary | None = None
    source_arrays: Tensors = field(default_factory=dict)

    @classmethod
    def read(
        cls,
        config: NeuralConfig,
        files: TaskFiles,
        *,
        start: TrainedModel | None = None,
        source_embeddings: TrainedModel | None = None,
    ) -> "Task":
        """Read the texts and the classes.

        Args:
            config: parts and training.
            files: texts and the files that belong to them.
            start: model to start from, which determines vocabularies and classes.
            source_embeddings: model of the source language, for vectors that are `averaged` or
                `concatenated`; it determines the source vocabulary.

        Raises:
            InputError: a text that is too short or unreadable, encoded texts or classes that do not
                fit, no classes, another number of shares than texts, a model of other parts, source
                sides that are missing, unused or do not fit.
        """
        shares = _shares(config, len(files.texts))
        check_sources(config, files)
        texts = TextFiles(files.texts)
        vocabulary, make_layout = _output(config, texts, files, start)
        corpora = texts.read(vocabulary, at_least=2)
        (dev,) = TextFiles([files.dev]).read(vocabulary, at_least=1)
        _known(dev, vocabulary, files.dev)
        test = None
        if files.test is not None:
            (test,) = TextFiles([files.test]).read(vocabulary, at_least=1)
        counts, shortest = np.zeros(len(vocabulary)), config.training.shortest
        for path, share, text in zip(files.texts, shares, corpora, strict=True):
            own = _known(text, vocabulary, path) - _left_out(text, shortest, len(vocabulary))
            if not own.any():
                raise InputError(
                    f"no sentence of at least {shortest} words", path=path, hint="lower shortest"
                )
            counts += share * own
        layout = make_layout(counts)
        # Last, as the analysis of the source may take minutes: other faults are found before.
        source = SourceSide.of(config, start, source_embeddings)
        if files.dev_source is not None:
            corpora, dev = source.join(config, files, corpora, dev, len(vocabulary))
        if test is not None and files.test_source is not None:
            assert source.vocabulary is not None
            test = with_source(test, files.test_source, source.vocabulary)
        joined = Texts(corpora)
        return cls(
            config,
            vocabulary,
            layout,
            joined,
            _sampling(config, joined, shares, layout),
            counts,
            dev,
            test,
            None if start is None else start.parameters,
            source.vocabulary,
            source.arrays,
        )

    @property
    def encoder(self) -> SourceEncoder | None:
        """The encoder of the source's vectors beside the words, if there are any."""
        return source_encoder(self.config.architecture, self.source_arrays)

    @property
    def source_words(self) -> int:
        """Number S of source words that have embeddings; 0 without a source."""
        return 0 if self.source_vocabulary is None else len(self.source_vocabulary)

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


def _shares(config: NeuralConfig, texts: int) -> tuple[float, ...]:
    """The share of each text in an epoch."""
    shares = config.training.resampling or (1.0,) * texts
    if len(shares) != texts:
        raise InputError(
            f"resampling: {len(shares)} shares for {texts} training texts",
            hint="give one share for each text, in their order",
        )
    return shares


def _output(
    config: NeuralConfig, texts: TextFiles, files: TaskFiles, start: TrainedModel | None
) -> tuple[Vocabulary, Callable[[NDArray[np.float64]], OutputLayout]]:
    """The vocabulary, and a function from the words' counts to the output layer's layout."""
    if start is not None:
        _check_parts(config, start)
        layout = start.layout
        return start.vocabulary, lambda counts: layout
    part = OUTPUTS.get(config.architecture.output)
    return part.read(config.architecture, OutputFiles(texts, files.classes, files.backoff))


def _sampling(
    config: NeuralConfig, texts: Texts, shares: tuple[float, ...], layout: OutputLayout
) -> Sampling:
    """The sampling of an epoch's examples."""
    predicted, shortest = layout.predicted, config.training.shortest

    def long(sentences: NDArray[np.int64]) -> NDArray[np.bool_]:
        return texts.lengths(sentences) > shortest

    def eligible(events: NDArray[np.int64]) -> NDArray[np.bool_]:
        found = np.ones(len(events), dtype=bool)
        if predicted is not None:
            found &= predicted[texts.targets(events)]
        return found & long(texts.locate(events)[0]) if shortest else found

    if config.architecture.reads_sentences:
        sizes = tuple(part.sentences for part in texts.parts)
        return Sampling(sizes, shares, SENTENCE_CHUNK, SENTENCE_BUFFER, long if shortest else None)
    sizes = tuple(part.events for part in texts.parts)
    some = predicted is not None or shortest > 0
    return Sampling(sizes, shares, CHUNK, BUFFER, eligible if some else None)


def _left_out(text: NumberedText, shortest: int, words: int) -> NDArray[np.float64]:
    """How often each word is predicted in sentences that are too short (V,)."""
    if not shortest:
        return np.zeros(words)
    short = np.diff(text.begins) <= shortest
    events = runs(text.begins[:-1][short], text.begins[1:][short])
    return np.bincount(text.stream[events], minlength=words).astype(np.float64)


def _known(text: NumberedText, vocabulary: Vocabulary, path: Path | str) -> NDArray[np.float64]:
    """How often each word is predicted (V,); a text of only unknown words is refused."""
    counts = text.target_counts(vocabulary)
    if not counts[len(SPECIAL) :].any():
        what = "none of its words is in the vocabulary"
        hint = "give texts of one language, tokenised alike, or a lower min_count"
        raise InputError(what, path=path, hint=hint)
    return counts


def _check_parts(config: NeuralConfig, start: TrainedModel) -> None:
    """Refuse to start from a model of other parts, by the name of the key."""
    own: Mapping[str, object] = vars(start.config.architecture)
    wanted = vars(config.architecture)
    for key, value in own.items():
        if wanted[key] != value:
            raise InputError(
                f"{key}: {wanted[key]!r}, but the model to start from has {value!r}",
                hint=f"leave {key} out",
            )
