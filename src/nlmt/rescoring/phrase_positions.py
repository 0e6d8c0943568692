"""The source position of each word of a lattice's phrases, for models that see the source.

In a lattice the neighbours of a phrase differ from path to path, so that each phrase is treated as
a separate sentence pair with its own links, by the affiliation of Devlin et al. (2014, section 2.1;
`nlmt.io.affiliation`): only words of the same phrase count as near, and the words of a phrase
without any link are put on the diagonal.
"""

from collections.abc import Collection, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from nlmt.errors import InputError
from nlmt.io.affiliation import affiliate
from nlmt.io.lattice import Lattice
from nlmt.io.links import WordLinks
from nlmt.lm.protocol import LanguageModel, is_aligned, linked_words

_NOTHING = np.zeros(0, np.int32)


@dataclass(frozen=True, eq=False)
class Places:
    """The source words that models see with the words of several lattices.

    Attributes:
        words: (W,) place of each of the lattices' words; empty if no model needs any.
        ends: (lattices,) place of each `</s>`.
        rows: the positions at each place, by the number of linked words of a model; empty if
            places are positions.
    """

    words: NDArray[np.int32]
    ends: NDArray[np.int32]
    rows: dict[int, NDArray[np.int32]]

    @classmethod
    def of(cls, lattices: Sequence[Lattice], models: Collection[LanguageModel]) -> "Places":
        """The places that the models tell apart.

        Raises:
            InputError: a lattice lacks the source spans of its phrases.
        """
        widths = sorted({linked_words(model) for model in models if is_aligned(model)})
        if not widths:
            return cls(_NOTHING, _NOTHING, {})
        ends = np.array([len(lattice.source) for lattice in lattices], np.int32)
        found = {
            width: np.concatenate([phrase_positions(lattice, width) for lattice in lattices])
            for width in widths
        }
        if widths == [0]:
            return cls(found[0], ends, {})
        columns = [_with_ends(positions, ends) for positions in found.values()]
        _, first, of = np.unique(np.hstack(columns), axis=0, return_index=True, return_inverse=True)
        place = of.astype(np.int32).ravel()
        rows = {width: own[first] for width, own in zip(widths, columns, strict=True)}
        if 0 in rows:
            rows[0] = rows[0][:, 0]
        words = len(place) - len(ends)
        return cls(place[:words], place[words:], rows)

    def seen_by(self, model: LanguageModel) -> NDArray[np.int32] | None:
        """The positions that a model takes at each place; None if places are positions."""
        if not self.rows:
            return None
        if is_aligned(model):
            return self.rows[linked_words(model)]
        return np.zeros(len(next(iter(self.rows.values()))), np.int32)


def _with_ends(positions: NDArray[np.int32], ends: NDArray[np.int32]) -> NDArray[np.int32]:
    """Positions of words and then of ends, in rows of one or more columns."""
    rows = positions.reshape(len(positions), -1)
    last = np.full((len(ends), rows.shape[1]), -1, np.int32)
    last[:, 0] = ends
    return np.concatenate([rows, last])


def phrase_positions(lattice: Lattice, linked: int = 0) -> NDArray[np.int32]:
    """Position (W,) in the source sentence of each of `lattice.word_ids`.

    With `linked`, (W, linked) of the linked words, -1 where there are fewer.

    Raises:
        InputError: the lattice lacks the source spans of its phrases.
    """
    lengths = np.diff(lattice.word_offsets)
    firsts, sizes = lattice.spans[:, 0], np.diff(lattice.spans, axis=1)[:, 0].astype(np.int64)
    if ((sizes <= 0) & (lengths > 0)).any():
        raise InputError(
            f"the lattice of sentence {lattice.sentence} does not say where its phrases come from",
            hint="a model of source and target needs lattices with source spans, as the decoder's",
        )
    positions = affiliate(_phrase_links(lattice), np.maximum(sizes, 0), lengths, linked)
    ends = lattice.word_offsets[1:] + np.arange(len(lengths))  # of phrases, not of the sentence
    positions, shifts = np.delete(positions, ends, axis=0), np.repeat(firsts, lengths)
    return np.where(positions < 0, -1, positions + (shifts[:, None] if linked else shifts))


def _phrase_links(lattice: Lattice) -> WordLinks:
    """The links of all phrases, each relative to its phrase."""
    phrase = np.repeat(np.arange(len(lattice.spans)), np.diff(lattice.point_offsets))
    # By phrase, target and source position, without duplicates.
    links = np.unique(np.column_stack([phrase, lattice.points[:, ::-1]]), axis=0)
    offsets = np.searchsorted(links[:, 0], np.arange(len(lattice.spans) + 1))
    positions = np.ascontiguousarray(links[:, :0:-1], np.int32)  # source and target again
    return WordLinks(positions, offsets.astype(np.int64))
