"""The protocols of language models: of sentences, of words, given the source, word by word."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any, Protocol, TypeGuard, TypeVar, runtime_checkable

import numpy as np
from numpy.typing import NDArray
from typing_extensions import override

from nlmt.vocabulary import split_words

States = TypeVar("States")


class LanguageModel(Protocol):
    """A model that gives log-probabilities of whole sentences."""

    def lookup(self, words: Sequence[str]) -> NDArray[np.int32]:
        """Ids of `words` in the model's vocabulary; words outside it get that of `<unk>`."""
        ...

    def score_sentences(
        self, ids: NDArray[np.int32], offsets: NDArray[np.int64]
    ) -> NDArray[np.float64]:
        """Natural-log probability of each sentence, its final `</s>` counted, `<s>` not.

        Args:
            ids: the words of all sentences, one after the other, without `<s>` and `</s>`.
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
        """The sums of `score_words`; a model that is faster without them has its own."""
        return sums_of_sentences(self.score_words(ids, offsets), offsets)

    def score_words(
        self, ids: NDArray[np.int32], offsets: NDArray[np.int64]
    ) -> NDArray[np.float64]:
        """Natural-log probability (words + sentences,) of each word, `</s>` last in its sentence.

        Args:
            ids: as of `score_sentences`.
            offsets: as of `score_sentences`.
        """
        ...


def sums_of_sentences(
    scores: NDArray[np.float64], offsets: NDArray[np.int64]
) -> NDArray[np.float64]:
    """Sums (sentences,) of what words and the `</s>` of each sentence have.

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
    """The words of sentences, one a line, as `score_sentences` takes them: ids and offsets."""
    words: list[str] = []
    offsets = [0]
    for line in lines:
        words.extend(split_words(line))
        offsets.append(len(words))
    return model.lookup(words), np.array(offsets, np.int64)


@dataclass(frozen=True, eq=False)
class SourcePositions:
    """The position in the source text of each of n predicted words.

    For whole sentences these are the words of each sentence and its `</s>`, one sentence after the
    other.

    Attributes:
        ids: words of all source sentences, one after the other, as `lookup_source` numbers them.
        offsets: (sources + 1,); source sentence i is ids[offsets[i]:offsets[i + 1]].
        of: (n,) which source sentence is translated.
        position: (n,) of the word in it that the predicted one is affiliated with (Devlin et al.
            2014, section 2.1); the length of the source sentence stands for its end.
    """

    ids: NDArray[np.int32]
    offsets: NDArray[np.int64]
    of: NDArray[np.int32]
    position: NDArray[np.int32]


@runtime_checkable
class SourceModel(LanguageModel, Protocol):
    """A model of target sentences that may be given their source."""

    @property
    def needs_source(self) -> bool:
        """Whether it is conditioned on the source: only then it can, and must, be given one."""
        ...

    @property
    def needs_alignment(self) -> bool:
        """Whether `SourcePositions.position` matters, not only which source sentence it is."""
        ...

    def lookup_source(self, words: Sequence[str]) -> NDArray[np.int32]:
        """Ids of `words` in the model's source vocabulary; words outside it get that of `<unk>`."""
        ...

    def score_sentences_given(
        self, ids: NDArray[np.int32], offsets: NDArray[np.int64], source: SourcePositions
    ) -> NDArray[np.float64]:
        """Natural-log probability of each sentence given its source, `</s>` counted, `<s>` not.

        Args:
            ids: as of `score_sentences`.
            offsets: as of `score_sentences`.
            source: with a position for each word and `</s>`.
        """
        ...


@runtime_checkable
class SourceWordModel(SourceModel, Protocol):
    """A model given the source that also gives the probability of each word."""

    def score_words_given(
        self, ids: NDArray[np.int32], offsets: NDArray[np.int64], source: SourcePositions
    ) -> NDArray[np.float64]:
        """Natural-log probability (words + sentences,) of each word, `</s>` last in its sentence.

        Args:
            ids: as of `score_sentences`.
            offsets: as of `score_sentences`.
            source: with a position for each word and `</s>`.
        """
        ...


def is_conditioned(model: object) -> TypeGuard[SourceModel]:
    """Whether a model has to be given the source."""
    return isinstance(model, SourceModel) and model.needs_source


def is_aligned(model: object) -> bool:
    """Whether a model has to be given the positions of words in the source."""
    return is_conditioned(model) and model.needs_alignment


class Stepper(Protocol[States]):
    """A model that reads many sentences side by side, word by word, which lattices need.

    States are what it knows after the words so far, in n rows; only the stepper looks inside.
    `source` is given to source-conditioned models only, with a position for each of the words.
    """

    @property
    def end(self) -> int:
        """Id of `</s>`; `lookup` may take one in a text for an unknown word."""
        ...

    def start(self, n: int) -> States:
        """The states of n sentences after `<s>`."""
        ...

    def take(self, states: States, rows: NDArray[np.int64]) -> States:
        """Some of the rows, each any number of times."""
        ...

    def join(self, parts: Sequence[States]) -> States:
        """The rows of several, at least one, one after the other."""
        ...

    def score(
        self,
        states: States,
        rows: NDArray[np.int64],
        words: NDArray[np.int32],
        source: SourcePositions | None = None,
    ) -> NDArray[np.float64]:
        """Natural-log probability (n,) of words (n,), `</s>` among them, each after a state.

        Args:
            states: of any number.
            rows: (n,) the state before each word, rising: what one state needs is done once.
            words: as `lookup` numbers them.
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
        """It remembers the last order - 1 words; None: all words before."""
        ...

    def stepper(self) -> Stepper[Any]:
        """The interface that reads word by word."""
        ...
