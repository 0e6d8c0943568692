"""Identification of a language by trigrams of characters, learnt from a bitext."""

from collections.abc import Iterable, Sequence
from itertools import islice

import numpy as np
import numpy.typing as npt

_SAMPLE = 100_000  # sentences to learn from
_FREQUENT = 127  # characters told apart; the others are one
_ASIDE = 10  # one sentence in so many is set aside, to show how likely new ones are
_UNLIKELY = 0.002  # share of these that may be less likely than all accepted sentences
_RARE = 0.02  # share of the other language's sentences that may be taken for a third one's
_SMOOTHING = 0.1

Ids = npt.NDArray[np.int64]


class LanguageFilter:
    """Accepts sentences of one language.

    A sentence is accepted if the language makes its characters at least as likely as the other one
    does, and not less likely than those of nearly all its sentences that were set aside.
    """

    def __init__(self, own: Iterable[str], other: Iterable[str]) -> None:
        """Learn from sentences of the language, and of the other one, the first 100,000 of each."""
        texts = [list(islice(text, _SAMPLE)) for text in (own, other)]
        points, counts = np.unique(
            _points("\n".join(map("\n".join, texts)).lower()), return_counts=True
        )
        chosen = points[np.argsort(-counts, kind="stable")[:_FREQUENT]]
        self._ids = np.zeros(0x110000, dtype=np.uint8)
        self._ids[chosen] = np.arange(1, len(chosen) + 1)
        self._rare = max(1, len(points) - len(chosen))  # characters that share an id
        aside = texts[0][_ASIDE - 1 :: _ASIDE]
        del texts[0][_ASIDE - 1 :: _ASIDE]
        self._own, self._other = (self._learn(text) for text in texts)
        means = self._means(aside, self._own)
        self._least = float(np.quantile(means, _UNLIKELY)) if len(means) else -np.inf
        means = self._means(texts[1], self._other)
        self._least_other = float(np.quantile(means, _RARE)) if len(means) else -np.inf

    def accepts(self, sentences: Sequence[str]) -> npt.NDArray[np.bool_]:
        """Whether each sentence is of the language."""
        own = self._means(sentences, self._own)
        accepted: npt.NDArray[np.bool_] = (own >= self._means(sentences, self._other)) & (
            own >= self._least
        )
        return accepted

    def unlike_other(self, sentences: Sequence[str]) -> npt.NDArray[np.bool_]:
        """Whether each sentence is unlikely in the other language, too."""
        unlike: npt.NDArray[np.bool_] = self._means(sentences, self._other) < self._least_other
        return unlike

    def _learn(self, sentences: Sequence[str]) -> npt.NDArray[np.float32]:
        """The natural logarithm of the probability of each trigram's last character."""
        size = _FREQUENT + 1
        trigrams, _ = self._trigrams(sentences)
        counts = np.bincount(trigrams, minlength=size**3).reshape(size, size, size)
        totals = counts.sum(axis=2, keepdims=True) + _SMOOTHING * size
        found: npt.NDArray[np.float32] = np.log((counts + _SMOOTHING) / totals).astype(np.float32)
        found.reshape(size, size, size)[:, :, 0] -= np.log(self._rare)
        return found.ravel()

    def _means(
        self, sentences: Sequence[str], model: npt.NDArray[np.float32]
    ) -> npt.NDArray[np.float64]:
        """The mean of the logarithms of each sentence's characters."""
        trigrams, lengths = self._trigrams(sentences)
        ends = np.cumsum(lengths)
        sums = np.concatenate([[0.0], np.cumsum(model[trigrams], dtype=np.float64)])
        means: npt.NDArray[np.float64] = sums[ends] - sums[ends - lengths]
        means /= np.maximum(lengths, 1)
        return means

    def _trigrams(self, sentences: Sequence[str]) -> tuple[Ids, Ids]:
        """The trigrams of all sentences, joined, and their number in each."""
        lowered = [sentence.lower() for sentence in sentences]
        lengths = np.array([len(sentence) for sentence in lowered], dtype=np.int64)
        # Two newlines before each sentence are the context of its first characters.
        ids = self._ids[_points("".join(f"\n\n{sentence}" for sentence in lowered))].astype(
            np.int64
        )
        size = _FREQUENT + 1
        trigrams = (ids[:-2] * size + ids[1:-1]) * size + ids[2:] if len(ids) else ids
        starts = np.cumsum(lengths + 2) - (lengths + 2)
        inside = np.ones(len(trigrams), dtype=np.bool_)
        for offset in (1, 2):  # trigrams that end in the newlines of the next sentence
            places = starts[1:] - offset
            inside[places] = False
        return trigrams[inside], lengths


def _points(text: str) -> npt.NDArray[np.uint32]:
    """The code points of a text."""
    return np.frombuffer(text.encode("utf-32-le", "replace"), dtype=np.uint32)
