"""What is to be learnt: a configuration and its texts as numbers."""

import hashlib
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from nlmt.errors import InputError
from nlmt.neural.config import NeuralConfig
from nlmt.neural.data.lsa import analyse
from nlmt.neural.data.numbered_text import NumberedText
from nlmt.neural.data.sampling import Sampling
from nlmt.neural.data.source_vectors import SourceEncoder, scaled, source_encoder
from nlmt.neural.data.tensors import Parameters
from nlmt.neural.data.text_files import (
    SourceFiles,
    TextFiles,
    check_alignment,
    with_source,
    with_sources,
)
from nlmt.neural.data.texts import Texts
from nlmt.neural.outputs.registry import OUTPUTS, OutputFiles, OutputLayout
from nlmt.vocabulary import SPECIAL, Vocabulary

# Words that lie together in the text, and words that are mixed; sentences, which have some 25.
CHUNK, BUFFER = 1 << 14, 1 << 22
SENTENCE_CHUNK, SENTENCE_BUFFER = 1 << 9, 1 << 17


@dataclass(frozen=True)
class TaskFiles:
    """The files of a task.

    Attributes:
        texts: for training, encoded ones or sentences, which are then held in memory; the key
            `resampling` has a share for each.
        dev: for early stopping.
        classes: word classes, where the output needs them.
        backoff: ARPA file for a short-list; None for a Kneser-Ney model of the texts.
        sources: the source side of each training text, for a model conditioned on it.
        dev_source: that of the dev text.
    """

    texts: Sequence[Path | str]
    dev: Path | str
    classes: Path | str | None = None
    backoff: Path | str | None = None
    sources: Sequence[SourceFiles] = ()
    dev_source: SourceFiles | None = None


class TrainedModel(Protocol):
    """A model that training goes on from, or takes embeddings from (`NeuralLM`)."""

    @property
    def config(self) -> NeuralConfig:
        """Parts and training."""
        ...

    @property
    def vocabulary(self) -> Vocabulary:
        """Its words."""
        ...

    @property
    def layout(self) -> OutputLayout:
        """Of its output layer."""
        ...

    @property
    def parameters(self) -> Parameters:
        """By name."""
        ...

    @property
    def source_vocabulary(self) -> Vocabulary | None:
        """Words of the source, of a model conditioned on it."""
        ...

    @property
    def source_table(self) -> NDArray[np.float32] | None:
        """(S, numbers) of each, where a vector of the source stands beside the words."""
        ...


@dataclass(frozen=True, eq=False)
class Task:
    """A model to be trained.

    Attributes:
        config: parts and training.
        vocabulary: of the training texts, or of the model to start from.
        layout: of the output layer.
        texts: all training texts, one after the other.
        sampling: which examples an epoch has: words and sentence ends, those that the output layer
            predicts; or sentences where the network reads them from their beginning.
        counts: (V,) how often each word is predicted in an epoch, on average.
        dev: for early stopping.
        start: parameters to start from; None for random ones.
        source_vocabulary: of the source of the training texts, for a model conditioned on it.
        source_table: what `NeuralLM.source_table` will be.
    """

    config: NeuralConfig
    vocabulary: Vocabulary
    layout: OutputLayout
    texts: Texts
    sampling: Sampling
    counts: NDArray[np.float64]
    dev: NumberedText
    start: Parameters | None = None
    source_vocabulary: Vocabulary | None = None
    source_table: NDArray[np.float32] | None = None

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
            files: texts and what belongs to them.
            start: model to go on from; the vocabularies and the classes are its.
            source_embeddings: model of the source language, for vectors that are `averaged` or
                `concatenated`; the source vocabulary is its.

        Raises:
            InputError: a text that is too short or unreadable, encoded texts or classes that do not
                fit, no classes, shares that are more or fewer than the texts, a model of other
                parts, source sides that are missing, of no use or do not fit.
        """
        shares = _shares(config, len(files.texts))
        _check_sources(config, files)
        texts = TextFiles(files.texts)
        vocabulary, make_layout = _output(config, texts, files, start)
        corpora = texts.read(vocabulary, at_least=2)
        (dev,) = TextFiles([files.dev]).read(vocabulary, at_least=1)
        source = _SourceSide.of(config, start, source_embeddings)
        if files.dev_source is not None:
            corpora, dev = source.join(config, files, corpora, dev)
        _known(dev, vocabulary, files.dev)
        counts = np.zeros(len(vocabulary))
        for path, share, text in zip(files.texts, shares, corpora, strict=True):
            counts += share * _known(text, vocabulary, path)
        layout, joined = make_layout(counts), Texts(corpora)
        return cls(
            config,
            vocabulary,
            layout,
            joined,
            _sampling(config, joined, shares, layout),
            counts,
            dev,
            None if start is None else start.parameters,
            source.vocabulary,
            source.table,
        )

    @property
    def encoder(self) -> SourceEncoder | None:
        """What gives the vectors of the source, where they stand beside the words."""
        return source_encoder(self.config.architecture, self.source_table)

    @property
    def source_words(self) -> int:
        """S, words of the source that have embeddings; 0 without a source."""
        return 0 if self.source_vocabulary is None else len(self.source_vocabulary)

    @cached_property
    def fingerprint(self) -> dict[str, str]:
        """What a checkpoint has to agree with."""
        settings = {key: repr(value) for key, value in self.config.to_dict().items()}
        start = hashlib.sha256()
        for name, values in (self.start or {}).items():
            start.update(name.encode() + np.ascontiguousarray(values).tobytes())
        return settings | {
            "training text": self.texts.fingerprint(),
            "dev text": Texts([self.dev]).fingerprint(),
            "classes": self.layout.fingerprint(self.vocabulary),
            "model to start from": start.hexdigest(),
            "source vectors": "" if self.source_table is None else _digest(self.source_table),
        }


@dataclass
class _SourceSide:
    """The source of a task.

    Attributes:
        vocabulary: its words; None before the texts are read.
        table: see `Task.source_table`.
    """

    vocabulary: Vocabulary | None = None
    table: NDArray[np.float32] | None = None

    @classmethod
    def of(
        cls, config: NeuralConfig, start: TrainedModel | None, embeddings: TrainedModel | None
    ) -> "_SourceSide":
        """What other models give."""
        if start is not None:
            return cls(start.source_vocabulary, start.source_table)
        if not _takes_embeddings(config, embeddings):
            return cls()
        assert embeddings is not None
        return cls(embeddings.vocabulary, scaled(embeddings.parameters["embeddings"]))

    def join(
        self,
        config: NeuralConfig,
        files: TaskFiles,
        texts: list[NumberedText],
        dev: NumberedText,
    ) -> tuple[list[NumberedText], NumberedText]:
        """Training texts and dev text with their source sides."""
        assert files.dev_source is not None
        source_files = TextFiles([source.text for source in files.sources])
        if self.vocabulary is None:
            self.vocabulary = source_files.vocabulary(config.architecture.min_count)
        texts = with_sources(texts, source_files, files.sources, self.vocabulary)
        dev = with_source(dev, files.dev_source, self.vocabulary)
        if config.architecture.analyses_source and self.table is None:
            sentences = [text.source.text for text in texts if text.source is not None]
            a, seed = config.architecture, config.training.seed
            words = len(self.vocabulary)
            analysis = analyse(sentences, words, a.source_dim, seed, a.source_weights)
            whole = a.source == "lsa"
            self.table = analysis.table if whole else scaled(analysis.words)
        return texts, dev


def _shares(config: NeuralConfig, texts: int) -> tuple[float, ...]:
    """The share of each text that an epoch has."""
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
    """The vocabulary, and what makes the layout of the output layer from the words' counts."""
    if start is not None:
        _check_parts(config, start)
        layout = start.layout
        return start.vocabulary, lambda counts: layout
    part = OUTPUTS.get(config.architecture.output)
    return part.read(config.architecture, OutputFiles(texts, files.classes, files.backoff))


def _digest(values: NDArray[np.float32]) -> str:
    """SHA-256 of an array."""
    return hashlib.sha256(np.ascontiguousarray(values).data).hexdigest()


def _takes_embeddings(config: NeuralConfig, model: TrainedModel | None) -> bool:
    """Whether vectors are made of the embeddings of another model, which has to fit."""
    architecture = config.architecture
    wanted = architecture.takes_embeddings
    if wanted and model is None:
        what = f"source: {architecture.source} needs the embeddings of a model of the source"
        raise InputError(what, hint="give --source-embeddings")
    if model is not None and not wanted:
        lsa = architecture.needs_alignment and architecture.source_vectors == "lsa"
        kind = "source_vectors: lsa" if lsa else f"source: {architecture.source}"
        what = f"embeddings of the source have no effect with {kind}"
        raise InputError(what, hint="leave --source-embeddings out")
    if model is not None and model.config.architecture.dim != architecture.source_dim:
        dim = model.config.architecture.dim
        what = f"source_dim: {architecture.source_dim}, but the source's embeddings have {dim}"
        raise InputError(what, hint=f"source_dim: {dim}")
    return wanted


def _sampling(
    config: NeuralConfig, texts: Texts, shares: tuple[float, ...], layout: OutputLayout
) -> Sampling:
    """How the examples of an epoch are drawn."""
    if config.architecture.reads_sentences:
        sizes = tuple(part.sentences for part in texts.parts)
        return Sampling(sizes, shares, SENTENCE_CHUNK, SENTENCE_BUFFER)
    sizes = tuple(part.events for part in texts.parts)
    predicted = layout.predicted
    if predicted is None:
        return Sampling(sizes, shares, CHUNK, BUFFER)
    return Sampling(sizes, shares, CHUNK, BUFFER, lambda events: predicted[texts.targets(events)])


def _known(text: NumberedText, vocabulary: Vocabulary, path: Path | str) -> NDArray[np.float64]:
    """(V,) how often each word is predicted; a text of unknown words alone is refused."""
    counts = text.target_counts(vocabulary)
    if not counts[len(SPECIAL) :].any():
        what = "none of its words is in the vocabulary"
        hint = "give texts of one language, tokenised alike, or a lower min_count"
        raise InputError(what, path=path, hint=hint)
    return counts


def _check_sources(config: NeuralConfig, files: TaskFiles) -> None:
    """A model that is conditioned on the source needs that of each text; another one has none."""
    dev = files.dev_source
    every = [*files.sources, *([] if dev is None else [dev])]
    if config.architecture.source == "none":
        if every:
            what = "a source has no effect with source: none"
            raise InputError(what, hint="leave sources and alignments out, or set source: window")
        return
    if len(files.sources) != len(files.texts) or dev is None:
        what = f"source: {config.architecture.source} needs the source of every text"
        have = f"{len(files.sources)} for {len(files.texts)} training texts"
        have += f", {'none' if dev is None else 'one'} for the dev text"
        raise InputError(f"{what}, but there are {have}", hint="give one for each")
    check_alignment(config.architecture, every)


def _check_parts(config: NeuralConfig, start: TrainedModel) -> None:
    """Refuse to go on from a model of other parts, by the name of the key."""
    own: Mapping[str, object] = vars(start.config.architecture)
    wanted = vars(config.architecture)
    for key, value in own.items():
        if wanted[key] != value:
            raise InputError(
                f"{key}: {wanted[key]!r}, but the model to start from has {value!r}",
                hint=f"leave {key} out",
            )
