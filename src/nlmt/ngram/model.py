"""Queries of a KenLM model; logarithms are natural, KenLM's own are to base 10."""

import math
from collections.abc import Sequence
from functools import cached_property
from pathlib import Path

import numpy as np
from numpy.typing import NDArray
from typing_extensions import override

from nlmt.errors import InputError
from nlmt.io.files import check_file
from nlmt.lm.protocol import SteppingModel, WordModel
from nlmt.ngram._queries import Queries
from nlmt.ngram.files import read_vocabulary, reason
from nlmt.ngram.stepping import QueryStepper
from nlmt.vocabulary import Vocabulary

NATURAL = math.log(10.0)  # times a logarithm to base 10


class NgramModel(WordModel, SteppingModel):
    """An n-gram language model: a KenLM binary or ARPA file. Ids are KenLM's; 0 is `<unk>`."""

    def __init__(self, path: Path | str) -> None:
        """Load a model.

        Raises:
            InputError: no such file, or one that is no language model.
        """
        self._path = path = check_file(path)
        try:
            self._queries = Queries(str(path))
        except RuntimeError as error:
            what = f"no language model, or a damaged one: {reason(error)}"
            hint = "a binary file is for the KenLM version that made it"
            raise InputError(what, path=path, hint=hint) from error

    @property
    @override
    def order(self) -> int:
        return self._queries.order

    @cached_property
    def vocabulary(self) -> Vocabulary | None:
        """The model's words; None for a binary file that was built without them."""
        return read_vocabulary(self._path)

    @override
    def lookup(self, words: Sequence[str]) -> NDArray[np.int32]:
        return np.array([self._queries.find(word) for word in words], dtype=np.int32)

    @override
    def score_sentences(
        self, ids: NDArray[np.int32], offsets: NDArray[np.int64]
    ) -> NDArray[np.float64]:
        return NATURAL * self._queries.score_sentences(ids, offsets)

    @override
    def score_words(
        self, ids: NDArray[np.int32], offsets: NDArray[np.int64]
    ) -> NDArray[np.float64]:
        return NATURAL * self._queries.score_words(ids, offsets)

    @override
    def stepper(self) -> QueryStepper:
        return QueryStepper(self.order, self._queries.find("</s>"), self._query)

    def _query(self, ngrams: NDArray[np.int32]) -> NDArray[np.float64]:
        """Natural-log probability (n,) of the last words of n-grams (n, order), in order."""
        return NATURAL * self._queries.score_ngrams(ngrams)
