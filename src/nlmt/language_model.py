"""What every language model answers, whatever is inside it."""

from collections.abc import Sequence
from typing import Protocol, runtime_checkable

import numpy as np
from numpy.typing import NDArray


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
    """A model that also tells what each word adds, as interpolation needs it."""

    def score_words(
        self, ids: NDArray[np.int32], offsets: NDArray[np.int64]
    ) -> NDArray[np.float64]:
        """Natural-log probability (words + sentences,) of each word, `</s>` last in its sentence.

        Args:
            ids: as of `score_sentences`.
            offsets: as of `score_sentences`.
        """
        ...
