"""Which source word each word of a lattice's phrases belongs to, as joint models ask.

The rule of Devlin et al. (2014, section 2.1): the source word that a word is linked with; of
several the middle one, the left of two; without a link that of the nearest linked word, the right
one of two. In a lattice the neighbours of a phrase differ from path to path, so that only words of
the same phrase count as near; in a phrase without any link the words lie as on a diagonal.
"""

import numpy as np
from numpy.typing import NDArray

from nlmt.errors import InputError
from nlmt.io.lattice import Lattice


def phrase_positions(lattice: Lattice) -> NDArray[np.int32]:
    """(W,) position in the source sentence of each of `lattice.word_ids`.

    Raises:
        InputError: the lattice does not tell which source words its phrases translate.
    """
    lengths = np.diff(lattice.word_offsets)
    spans = lattice.spans.astype(np.int64)
    sizes = spans[:, 1] - spans[:, 0]
    if ((sizes <= 0) & (lengths > 0)).any():
        raise InputError(
            f"the lattice of sentence {lattice.sentence} does not say where its phrases come from",
            hint="a model of source and target needs lattices with source spans, as the decoder's",
        )
    words = len(lattice.word_ids)
    phrase = np.repeat(np.arange(len(lengths)), lengths)
    first = lattice.word_offsets[phrase]
    place = np.arange(words)
    positions = (place - first) * sizes[phrase] // lengths[phrase]
    linked, middle = _middle_links(lattice)
    is_linked = np.zeros(words, bool)
    is_linked[linked] = True
    middles = np.zeros(words, np.int64)
    middles[linked] = middle
    # The nearest linked word at or before, and at or behind; far off where there is none.
    before = np.maximum.accumulate(np.where(is_linked, place, -1))
    behind = np.minimum.accumulate(np.where(is_linked, place, words)[::-1])[::-1]
    far = 2 * words
    left = np.where(before >= first, place - before, far)
    right = np.where(behind < first + lengths[phrase], behind - place, far)
    nearest = np.where(right <= left, behind, before)
    has_links = np.minimum(left, right) < far
    positions[has_links] = middles[nearest[has_links]]
    result: NDArray[np.int32] = (positions + spans[phrase, 0]).astype(np.int32)
    return result


def _middle_links(lattice: Lattice) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """The linked ones of all phrases' words, and the middle of the source words of each."""
    phrase = np.repeat(np.arange(len(lattice.spans)), np.diff(lattice.point_offsets))
    points = lattice.points.astype(np.int64)
    links = np.column_stack([lattice.word_offsets[phrase] + points[:, 1], points[:, 0]])
    links = np.unique(links, axis=0)
    words, starts, counts = np.unique(links[:, 0], return_index=True, return_counts=True)
    return words, links[starts + (counts - 1) // 2, 1]
