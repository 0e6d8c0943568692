"""Queries of a KenLM model, with natural logarithms instead of KenLM's base 10."""

from collections.abc import Sequence
from functools import cached_property
from itertools import pairwise
from pathlib import Path

import kenlm
import numpy as np
from numpy.typing import NDArray
from typing_extensions import override

from nlmt.errors import InputError
from nlmt.io.files import begins_with, check_file
from nlmt.lm.context_stepper import Contexts, ContextStepper
from nlmt.lm.protocol import SourcePositions, SteppingModel, WordModel
from nlmt.ngram.backoff import MOST_LOG10, NATURAL, UNKNOWN_LOG10
from nlmt.ngram.files import BINARY, check_counts, read_vocabulary, reason
from nlmt.processes import abandonable
from nlmt.vocabulary import END, SPECIAL, UNKNOWN, Vocabulary

UNKNOWN_ID, END_ID = 0, 1
# Pads contexts before the first word; not the id of a word.
BEGIN_ID = -1


class NgramModel(WordModel, SteppingModel):
    """An n-gram language model: a KenLM binary or ARPA file.

    KenLM's Python package does not expose its ids. Those of `lookup` are the model's own: 0 is
    `<unk>`, 1 is `</s>`, and each known word gets the next id when it is first looked up.
    """

    def __init__(self, path: Path | str) -> None:
        """Load a model.

        Raises:
            InputError: no such file, or one that is not a language model.
        """
        self._path = path = check_file(path)
        check_counts(path)
        config = kenlm.Config()
        config.show_progress = False
        config.arpa_complain = kenlm.ARPALoadComplain.NONE
        try:
            self._model = abandonable(lambda: kenlm.Model(str(path), config))
        except (OSError, UnicodeDecodeError) as error:  # the latter if it quotes bytes
            what = f"not a language model, or a damaged one: {reason(error)}"
            binary = begins_with(path, BINARY)
            hint = "a binary file is for the KenLM version that made it" if binary else ""
            raise InputError(what, path=path, hint=hint) from error
        self._words = [UNKNOWN, END]
        # In a text, `<s>` and `</s>` are unknown words, as for other models.
        self._ids = dict.fromkeys(SPECIAL, UNKNOWN_ID)

    @property
    @override
    def order(self) -> int:
        return int(self._model.order)

    @cached_property
    def vocabulary(self) -> Vocabulary | None:
        """The model's words; None for a binary file that was built without them."""
        return read_vocabulary(self._path)

    @override
    def lookup(self, words: Sequence[str]) -> NDArray[np.int32]:
        """Ids of words; InputError for one of the model's with white space in it."""
        return np.array([self._id(word) for word in words], dtype=np.int32)

    @override
    def score_sentences(
        self, ids: NDArray[np.int32], offsets: NDArray[np.int64]
    ) -> NDArray[np.float64]:
        words = [self._words[word] for word in ids.tolist()]
        sentences = [" ".join(words[begin:end]) for begin, end in pairwise(offsets.tolist())]
        log10 = np.array([self._model.score(text) for text in sentences], dtype=np.float64)
        for bad in np.flatnonzero(~(np.abs(log10) <= MOST_LOG10)):
            of_words = [score for score, _, _ in self._model.full_scores(sentences[bad])]
            log10[bad] = _numbers(of_words).sum()
        return NATURAL * log10

    @override
    def score_words(
        self, ids: NDArray[np.int32], offsets: NDArray[np.int64]
    ) -> NDArray[np.float64]:
        words = [self._words[word] for word in ids.tolist()]
        scores = self._model.full_scores
        log10 = [
            log10
            for begin, end in pairwise(offsets.tolist())
            for log10, _, _ in scores(" ".join(words[begin:end]))
        ]
        return NATURAL * _numbers(log10)

    @override
    def stepper(self) -> ContextStepper:
        return ContextStepper(self.order, BEGIN_ID, END_ID, self.score_after)

    def score_after(
        self, contexts: Contexts, words: NDArray[np.int32], source: SourcePositions | None = None
    ) -> NDArray[np.float64]:
        """Natural-log probability (n,) of words (n,) after contexts (n, order - 1).

        A source, which steppers pass on, has no effect.
        """
        ngrams = np.column_stack([contexts, words])
        # Bytes that sort like the numbers: sorting rows of numbers is many times slower.
        keys = np.ascontiguousarray(ngrams + 1, ">u4").view(f"V{4 * ngrams.shape[1]}").ravel()
        _, first, of = np.unique(keys, return_index=True, return_inverse=True)
        return self.query(ngrams[first])[of]

    def query(self, ngrams: NDArray[np.int32]) -> NDArray[np.float64]:
        """Natural-log probability (n,) of the last words of n-grams (n, order), in order."""
        base_score = self._model.BaseScore
        scores = np.empty(len(ngrams))
        states = [kenlm.State() for _ in range(self.order + 1)]
        known: list[int] | None = None
        for row, (*context, word) in enumerate(ngrams.tolist()):
            if context != known:
                known = context
                state = states[0]
                words = [w for w in context if w != BEGIN_ID]
                begin = self._model.BeginSentenceWrite
                (begin if BEGIN_ID in context else self._model.NullContextWrite)(state)
                for place, before in enumerate(words):
                    base_score(states[place], self._words[before], states[place + 1])
                state, after = states[len(words)], states[len(words) + 1]
            scores[row] = base_score(state, self._words[word], after)
        return NATURAL * _numbers(scores)

    def _id(self, word: str) -> int:
        known = self._ids.get(word)
        if known is None:
            known = UNKNOWN_ID
            if word in self._model:
                if word.encode().split() != [word.encode()]:
                    what = f"KenLM would part the word {word!r} at its white space"
                    hint = "train the model on text without control characters"
                    raise InputError(what, path=self._path, hint=hint)
                known = len(self._words)
                self._words.append(word)
            self._ids[word] = known
        return known


def _numbers(log10: Sequence[float] | NDArray[np.float64]) -> NDArray[np.float64]:
    """Scores of words with those replaced that are no numbers or too large."""
    scores = np.array(log10, dtype=np.float64)
    scores[~(np.abs(scores) <= MOST_LOG10)] = UNKNOWN_LOG10
    return scores
