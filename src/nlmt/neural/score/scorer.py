"""The interface of the scorers of models; perplexity."""

from abc import ABC, abstractmethod
from typing import Any

import numpy as np
from numpy.typing import NDArray

from nlmt.errors import InputError
from nlmt.lm.perplexity import Perplexity, PerplexitySums
from nlmt.lm.protocol import ScoringStatistics, SourcePositions, Stepper
from nlmt.neural.text.numbered import NumberedText
from nlmt.vocabulary import Vocabulary

Scores = tuple[NDArray[np.float64], ScoringStatistics]


class Scorer(ABC):
    """Scores words with the parameters of a model.

    Without `normalised`, scores are unnormalised, which costs less; a model of objective `nce` or
    `self-normalised` is made for that.
    """

    @abstractmethod
    def events(
        self,
        ids: NDArray[np.int32],
        offsets: NDArray[np.int64],
        source: SourcePositions | None = None,
        *,
        normalised: bool = True,
    ) -> Scores:
        """Natural-log probability of each word and `</s>`; see `LanguageModel.score_sentences`.

        A model with a source takes the source positions of these words and ends.
        """

    @abstractmethod
    def stepper(self, *, normalised: bool) -> Stepper[Any]:
        """A stepper that reads many sentences word by word, as lattices need."""

    def ngrams(
        self,
        contexts: NDArray[np.int32],
        words: NDArray[np.int32],
        source: SourcePositions | None = None,
        *,
        normalised: bool = True,
    ) -> Scores:
        """Natural-log probability (n,) of words (n,) after contexts (n, order - 1).

        Raises:
            InputError: the network reads sentences.
        """
        raise InputError("that is for models of n-grams", hint="score sentences, or use stepper")


def perplexity(scorer: Scorer, text: NumberedText, vocabulary: Vocabulary) -> Perplexity:
    """Perplexity of a scorer on a text: every word and every `</s>` is an event."""
    sums = PerplexitySums()
    for piece in text.pieces():
        ids, offsets = piece.ids, piece.offsets
        scores, _ = scorer.events(ids, offsets, piece.source_positions())
        sums.add_words(scores, ids == vocabulary.unknown, offsets)
    return sums.perplexity()
