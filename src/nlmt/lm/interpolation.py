"""Linear interpolation of language models, with given weights or with weights tuned on a text."""

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from numpy.typing import NDArray
from typing_extensions import override

from nlmt.errors import InputError
from nlmt.lm.joint_vocabulary import JointVocabulary
from nlmt.lm.protocol import LanguageModel, WordModel, number_words
from nlmt.lm.vocabulary_facts import ClosedModel
from nlmt.vocabulary import SPECIAL, Vocabulary

_TOLERANCE = 1e-9  # gain in the mean log-probability of a word at which tuning ends
_MOST_ITERATIONS = 10_000


class Interpolation(WordModel):
    """The weighted mean of several models' probabilities of each word.

    Each model has its own vocabulary: a word that it does not know has its probability of `<unk>`.
    """

    def __init__(self, models: Sequence[WordModel], weights: Sequence[float]) -> None:
        """Combine models.

        The weights, one per model and not negative, are divided by their sum.

        Raises:
            InputError: a wrong number of weights, a negative one, or only zeros.
        """
        if not models or len(weights) != len(models):
            raise InputError(
                f"{len(weights)} weights for {len(models)} models", hint="one for each"
            )
        if min(weights) < 0 or not 0 < sum(weights) < math.inf:
            raise InputError(
                f"weights of interpolation {', '.join(f'{w:g}' for w in weights)}",
                hint="none below 0, and one above 0",
            )
        self._models = models
        self._weights = np.array(weights, np.float64) / sum(weights)
        self._vocabulary = JointVocabulary(models)

    @property
    def weights(self) -> list[float]:
        """One weight per model; they sum to 1."""
        values: list[float] = self._weights.tolist()
        return values

    @property
    def order(self) -> int | None:
        """Length of the longest n-grams of any model; None if a model has no bound."""
        orders = [getattr(model, "order", None) for model in self._models]
        known = [order for order in orders if order is not None]
        return max(known) if len(known) == len(orders) else None

    @property
    def vocabulary(self) -> Vocabulary | None:
        """The words that any of the models knows; None if a model does not list its words."""
        words: set[str] = set()
        for model in self._models:
            own = model.vocabulary if isinstance(model, ClosedModel) else None
            if own is None:
                return None
            words.update(own.words)
        return Vocabulary((*SPECIAL, *sorted(words.difference(SPECIAL))))

    @override
    def lookup(self, words: Sequence[str]) -> NDArray[np.int32]:
        return self._vocabulary.lookup(words)

    @override
    def score_words(
        self, ids: NDArray[np.int32], offsets: NDArray[np.int64]
    ) -> NDArray[np.float64]:
        return _log_mean(self._part_scores(ids, offsets), self._weights)

    def tuned(self, lines: Iterable[str]) -> "TunedInterpolation":
        """Find the weights of these models that maximise the probability of a text.

        By expectation maximisation from the present weights, where a weight of 0 stays 0, until the
        mean log-probability of a word no longer grows. The log-likelihood is concave in the
        weights, so that every maximum is global.

        Args:
            lines: of the text, words separated by spaces and tabs, one sentence a line.

        Raises:
            InputError: a text without a line.
        """
        ids, offsets = number_words(self, lines)
        if len(offsets) == 1:
            raise InputError("no text to tune weights on", hint="give a longer text")
        scores = self._part_scores(ids, offsets)  # (models, words and sentence ends)
        weights, before = self._weights, -math.inf
        for _ in range(_MOST_ITERATIONS):
            mixed = _log_mean(scores, weights)
            mean = float(mixed.mean())
            if mean - before < _TOLERANCE:
                break
            before = mean
            weights = weights * np.exp(scores - mixed).mean(axis=1)
        alone = [math.exp(-float(row.mean())) for row in scores]
        model = Interpolation(self._models, weights.tolist())
        return TunedInterpolation(model, math.exp(-float(_log_mean(scores, weights).mean())), alone)

    def _part_scores(
        self, ids: NDArray[np.int32], offsets: NDArray[np.int64]
    ) -> NDArray[np.float64]:
        """Natural-log probabilities (models, words + sentences)."""
        own = self._vocabulary.of_models()
        parts = [
            model.score_words(of[ids], offsets) for model, of in zip(self._models, own, strict=True)
        ]
        return np.stack(parts)


def as_word_model(model: LanguageModel, path: Path) -> WordModel:
    """The model as a `WordModel`.

    Raises:
        InputError: it gives no probabilities of words.
    """
    if not isinstance(model, WordModel):
        raise InputError("a model that gives no probabilities of words", path=path)
    return model


@dataclass(frozen=True, eq=False)
class TunedInterpolation:
    """The result of tuning interpolation weights on a text.

    Perplexities include words outside the vocabularies; `alone` are those of each model by itself.
    """

    model: Interpolation
    perplexity: float
    alone: list[float]


def _log_mean(scores: NDArray[np.float64], weights: NDArray[np.float64]) -> NDArray[np.float64]:
    """Logarithm (R,) of the weighted mean of probabilities with logarithms (models, R)."""
    used = weights > 0
    with_weights = scores[used] + np.log(weights[used])[:, None]
    highest = with_weights.max(axis=0)
    return np.asarray(highest + np.log(np.exp(with_weights - highest).sum(axis=0)))
