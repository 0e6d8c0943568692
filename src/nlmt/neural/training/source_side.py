"""The source side of a task: its texts, and the arrays of vectors of the source."""

from dataclasses import dataclass, field

from nlmt.errors import InputError
from nlmt.neural.config import NeuralConfig
from nlmt.neural.data.lsa import analyse
from nlmt.neural.data.numbered_text import NumberedText
from nlmt.neural.data.source_kinds import FEATURES, TABLE, TARGET_TABLE, WEIGHTS
from nlmt.neural.data.source_vectors import TableEncoder, scaled
from nlmt.neural.data.tensors import Tensors
from nlmt.neural.data.text_files import TextFiles, check_alignment, with_source, with_sources
from nlmt.neural.data.texts import Texts
from nlmt.neural.data.transform import learn_transform
from nlmt.neural.training.inputs import TaskFiles, TrainedModel
from nlmt.vocabulary import Vocabulary


@dataclass
class SourceSide:
    """The source of a task.

    Attributes:
        vocabulary: its words; None before the texts are read.
        arrays: see `Task.source_arrays`.
    """

    vocabulary: Vocabulary | None = None
    arrays: Tensors = field(default_factory=dict)

    @classmethod
    def of(
        cls, config: NeuralConfig, start: TrainedModel | None, embeddings: TrainedModel | None
    ) -> "SourceSide":
        """The parts of the source side that other models provide."""
        if start is not None:
            return cls(start.source_vocabulary, start.source_arrays)
        if not _takes_embeddings(config, embeddings):
            return cls()
        assert embeddings is not None
        return cls(embeddings.vocabulary, {TABLE: scaled(embeddings.parameters["embeddings"])})

    def join(
        self,
        config: NeuralConfig,
        files: TaskFiles,
        texts: list[NumberedText],
        dev: NumberedText,
        words: int,
    ) -> tuple[list[NumberedText], NumberedText]:
        """Training texts and dev text, of `words` different words, with their source sides."""
        assert files.dev_source is not None
        source_files = TextFiles([source.text for source in files.sources])
        a = config.architecture
        if self.vocabulary is None:
            self.vocabulary = source_files.vocabulary(a.min_count, a.max_words)
        texts = with_sources(texts, source_files, files.sources, self.vocabulary)
        dev = with_source(dev, files.dev_source, self.vocabulary)
        if not self.arrays:
            self.arrays = self._learn(config, Texts(texts), Texts([dev]), words)
        return texts, dev

    def _learn(self, config: NeuralConfig, texts: Texts, dev: Texts, words: int) -> Tensors:
        """The arrays that are learnt from the texts."""
        assert self.vocabulary is not None
        a, training = config.architecture, config.training
        seed, weights = training.seed, a.source_weights
        if a.analyses_source:
            sources = [text.source.text for text in texts.parts if text.source is not None]
            analysis = analyse(sources, len(self.vocabulary), a.source_dim, seed, weights)
            return {TABLE: analysis.table if a.source == "lsa" else scaled(analysis.words)}
        if a.source != "transform":
            return {}
        target = analyse(texts.parts, words, a.source_dim, seed, weights).table
        transform = learn_transform(
            texts,
            dev,
            TableEncoder("lsa", (), target, weights),
            bits=a.source_bits,
            rates=training.transform_rates,
            epochs=training.transform_epochs,
            seed=seed,
        )
        return {
            FEATURES: transform.features,
            WEIGHTS: transform.weights,
            TARGET_TABLE: target,
        }


def _takes_embeddings(config: NeuralConfig, model: TrainedModel | None) -> bool:
    """Whether vectors are made from embeddings of another model, which has to fit."""
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


def check_sources(config: NeuralConfig, files: TaskFiles) -> None:
    """Refuse files without the source that the model needs, or with one that it does not use.

    Raises:
        InputError: a source or an alignment is missing, or has no effect.
    """
    dev, test = files.dev_source, files.test_source
    every = [*files.sources, *(one for one in (dev, test) if one is not None)]
    if config.architecture.source == "none":
        if every:
            what = "a source has no effect with source: none"
            raise InputError(what, hint="leave sources and alignments out, or set source: window")
        return
    what = f"source: {config.architecture.source} needs the source of every text"
    if len(files.sources) != len(files.texts) or dev is None:
        have = f"{len(files.sources)} for {len(files.texts)} training texts"
        have += f", {'none' if dev is None else 'one'} for the dev text"
        raise InputError(f"{what}, but there are {have}", hint="give one for each")
    if files.test is not None and test is None:
        raise InputError(f"{what}, but there is none for the test text", hint="give it")
    check_alignment(config.architecture, every)
