"""Running text for the tokenisers of pretrained models, from tokens of an open vocabulary."""

from collections.abc import Iterable, Sequence
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

from nlmt.errors import InputError
from nlmt.text import Detokeniser
from nlmt.text.pieces import MARK


class Texts:
    """The running text of tokenised sentences, whose words get ids as they are met."""

    def __init__(self, language: str | None, casing: str) -> None:
        """Load the rules of a language.

        Args:
            language: for the detokeniser; None: tokens are separated by spaces.
            casing: `as-is`, or `first-letter` in upper case.

        Raises:
            InputError: no such language.
        """
        self._detokenise = None if language is None else Detokeniser(language)
        self._casing = casing
        self._words: list[str] = []
        self._ids: dict[str, int] = {}

    def lookup(self, words: Sequence[str]) -> NDArray[np.int32]:
        """Ids of words; InputError where they are pieces."""
        for word in words:
            if word not in self._ids:
                if word.startswith(MARK):
                    hint = "text.segmenter: sentencepiece is not for systems with such models"
                    raise InputError("a pretrained model scores words, not pieces", hint=hint)
                self._ids[word] = len(self._words)
                self._words.append(word)
        return np.array([self._ids[word] for word in words], np.int32)

    def of_sentences(self, ids: NDArray[np.int32], offsets: NDArray[np.int64]) -> list[str]:
        """The text of each sentence, ids[offsets[i]:offsets[i + 1]]."""
        words = [self._words[i] for i in ids.tolist()]
        return [self.of_tokens(words[a:b]) for a, b in pairwise(offsets.tolist())]

    def of_tokens(self, tokens: Sequence[str]) -> str:
        """The text of a sentence."""
        line = " ".join(tokens)
        text = line if self._detokenise is None else self._detokenise(line)
        return text if self._casing == "as-is" else _with_capital(text)


def part_symbols(text: str, symbols: Iterable[str]) -> str:
    """The text with a space inside each symbol of a tokeniser, so that it is read as text.

    Tokenisers cannot be relied on to do so: the symbols are among the pieces of a unigram model,
    too.
    """
    for symbol in symbols:
        text = text.replace(symbol, f"{symbol[0]} {symbol[1:]}")
    return text


def _with_capital(text: str) -> str:
    """The text with its first letter capitalised."""
    for place, letter in enumerate(text):
        if letter.isalpha():
            return text[:place] + letter.upper() + text[place + 1 :]
    return text
