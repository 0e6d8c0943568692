"""What is to be learnt: a configuration and its texts as numbers."""

import hashlib
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from nlmt.errors import InputError
from nlmt.neural.backoff import BackoffModel
from nlmt.neural.config import NeuralConfig
from nlmt.neural.data import Corpus, Texts
from nlmt.neural.model import NeuralLM
from nlmt.neural.parameters import Parameters
from nlmt.neural.sampling import Sampling
from nlmt.neural.short_list import ShortList, read_backoff
from nlmt.neural.source import SourceFiles, check_alignment, with_source, with_sources
from nlmt.neural.source_vectors import SourceVectors, analyse, scaled, source_vectors
from nlmt.neural.structure import Structure, build_structure, fingerprint
from nlmt.neural.text_files import TextFiles
from nlmt.vocabulary import SPECIAL, Vocabulary

# Words that lie together in the text, and words that are mixed; sentences, which have some 25.
CHUNK, BUFFER = 1 << 14, 1 << 22
SENTENCE_CHUNK, SENTENCE_BUFFER = 1 << 9, 1 << 17


@dataclass(frozen=True, eq=False)
class Task:
    """A model to be trained.

    Attributes:
        config: parts and training.
        vocabulary: of the training texts, or of the model to start from.
        structure: of the output layer.
        texts: all training texts, one after the other.
        sampling: which examples an epoch has: words and sentence ends, those of a short-list where
            there is one; or sentences where the network reads them from their beginning.
        counts: (V,) how often each word is predicted in an epoch, on average.
        dev: for early stopping.
        start: parameters to start from; None for random ones.
        source_vocabulary: of the source of the training texts, for a model conditioned on it.
        source_table: what `NeuralLM.source_table` will be.
    """

    config: NeuralConfig
    vocabulary: Vocabulary
    structure: Structure
    texts: Texts
    sampling: Sampling
    counts: NDArray[np.float64]
    dev: Corpus
    start: Parameters | None = None
    source_vocabulary: Vocabulary | None = None
    source_table: NDArray[np.float32] | None = None

    @classmethod
    def read(
        cls,
        config: NeuralConfig,
        texts: Sequence[Path | str],
        dev: Path | str,
        classes: Path | str | None = None,
        backoff: Path | str | None = None,
        start: NeuralLM | None = None,
        *,
        sources: Sequence[SourceFiles] = (),
        dev_source: SourceFiles | None = None,
        source_embeddings: NeuralLM | None = None,
    ) -> "Task":
        """Read the texts and the classes.

        Args:
            config: parts and training.
            texts: for training, encoded ones or sentences, which are then held in memory;
                `resampling` of the configuration has a share for each.
            dev: for early stopping.
            classes: file of word classes, where the output needs one.
            backoff: ARPA file for a short-list; None for a Kneser-Ney model of the texts.
            start: model to go on from; the vocabularies and the classes are its.
            sources: the source side of each training text, for a model conditioned on it.
            dev_source: that of the dev text.
            source_embeddings: model of the source language, for vectors that are `averaged` or
                `concatenated`; the source vocabulary is its.

        Raises:
            InputError: a text that is too short or unreadable, encoded texts or classes that do not
                fit, no classes, shares that are more or fewer than the texts, a model of other
                parts, source sides that are missing, of no use or do not fit.
        """
        shares = config.training.resampling or (1.0,) * len(texts)
        if len(shares) != len(texts):
            raise InputError(
                f"resampling: {len(shares)} shares for {len(texts)} training texts",
                hint="give one share for each text, in their order",
            )
        _check_sources(config, len(texts), sources, dev_source)
        files, least = TextFiles(texts), config.architecture.min_count
        ngrams: BackoffModel | None = None
        if start is not None:
            _check_parts(config, start)
            vocabulary = start.vocabulary
        elif config.architecture.output == "short-list":
            ngrams, vocabulary = read_backoff(files, config.architecture.order, backoff)
        else:
            vocabulary = files.vocabulary(least)
        corpora = files.corpora(vocabulary, at_least=2)
        (dev_corpus,) = TextFiles([dev]).corpora(vocabulary, at_least=1)
        source_vocabulary = None if start is None else start.source_vocabulary
        table = None if start is None else start.source_table
        if start is None and _takes_embeddings(config, source_embeddings):
            assert source_embeddings is not None
            source_vocabulary = source_embeddings.vocabulary
            table = scaled(source_embeddings.parameters["embeddings"])
        if dev_source is not None:
            source_files = TextFiles([source.text for source in sources])
            if source_vocabulary is None:
                source_vocabulary = source_files.vocabulary(least)
            corpora = with_sources(corpora, source_files, sources, source_vocabulary)
            dev_corpus = with_source(dev_corpus, dev_source, source_vocabulary)
            if config.architecture.source == "lsa" and table is None:
                texts_of_source = [c.source.text for c in corpora if c.source is not None]
                dim, seed = config.architecture.source_dim, config.training.seed
                table = analyse(texts_of_source, len(source_vocabulary), dim, seed)
        _known(dev_corpus, vocabulary, dev)
        counts = np.zeros(len(vocabulary))
        for text, share, corpus in zip(texts, shares, corpora, strict=True):
            counts += share * _known(corpus, vocabulary, text)
        if start is not None:
            structure = start.structure
        else:
            structure = build_structure(config.architecture, vocabulary, counts, classes, ngrams)
        joined = Texts(corpora)
        return cls(
            config,
            vocabulary,
            structure,
            joined,
            _sampling(config, joined, shares, structure),
            counts,
            dev_corpus,
            None if start is None else start.parameters,
            source_vocabulary,
            table,
        )

    @property
    def source_vectors(self) -> SourceVectors | None:
        """What stands beside the words."""
        return source_vectors(self.config.architecture, self.source_table)

    def model(self, parameters: Parameters, threads: int) -> NeuralLM:
        """The model with these parameters."""
        return NeuralLM(
            self.config,
            self.vocabulary,
            self.structure,
            parameters,
            threads,
            source_vocabulary=self.source_vocabulary,
            source_table=self.source_table,
        )

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
            "classes": fingerprint(self.structure, self.vocabulary),
            "model to start from": start.hexdigest(),
            "source vectors": "" if self.source_table is None else digest(self.source_table),
        }


def digest(values: NDArray[np.float32]) -> str:
    """SHA-256 of an array."""
    return hashlib.sha256(np.ascontiguousarray(values).data).hexdigest()


def _takes_embeddings(config: NeuralConfig, model: NeuralLM | None) -> bool:
    """Whether vectors are made of the embeddings of another model, which has to fit."""
    architecture = config.architecture
    wanted = architecture.takes_embeddings
    if wanted and model is None:
        what = f"source: {architecture.source} needs the embeddings of a model of the source"
        raise InputError(what, hint="give --source-embeddings")
    if model is not None and not wanted:
        what = f"embeddings of the source have no effect with source: {architecture.source}"
        raise InputError(what, hint="leave --source-embeddings out")
    if model is not None and model.config.architecture.dim != architecture.source_dim:
        dim = model.config.architecture.dim
        what = f"source_dim: {architecture.source_dim}, but the source's embeddings have {dim}"
        raise InputError(what, hint=f"source_dim: {dim}")
    return wanted


def _sampling(
    config: NeuralConfig, texts: Texts, shares: tuple[float, ...], structure: Structure
) -> Sampling:
    """How the examples of an epoch are drawn."""
    if config.architecture.network != "feed-forward":
        sizes = tuple(part.sentences for part in texts.parts)
        return Sampling(sizes, shares, SENTENCE_CHUNK, SENTENCE_BUFFER)
    sizes = tuple(part.events for part in texts.parts)
    if not isinstance(structure, ShortList):
        return Sampling(sizes, shares, CHUNK, BUFFER)
    listed = structure.place >= 0  # the output layer learns to predict no other words
    return Sampling(sizes, shares, CHUNK, BUFFER, lambda events: listed[texts.targets(events)])


def _known(corpus: Corpus, vocabulary: Vocabulary, path: Path | str) -> NDArray[np.float64]:
    """(V,) how often each word is predicted; a text of unknown words alone is refused."""
    counts = corpus.target_counts(vocabulary)
    if not counts[len(SPECIAL) :].any():
        what = "none of its words is in the vocabulary"
        hint = "give texts of one language, tokenised alike, or a lower min_count"
        raise InputError(what, path=path, hint=hint)
    return counts


def _check_sources(
    config: NeuralConfig, texts: int, sources: Sequence[SourceFiles], dev: SourceFiles | None
) -> None:
    """A model that is conditioned on the source needs that of each text; another one has none."""
    every = [*sources, *([] if dev is None else [dev])]
    if config.architecture.source == "none":
        if every:
            what = "a source has no effect with source: none"
            raise InputError(what, hint="leave sources and alignments out, or set source: window")
        return
    if len(sources) != texts or dev is None:
        what = f"source: {config.architecture.source} needs the source of every text"
        have = f"{len(sources)} for {texts} training texts"
        have += f", {'none' if dev is None else 'one'} for the dev text"
        raise InputError(f"{what}, but there are {have}", hint="give one for each")
    check_alignment(config.architecture, every)


def _check_parts(config: NeuralConfig, start: NeuralLM) -> None:
    """Refuse to go on from a model of other parts, by the name of the key."""
    own, wanted = vars(start.config.architecture), vars(config.architecture)
    for key, value in own.items():
        if wanted[key] != value:
            raise InputError(
                f"{key}: {wanted[key]!r}, but the model to start from has {value!r}",
                hint=f"leave {key} out",
            )
