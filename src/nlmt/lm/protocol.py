"""The protocols of language models: for sentences, words, given the source, word by word."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any, Protocol, TypeGuard, TypeVar, runtime_checkable

import numpy as np
from numpy.typing import NDArray
from typing_extensions import override

from nlmt.vocabulary import split_lines

States = TypeVar("States")


class LanguageModel(Protocol):
    """A model that gives log-probabilities of whole sentences."""

    def lookup(self, words: Sequence[str]) -> NDArray[np.int32]:
        """Ids of `words` in the model's vocabulary; words outside it have the id of `<unk>`."""
        ...

    def score_sentences(
        self, ids: NDArray[np.int32], offsets: NDArray[np.int64]
    ) -> NDArray[np.float64]:
        """Natural-log probability of each sentence, including its final `</s>`, but not `<s>`.

        Args:
            ids: the words of all sentences, concatenated, without `<s>` and `</s>`.
            offsets: (sentences + 1,); sentence i is ids[offsets[i]:offsets[i + 1]].
        """
        ...


@runtime_checkable
class WordModel(LanguageModel, Protocol):
    """A model that also gives the probability of each word, which interpolation needs."""

    @override
    def score_sentences(
        self, ids: NDArray[np.int32], offsets: NDArray[np.int64]
    ) -> NDArray[np.float64]:
        """The sums of `score_words`; overridden by models that are faster without them."""
        return sums_of_sentences(self.score_words(ids, offsets), offsets)

    def score_words(
        self, ids: NDArray[np.int32], offsets: NDArray[np.int64]
    ) -> NDArray[np.float64]:
        """Natural-log probability (words + sentences,) of each word, `</s>` last in its sentence.

        `ids` and `offsets` are as in `score_sentences`.
        """
        ...


def sums_of_sentences(
    scores: NDArray[np.float64], offsets: NDArray[np.int64]
) -> NDArray[np.float64]:
    """Sums (sentences,) of the scores of words and `</s>` of each sentence.

    Args:
        scores: (words + sentences,).
        offsets: (sentences + 1,) where the words of each sentence begin, `</s>` not counted.
    """
    if not len(scores):
        return np.zeros(0)
    return np.add.reduceat(scores, offsets[:-1] + np.arange(len(offsets) - 1))


def number_words(
    model: LanguageModel, lines: Iterable[str]
) -> tuple[NDArray[np.int32], NDArray[np.int64]]:
    """Ids and offsets of the words of sentences, one per line, for `score_sentences`."""
    words, offsets = split_lines(lines)
    return model.lookup(words), offsets


@dataclass(frozen=True, eq=False)
class SourcePositions:
    """The position in the source text of each of n predicted words.

    For whole sentences these are the words of each sentence and its `</s>`, concatenated.

    Attributes:
        ids: words of all source sentences, concatenated, as `lookup_source` numbers them.
        offsets: (sources + 1,); source sentence i is ids[offsets[i]:offsets[i + 1]].
        of: (n,) number of the source sentence.
        position: (n,) of the word in it with which the predicted one is affiliated (Devlin et al.
            2014, section 2.1); the length of the source sentence means its end. For a model of
            `linked_words`, (n, k) of the words to which it is linked, -1 where there are fewer
            (`nlmt.io.affiliation`).
    """

    ids: NDArray[np.int32]
    offsets: NDArray[np.int64]
    of: NDArray[np.int32]
    position: NDArray[np.int32]


@runtime_checkable
class SourceModel(LanguageModel, Protocol):
    """A model of target sentences that may be conditioned on the source."""

    @property
    def needs_source(self) -> bool:
        """Whether it is conditioned on the source: only then it takes, and needs, one."""
        ...

    @property
    def needs_alignment(self) -> bool:
        """Whether `SourcePositions.position` matters, rather than only the source sentence."""
        ...

    def lookup_source(self, words: Sequence[str]) -> NDArray[np.int32]:
        """Ids of `words` in the source vocabulary; words outside it have the id of `<unk>`."""
        ...

    def score_sentences_given(
        self, ids: NDArray[np.int32], offsets: NDArray[np.int64], source: SourcePositions
    ) -> NDArray[np.float64]:
        """Natural-log probability of each sentence given its source, with `</s>`, without `<s>`.

        `ids` and `offsets` are as in `score_sentences`; `source` has a position for each word and
        `</s>`.
        """
        ...


@runtime_checkable
class SourceWordModel(SourceModel, Protocol):
    """A model conditioned on the source that also gives the probability of each word."""

    def score_words_given(
        self, ids: NDArray[np.int32], offsets: NDArray[np.int64], source: SourcePositions
    ) -> NDArray[np.float64]:
        """Natural-log probability (words + sentences,) of each word, `</s>` last in its sentence.

        The arguments are those of `score_sentences_given`.
        """
        ...


@dataclass(frozen=True)
class ScoringStatistics:
    """Statistics of one call of a model that evaluates equal n-grams, and equal contexts, once."""

    requests: int
    distinct_ngrams: int
    distinct_contexts: int


def is_conditioned(model: object) -> TypeGuard[SourceModel]:
    """Whether a model needs the source."""
    return isinstance(model, SourceModel) and model.needs_source


def is_aligned(model: object) -> bool:
    """Whether a model needs the positions of words in the source."""
    return is_conditioned(model) and model.needs_alignment


def linked_words(model: object) -> int:
    """Number of linked source words that a model sees; 0 if it needs the affiliated one or none."""
    return int(getattr(model, "linked_words", 0))


class Stepper(Protocol[States]):
    """Reads many sentences in parallel, word by word, as lattices need.

    States are its memory of the words so far, in n rows, which only the stepper interprets.
    `source`, with a position for each of the words, is only for models conditioned on the source.
    """

    @property
    def end(self) -> int:
        """Id of `</s>`; `lookup` may treat one in a text as an unknown word."""
        ...

    def start(self, n: int) -> States:
        """The states of n sentences after `<s>`."""
        ...

    def take(self, states: States, rows: NDArray[np.int64]) -> States:
        """Some of the rows, each any number of times."""
        ...

    def join(self, parts: Sequence[States]) -> States:
        """The concatenated rows of several states, at least one."""
        ...

    def score(
        self,
        states: States,
        rows: NDArray[np.int64],
        words: NDArray[np.int32],
        source: SourcePositions | None = None,
    ) -> NDArray[np.float64]:
        """Natural-log probability (n,) of words (n,), which may be `</s>`, each after a state.

        Args:
            states: any number of them.
            rows: (n,) the state before each word, rising, so that work for a state is done once.
            words: numbered by `lookup`.
            source: positions (n,) of the words, for a model that is conditioned on the source.
        """
        ...

    def advance(
        self,
        states: States,
        rows: NDArray[np.int64],
        words: NDArray[np.int32],
        source: SourcePositions | None = None,
    ) -> States:
        """The n states after words (n,), each read after the state of its row."""
        ...


@runtime_checkable
class SteppingModel(LanguageModel, Protocol):
    """A language model that can step."""

    @property
    def order(self) -> int | None:
        """Order n, if it remembers the last n - 1 words; None: all words before."""
        ...

    def stepper(self) -> Stepper[Any]:
        """The stepper of the model."""
        ...
