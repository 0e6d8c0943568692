"""The source side of a task: checks of its files, and the arrays of vectors of the source."""

from nlmt.errors import InputError
from nlmt.lm.kinds import TrainingData
from nlmt.neural.model_files import StoredModel
from nlmt.neural.settings.neural import NeuralConfig
from nlmt.neural.source.lsa import analyse
from nlmt.neural.source.transform import FEATURES, TARGET_TABLE, WEIGHTS, learn_transform
from nlmt.neural.source.vectors import TABLE, TableEncoder, scaled
from nlmt.neural.tensors import Tensors
from nlmt.neural.text.numbered import Texts
from nlmt.vocabulary import Vocabulary


def source_of_models(
    config: NeuralConfig, start: StoredModel | None, embeddings: StoredModel | None
) -> tuple[Vocabulary | None, Tensors]:
    """The source vocabulary and the arrays that other models provide, if they do.

    Raises:
        InputError: embeddings are missing, unused or do not fit.
    """
    if start is not None:
        return start.source_vocabulary, start.source_arrays
    if embeddings is None:
        if not config.takes_embeddings:
            return None, {}
        what = f"source: {config.source} needs the embeddings of a model of the source"
        raise InputError(what, hint="give --source-embeddings")
    if not config.takes_embeddings:
        lsa = config.needs_alignment and config.source_vectors == "lsa"
        kind = "source_vectors: lsa" if lsa else f"source: {config.source}"
        what = f"embeddings of the source have no effect with {kind}"
        raise InputError(what, hint="leave --source-embeddings out")
    dim = embeddings.config.dim
    if dim != config.source_dim:
        what = f"source_dim: {config.source_dim}, but the source's embeddings have {dim}"
        raise InputError(what, hint=f"source_dim: {dim}")
    vocabulary = embeddings.vocabulary  # further rows are those of a source of that model
    own = embeddings.parameters["embeddings"][: len(vocabulary)]
    return vocabulary, {TABLE: scaled(own)}


def learn_arrays(
    config: NeuralConfig, texts: Texts, dev: Texts, words: int, source_words: int
) -> tuple[Tensors, dict[float, float]]:
    """The arrays that are learnt from texts with their source sides; see `Task.source_arrays`.

    `words` is V, `source_words` S; `dev` chooses rate and epoch of a transform, whose least error
    by rate is the second (`Task.transform_errors`).
    """
    a, seed, weights = config, config.seed, config.source_weights
    if a.analyses_source:
        sources = [text.source.text for text in texts.parts if text.source is not None]
        analysis = analyse(sources, source_words, a.source_dim, seed, weights)
        return {TABLE: analysis.table if a.source == "lsa" else scaled(analysis.words)}, {}
    if a.source != "transform":
        return {}, {}
    target = analyse(texts.parts, words, a.source_dim, seed, weights).table
    encoder = TableEncoder("lsa", (), target, weights)
    transform, errors = learn_transform(config, texts, dev, encoder)
    arrays = {FEATURES: transform.features, WEIGHTS: transform.weights, TARGET_TABLE: target}
    return arrays, errors


def check_sources(config: NeuralConfig, data: TrainingData) -> None:
    """Refuse files without the source that the model needs, or with one that it does not use.

    Raises:
        InputError: a source or an alignment is missing, or has no effect.
    """
    dev, test = data.dev_source, data.test_source
    every = [*data.sources, *(one for one in (dev, test) if one is not None)]
    if config.source == "none":
        if every:
            what = "a source has no effect with source: none"
            raise InputError(what, hint="leave sources and alignments out, or set source: window")
        return
    what = f"source: {config.source} needs the source of every text"
    if len(data.sources) != len(data.texts) or dev is None:
        have = f"{len(data.sources)} for {len(data.texts)} training texts"
        have += f", {'none' if dev is None else 'one'} for the dev text"
        raise InputError(f"{what}, but there are {have}", hint="give one for each")
    if data.test is not None and test is None:
        raise InputError(f"{what}, but there is none for the test text", hint="give it")
    for one in every:
        if config.needs_alignment and one.alignment is None:
            what = f"source: {config.source} needs the alignment of this text"
            raise InputError(what, path=one.text, hint="give links 0-0 1-2, line for line")
        if not config.needs_alignment and one.alignment is not None:
            what = f"an alignment has no effect with source: {config.source}"
            raise InputError(what, path=one.alignment, hint="leave alignments out")
