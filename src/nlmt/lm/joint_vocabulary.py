"""A joint numbering of words for several models; words that no model distinguishes share one."""

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from nlmt.lm.protocol import LanguageModel


class JointVocabulary:
    """Joint ids of words for several models; it grows as words are looked up."""

    def __init__(self, models: Sequence[LanguageModel]) -> None:
        """Create an empty vocabulary for these models."""
        self._models = models
        # Ids of a word in all models; its joint id is its index in this list.
        self._rows: list[tuple[int, ...]] = []
        self._ids: dict[tuple[int, ...], int] = {}

    def lookup(self, words: Sequence[str]) -> NDArray[np.int32]:
        """Ids of `words`, which are equal for words that no model distinguishes."""
        rows = zip(*(model.lookup(words).tolist() for model in self._models), strict=True)
        return np.array([self.add(row) for row in rows], np.int32)

    def add(self, row: tuple[int, ...]) -> int:
        """Joint id of the word that has these ids in the models."""
        known = self._ids.setdefault(row, len(self._rows))
        if known == len(self._rows):
            self._rows.append(row)
        return known

    def of_models(self) -> NDArray[np.int32]:
        """Id of each word in each model (models, words)."""
        return np.array(self._rows, np.int32).reshape(-1, len(self._models)).T.copy()
