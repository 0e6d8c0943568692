"""The source side of texts: sentences, and the word of theirs that each target word belongs to."""

import hashlib
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from nlmt.errors import InputError
from nlmt.language_model import SourcePlaces
from nlmt.neural import _kernel
from nlmt.neural.affiliation import ALIGNMENT_MEND, read_affiliation
from nlmt.neural.data import BEGIN_ID, END_ID, Corpus, Texts, read_corpus
from nlmt.vocabulary import Vocabulary


@dataclass(frozen=True)
class SourceFiles:
    """The source side of a text, as files.

    Attributes:
        text: the source sentences, line for line.
        alignment: the links `0-0 1-2` of each sentence pair, source-target.
    """

    text: Path | str
    alignment: Path | str


@dataclass(frozen=True, eq=False)
class SourceSide:
    """What the sentences of a text were translated from.

    Attributes:
        text: as many sentences as the target has.
        position: (events of the target,) place in its source sentence that each is affiliated with.
    """

    text: Corpus
    position: NDArray[np.int32]

    @classmethod
    def read(cls, files: SourceFiles, vocabulary: Vocabulary, target: Corpus) -> "SourceSide":
        """Read the source side of a target text.

        Raises:
            InputError: another number of lines than the target has; a bad link, with its line.
        """
        text = read_corpus(files.text, vocabulary, at_least=1)
        if text.sentences != target.sentences:
            what = f"{text.sentences} lines, but the target text has {target.sentences}"
            raise InputError(what, path=files.text, mend="give texts that are line for line")
        lengths = (np.diff(one.begins) - 1 for one in (text, target))
        return cls(text, read_affiliation(files.alignment, *lengths))

    def places(self, target: Corpus) -> SourcePlaces:
        """Of all words and sentence ends of the target text."""
        of = np.repeat(np.arange(target.sentences, dtype=np.int32), np.diff(target.begins))
        return SourcePlaces(self.text.ids, self.text.offsets, of, self.position)

    def windows(
        self, sentences: NDArray[np.int64], events: NDArray[np.int64], side: int, shift: int
    ) -> NDArray[np.int32]:
        """Source words (n, 2 side + 1) around where events of the target belong, `shift` added."""
        places = self.text.begins[sentences] + self.position[events]
        return _kernel.source_windows(self.text.stream, places, side, BEGIN_ID, END_ID, shift)

    def fingerprint(self) -> str:
        """SHA-256 of text and affiliation."""
        affiliation = hashlib.sha256(np.ascontiguousarray(self.position).data)
        return f"{self.text.fingerprint()} {affiliation.hexdigest()}"
