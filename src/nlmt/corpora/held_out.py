"""Sentences of training text that are also held out, or nearly so."""

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence

from nlmt.characters import MARKS, UNSPACED, folded
from nlmt.corpora.bitext import sentence_key

_WORD = re.compile(rf"[{UNSPACED}]|[^\W{UNSPACED}]+(?:[{MARKS}]+[^\W{UNSPACED}]*)*")
_DIGIT = re.compile(r"\d")
_SHINGLE = 3  # words
_LEAST = 4  # shingles of a sentence that may have near-duplicates


class HeldOut:
    """Finds sentences that are held out, by their keys or by the words that they share.

    Two sentences are near-duplicates if they share this part of the distinct word trigrams of the
    shorter one, which has at least four; case, punctuation and the values of digits do not count.
    In Chinese, Japanese, Thai and other scripts without spaces, characters are words.
    """

    def __init__(self, sentences: Iterable[str], shared: float | None = None) -> None:
        """Remember sentences.

        Args:
            sentences: the held-out ones, of one language.
            shared: the part of the trigrams, above 0 and up to 1; None: only equal keys are found.
        """
        self._shared = shared
        self._keys: set[str] = set()
        self._sizes: list[int] = []
        self._places: dict[str, list[int]] = {}
        for sentence in sentences:
            key = sentence_key(sentence)
            if key in self._keys:
                continue
            self._keys.add(key)
            shingles = _shingles(sentence) if shared is not None else frozenset[str]()
            if len(shingles) >= _LEAST:
                for shingle in shingles:
                    self._places.setdefault(shingle, []).append(len(self._sizes))
                self._sizes.append(len(shingles))

    def has(self, sentence: str) -> bool:
        """Whether a sentence is held out, but for case, spaces and punctuation."""
        return bool(self._keys) and sentence_key(sentence) in self._keys

    def others(self, sentences: Iterable[str]) -> Iterator[str]:
        """The sentences that are not held out, in order."""
        return (sentence for sentence in sentences if not self.has(sentence))

    def has_near(self, sentence: str) -> bool:
        """Whether a sentence is a near-duplicate of a held-out one."""
        if not self._places or self._shared is None:
            return False
        shingles = _shingles(sentence)
        if len(shingles) < _LEAST:
            return False
        common = Counter(place for one in shingles for place in self._places.get(one, ()))
        return any(
            count / min(len(shingles), self._sizes[place]) >= self._shared
            for place, count in common.items()
        )


class HeldOutPairs:
    """Finds sentence pairs of which either side is held out, or nearly so."""

    REASONS = ("in_held_out", "near_held_out")

    def __init__(self, pairs: Iterable[Sequence[str]], shared: float | None) -> None:
        """Remember sentences with all their translations; `shared` is as in `HeldOut`."""
        sources: list[str] = []
        targets: list[str] = []
        for source, *translations in pairs:
            sources.append(source)
            targets += translations
        self._sides = (HeldOut(sources, shared), HeldOut(targets, shared))

    def reason(self, pair: Sequence[str]) -> str | None:
        """One of `REASONS` for which a pair is held out, if any."""
        sides = [(self._sides[number > 0], text) for number, text in enumerate(pair)]
        if any(side.has(text) for side, text in sides):
            return self.REASONS[0]
        if any(side.has_near(text) for side, text in sides):
            return self.REASONS[1]
        return None


def _shingles(sentence: str) -> frozenset[str]:
    """The distinct trigrams of words of a sentence."""
    words = _WORD.findall(_DIGIT.sub("0", folded(sentence)))
    return frozenset(
        " ".join(words[begin : begin + _SHINGLE]) for begin in range(len(words) - _SHINGLE + 1)
    )
