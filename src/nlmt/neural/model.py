"""A trained model in its folder, and what it is asked."""

import hashlib
import json
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from nlmt.errors import InputError
from nlmt.io.files import write_text
from nlmt.lm.perplexity import Perplexity
from nlmt.lm.protocol import SourcePositions
from nlmt.neural.config import NETWORKS, NeuralConfig
from nlmt.neural.data import Corpus, encode
from nlmt.neural.parameters import Parameters, check, shapes
from nlmt.neural.scoring import (
    EventScorer,
    Scorer,
    ScoringStatistics,
    make_scorer,
)
from nlmt.neural.sentence_scoring import SentenceScorer, States
from nlmt.neural.source_vectors import source_vectors
from nlmt.neural.stepping import NgramStepper, SentenceStepper
from nlmt.neural.structure import Structure, fingerprint, load_structure, save_structure
from nlmt.neural.tensors import read_tensors, write_tensors
from nlmt.vocabulary import Vocabulary

MODEL, CONFIG, VOCABULARY = "model.safetensors", "config.json", "vocabulary.txt"
SOURCE_VOCABULARY = "source-vocabulary.txt"
WORDS, SOURCE_WORDS = "words", "source words"  # how many there are, in `CONFIG`
TABLE = "source_table"
PARTS = "parts"  # among the metadata of `MODEL`: the fingerprint of what it belongs to
NO_SOURCE = "the model is not conditioned on the source"
MEND = "the folder holds parts of different models: train it again"


@dataclass(eq=False)
class NeuralLM:
    """A neural language model; implements `nlmt.lm.protocol.WordModel`, and `SourceModel`.

    Attributes:
        config: what it is made of and how it was trained.
        vocabulary: V words.
        structure: what the output layer stands on: word classes, a tree.
        parameters: arrays under the names of `nlmt.neural.parameters`.
        threads: of the CPU; scores do not depend on it, those of a transformer but for rounding.
        normalised: whether `score_sentences` and `score_ngrams` divide by the normaliser. Without
            it scores are no probabilities, but cost less; perplexities are always exact.
        source_vocabulary: S words of a model that is conditioned on the source, else None.
        source_table: (S, numbers) of each, where a vector of the source stands beside the words.
    """

    config: NeuralConfig
    vocabulary: Vocabulary
    structure: Structure
    parameters: Parameters
    threads: int = 1
    normalised: bool = True
    source_vocabulary: Vocabulary | None = None
    source_table: NDArray[np.float32] | None = None

    @cached_property
    def _ngrams(self) -> Scorer:
        """The scorer of a feed-forward model."""
        self._only(NETWORKS[:1], "score sentences, or use start and step")
        return make_scorer(
            self.config.architecture,
            self.structure,
            self.parameters,
            self.threads,
            source_vectors(self.config.architecture, self.source_table),
        )

    @cached_property
    def _sentences(self) -> SentenceScorer:
        """The scorer of a model that reads sentences from their beginning."""
        self._only(NETWORKS[1:], "use score_ngrams")
        return SentenceScorer(
            self.config.architecture,
            self.structure,
            self.parameters,
            self.threads,
            source_vectors(self.config.architecture, self.source_table),
        )

    def _only(self, networks: Sequence[str], hint: str) -> None:
        network = self.config.architecture.network
        if network not in networks:
            what = f"that is for network: {' or '.join(networks)}, not for {network}"
            raise InputError(what, hint=hint)

    @property
    def _scorer(self) -> EventScorer:
        feed_forward = self.config.architecture.network == "feed-forward"
        return self._ngrams if feed_forward else self._sentences

    @classmethod
    def load(cls, folder: Path | str, *, threads: int = 1) -> "NeuralLM":
        """Read a model's folder.

        Raises:
            InputError: a file is missing, damaged, or does not fit the others; numbers that are not
                finite.
        """
        folder = Path(folder)
        if not (folder / CONFIG).is_file():
            raise InputError(f"no model: there is no {CONFIG}", path=folder)
        settings = read_json(folder / CONFIG)
        if not isinstance(settings.get("model"), dict):
            raise InputError("no configuration of a model", path=folder / CONFIG)
        try:
            config = NeuralConfig.from_dict(settings["model"])
        except InputError as error:
            raise InputError(error.what, path=folder / CONFIG, hint=error.hint) from error
        vocabulary = _load_words(folder / VOCABULARY, settings.get(WORDS))
        source = None
        if config.architecture.source != "none":
            source = _load_words(folder / SOURCE_VOCABULARY, settings.get(SOURCE_WORDS))
        parameters, notes = read_tensors(folder / MODEL)
        structure = load_structure(config.architecture, folder, vocabulary, parameters)
        architecture, source_words = config.architecture, 0 if source is None else len(source)
        expected = shapes(architecture, structure, source_words)
        table = {TABLE: (source_words, architecture.source_dim)} if architecture.beside else {}
        check(parameters, expected | table, folder / MODEL, MEND)
        model = cls(
            config,
            vocabulary,
            structure,
            {name: parameters[name] for name in expected},
            threads,
            source_vocabulary=source,
            source_table=parameters[TABLE] if table else None,
        )
        parts = model._fingerprint(settings["model"])
        if notes.get(PARTS, parts) != parts:
            what = "saved with other words, classes or settings than the folder's other files have"
            raise InputError(what, path=folder / MODEL, hint=MEND)
        return model

    def save(self, folder: Path | str) -> None:
        """Write the model, its configuration, vocabulary and classes, each file atomically."""
        folder = Path(folder)
        self.vocabulary.save(folder / VOCABULARY)
        if self.source_vocabulary is not None:
            self.source_vocabulary.save(folder / SOURCE_VOCABULARY)
        arrays = save_structure(self.structure, folder, self.vocabulary)
        source = self.source_vocabulary
        description = {
            "nlmt": _version(),
            WORDS: len(self.vocabulary),
            **({} if source is None else {SOURCE_WORDS: len(source)}),
            self.structure.name: self.structure.count,
            "parameters": self.parameter_count,
            "model": self.config.to_dict(),
        }
        write_text(folder / CONFIG, json.dumps(description, indent=2) + "\n")
        if self.source_table is not None:
            arrays = arrays | {TABLE: self.source_table}
        write_tensors(
            folder / MODEL,
            self.parameters | arrays,
            {PARTS: self._fingerprint(description["model"])},
        )

    def _fingerprint(self, settings: object) -> str:
        """SHA-256 of the configuration, as config.json has it, of the words and the structure."""
        source = () if self.source_vocabulary is None else self.source_vocabulary.words
        described = [settings, self.vocabulary.words, source]
        digest = hashlib.sha256(json.dumps(described, sort_keys=True).encode())
        digest.update(fingerprint(self.structure, self.vocabulary).encode())
        return digest.hexdigest()

    @property
    def parameter_count(self) -> int:
        """Number of trained numbers."""
        return sum(values.size for values in self.parameters.values())

    def lookup(self, words: Sequence[str]) -> NDArray[np.int32]:
        """Ids of `words`; words outside the vocabulary get that of `<unk>`."""
        return self.vocabulary.lookup(words)

    @property
    def needs_source(self) -> bool:
        """Whether it is conditioned on the source; see `nlmt.lm.protocol.SourceModel`."""
        return self.source_vocabulary is not None

    @property
    def needs_alignment(self) -> bool:
        """Whether it asks for places in the source; see `nlmt.lm.protocol.SourceModel`."""
        return self.config.architecture.needs_alignment

    def lookup_source(self, words: Sequence[str]) -> NDArray[np.int32]:
        """Ids of source `words`; words outside the source vocabulary get that of `<unk>`.

        Raises:
            InputError: the model is not conditioned on the source.
        """
        if self.source_vocabulary is None:
            raise InputError(NO_SOURCE, hint="leave the source out")
        return self.source_vocabulary.lookup(words)

    def score_sentences(
        self, ids: NDArray[np.int32], offsets: NDArray[np.int64]
    ) -> NDArray[np.float64]:
        """Natural-log probability of each sentence, its `</s>` counted; see `LanguageModel`."""
        return self.score_sentences_with_statistics(ids, offsets)[0]

    def score_sentences_given(
        self, ids: NDArray[np.int32], offsets: NDArray[np.int64], source: SourcePositions
    ) -> NDArray[np.float64]:
        """The same given the source of each; see `SourceModel`."""
        return self.score_sentences_with_statistics(ids, offsets, source)[0]

    def score_sentences_with_statistics(
        self,
        ids: NDArray[np.int32],
        offsets: NDArray[np.int64],
        source: SourcePositions | None = None,
    ) -> tuple[NDArray[np.float64], ScoringStatistics]:
        """The same, and how many of the requests were different."""
        scores, statistics = self._events(ids, offsets, source, normalised=self.normalised)
        ends = np.concatenate([[0.0], np.cumsum(np.diff(offsets) + 1)]).astype(np.int64)
        if not len(scores):
            return np.zeros(0), statistics
        return np.add.reduceat(scores, ends[:-1]), statistics

    def score_words(
        self, ids: NDArray[np.int32], offsets: NDArray[np.int64]
    ) -> NDArray[np.float64]:
        """Natural-log probability of each word and `</s>`; see `WordModel`."""
        return self._events(ids, offsets, None, normalised=self.normalised)[0]

    def score_words_given(
        self, ids: NDArray[np.int32], offsets: NDArray[np.int64], source: SourcePositions
    ) -> NDArray[np.float64]:
        """The same given the source; see `SourceModel`."""
        return self._events(ids, offsets, source, normalised=self.normalised)[0]

    def _events(
        self,
        ids: NDArray[np.int32],
        offsets: NDArray[np.int64],
        source: SourcePositions | None,
        *,
        normalised: bool = True,
    ) -> tuple[NDArray[np.float64], ScoringStatistics]:
        """Scores of words and sentence ends.

        Raises:
            InputError: a model with a source without one, or one without a source with one.
        """
        self._check_source(source)
        return self._scorer.events(ids, offsets, source, normalised=normalised)

    def _check_source(self, source: object | None) -> None:
        if self.needs_source and source is None:
            what = "the model is conditioned on the source, and there is none"
            aligned = " and alignment" if self.config.architecture.needs_alignment else ""
            raise InputError(what, hint=f"give source sentences{aligned}")
        if not self.needs_source and source is not None:
            raise InputError(NO_SOURCE, hint="leave source and alignment out")

    @property
    def order(self) -> int | None:
        """Length of its n-grams; None for a model of the whole sentence before."""
        architecture = self.config.architecture
        return architecture.order if architecture.network == "feed-forward" else None

    def score_ngrams(
        self,
        contexts: NDArray[np.int32],
        words: NDArray[np.int32],
        source: SourcePositions | None = None,
    ) -> NDArray[np.float64]:
        """Natural-log probability (n,) of words (n,) after contexts (n, order - 1).

        The oldest word of a context comes first; a sentence's begin is `<s>` repeated. A model that
        is conditioned on the source takes the places of the words there.

        Raises:
            InputError: the model is not feed-forward; a source that is missing or too much.
        """
        return self.score_ngrams_with_statistics(contexts, words, source)[0]

    def score_ngrams_with_statistics(
        self,
        contexts: NDArray[np.int32],
        words: NDArray[np.int32],
        source: SourcePositions | None = None,
    ) -> tuple[NDArray[np.float64], ScoringStatistics]:
        """The same, and how many of the requests were different."""
        self._check_source(source)
        return self._ngrams.score_with_statistics(
            lambda: self._ngrams.gather_ngrams(contexts, words, source), normalised=self.normalised
        )

    def stepper(self) -> NgramStepper | SentenceStepper:
        """What reads many sentences word by word, as lattices need it."""
        if self.order is not None:
            return NgramStepper(self._ngrams, self.order, normalised=self.normalised)
        return SentenceStepper(self._sentences, normalised=self.normalised)

    def start(self, n: int) -> States:
        """What a model that reads sentences from their beginning knows there, n times.

        Raises:
            InputError: the model is feed-forward.
        """
        return self._sentences.start(n)

    def step(
        self,
        states: States,
        words: NDArray[np.int32],
        source: SourcePositions | None = None,
    ) -> tuple[NDArray[np.float64], States]:
        """Natural-log probability (n,) of a word after each of n states; the states after them.

        A model that is conditioned on the source takes the places of the words there.

        The scores of the words of a sentence and of `</s>` add up to that of `score_sentences`.
        Rows of states can be taken any number of times and joined (`States.take`, `join`), so that
        the paths of a lattice go on together.
        """
        self._check_source(source)
        return self._sentences.step(states, words, source, normalised=self.normalised)

    def perplexity(self, lines: Iterable[str]) -> Perplexity:
        """Exactly normalised perplexity of a text, one sentence a line.

        `<unk>` in the text counts as out of vocabulary.

        Raises:
            InputError: a text without a line.
        """
        corpus = encode(lines, self.vocabulary)
        if corpus.sentences == 0:
            raise InputError("no perplexity of a text without a line", hint="give a longer text")
        return self.corpus_perplexity(corpus)

    def corpus_perplexity(self, corpus: Corpus) -> Perplexity:
        """The same for sentences that are numbers already, at least one, with their source.

        Raises:
            InputError: a source that is missing or too much.
        """
        self._check_source(corpus.source)
        return perplexity(self._scorer, corpus, self.vocabulary)

    def mean_abs_log_z(self, corpus: Corpus) -> float:
        """Mean |log Z| over the words and sentence ends of a text (Devlin et al. 2014).

        Z is what divides the score of a word, under a class-factored output the product of both
        normalisers: near 0, scores that are not normalised are close to probabilities.
        """
        total = 0.0
        for piece in corpus.pieces():
            text = piece.ids, piece.offsets, _places(piece)
            unnormalised = self._events(*text, normalised=False)[0]
            total += float(np.abs(unnormalised - self._events(*text)[0]).sum())
        return total / corpus.events


def _load_words(path: Path, wanted: object) -> Vocabulary:
    """A vocabulary of as many words as `CONFIG` says; None where it says nothing."""
    vocabulary = Vocabulary.load(path)
    if wanted not in (None, len(vocabulary)):
        what = f"{len(vocabulary)} words, but the model has {wanted}"
        raise InputError(what, path=path, hint=MEND)
    return vocabulary


def _places(corpus: Corpus) -> SourcePositions | None:
    return None if corpus.source is None else corpus.source_places()


def perplexity(scorer: EventScorer, corpus: Corpus, vocabulary: Vocabulary) -> Perplexity:
    """Perplexity of a scorer on a text: every word and every `</s>` is an event."""
    total = without_oov = 0.0
    oov = 0
    for piece in corpus.pieces():
        scores, _ = scorer.events(piece.ids, piece.offsets, _places(piece))
        known = piece.stream != vocabulary.unknown
        total += float(scores.sum())
        without_oov += float(scores[known].sum())
        oov += piece.events - int(known.sum())
    words = corpus.events - corpus.sentences
    return Perplexity(total, without_oov, words, corpus.sentences, oov)


def _version() -> str:
    """The installed version of nlmt."""
    try:
        return version("nlmt")
    except PackageNotFoundError:
        return "not installed"


def read_json(path: Path) -> dict[str, Any]:
    """Read a JSON object.

    Raises:
        InputError: no such file, or it holds something else.
    """
    if not path.is_file():
        raise InputError("no such file", path=path)
    try:
        content = json.loads(path.read_text(encoding="utf-8"))
    except (ValueError, RecursionError) as error:
        raise InputError(f"damaged ({error})", path=path) from error
    if not isinstance(content, dict):
        raise InputError("no JSON object", path=path)
    return content
