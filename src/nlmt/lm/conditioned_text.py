"""Texts with their source sides, for models that are conditioned on the source."""

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from nlmt.errors import InputError
from nlmt.io.affiliation import read_affiliation
from nlmt.io.files import read_lines
from nlmt.lm.protocol import (
    LanguageModel,
    SourceModel,
    SourcePositions,
    is_conditioned,
    linked_words,
    number_words,
)
from nlmt.vocabulary import split_lines


@dataclass(frozen=True, eq=False)
class ConditionedText:
    """Sentences and their sources, with the words of both numbered by a model.

    Attributes:
        ids: words of all sentences, concatenated, without `<s>` and `</s>`.
        offsets: (sentences + 1,); sentence i is ids[offsets[i]:offsets[i + 1]].
        source: source sentence i is that of sentence i.
    """

    ids: NDArray[np.int32]
    offsets: NDArray[np.int64]
    source: SourcePositions

    @classmethod
    def read(
        cls,
        model: SourceModel,
        text: Path | str,
        source: Path | str,
        alignment: Path | str | None = None,
    ) -> "ConditionedText":
        """Read a text and its source, line for line.

        Texts have a sentence a line, the alignment its links `0-0 1-2`, for a model that needs
        them.

        Raises:
            InputError: a text without a line; another number of lines in one of the files; an
                alignment that is missing, superfluous or malformed.
        """
        if model.needs_alignment and alignment is None:
            what = "the model needs the alignment of this text"
            raise InputError(what, path=source, hint="give links 0-0 1-2, line for line")
        if not model.needs_alignment and alignment is not None:
            what = "an alignment has no effect: the model sees whole source sentences"
            raise InputError(what, path=alignment, hint="leave alignments out")
        ids, offsets = number_words(model, read_lines(text))
        if len(offsets) == 1:
            raise InputError("a text without a line", path=text, hint="give a longer text")
        source_words, source_offsets = split_lines(read_lines(source))
        if len(source_offsets) != len(offsets):
            what = f"{len(source_offsets) - 1} lines, but the target text has {len(offsets) - 1}"
            raise InputError(what, path=source, hint="give texts that are line for line")
        begins, source_begins = (each + np.arange(len(each)) for each in (offsets, source_offsets))
        position = np.zeros(begins[-1], np.int32)
        if alignment is not None:
            linked = linked_words(model)
            position = read_affiliation(alignment, source_begins, begins, linked=linked)
            position = position.astype(np.int32)
        of = np.repeat(np.arange(len(offsets) - 1, dtype=np.int32), np.diff(begins))
        source_ids = model.lookup_source(source_words)
        return cls(ids, offsets, SourcePositions(source_ids, source_offsets, of, position))

    @property
    def begins(self) -> NDArray[np.int64]:
        """First event of each sentence (sentences + 1,); events are its words and `</s>`."""
        return self.offsets + np.arange(len(self.offsets))

    def blocks(self, sentences: int) -> Iterator["ConditionedText"]:
        """Blocks of so many sentences; the last one may be shorter."""
        begins, source = self.begins, self.source
        for first in range(0, len(self.offsets) - 1, sentences):
            last = min(first + sentences, len(self.offsets) - 1)
            words, source_words = (
                slice(offsets[first], offsets[last]) for offsets in (self.offsets, source.offsets)
            )
            events = slice(begins[first], begins[last])
            yield ConditionedText(
                self.ids[words],
                self.offsets[first : last + 1] - words.start,
                SourcePositions(
                    source.ids[source_words],
                    source.offsets[first : last + 1] - source_words.start,
                    source.of[events] - np.int32(first),
                    source.position[events],
                ),
            )


def read_given(
    model: LanguageModel,
    text: Path | str,
    source: Path | str,
    alignment: Path | str | None = None,
) -> tuple[SourceModel, ConditionedText]:
    """A model that is conditioned on the source, and a text with its source.

    Raises:
        InputError: the model is not conditioned on the source; or as in `ConditionedText.read`.
    """
    if not is_conditioned(model):
        what = "the model is not conditioned on the source"
        raise InputError(what, hint="leave source and alignment out")
    return model, ConditionedText.read(model, text, source, alignment)
