"""The source position of each word of a lattice's phrases, for models that see the source.

In a lattice the neighbours of a phrase differ from path to path, so that each phrase is treated as
a separate sentence pair with its own links, by the affiliation of Devlin et al. (2014, section 2.1;
`nlmt.io.affiliation`): only words of the same phrase count as near, and the words of a phrase
without any link are put on the diagonal.
"""

import numpy as np
from numpy.typing import NDArray

from nlmt.errors import InputError
from nlmt.io.affiliation import affiliate
from nlmt.io.lattice import Lattice
from nlmt.io.links import WordLinks


def phrase_positions(lattice: Lattice) -> NDArray[np.int32]:
    """Position (W,) in the source sentence of each of `lattice.word_ids`.

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
    positions = affiliate(_phrase_links(lattice), np.maximum(sizes, 0), lengths)
    ends = lattice.word_offsets[1:] + np.arange(len(lengths))  # of phrases, not of the sentence
    return np.delete(positions, ends) + np.repeat(firsts, lengths)


def _phrase_links(lattice: Lattice) -> WordLinks:
    """The links of all phrases, each relative to its phrase."""
    phrase = np.repeat(np.arange(len(lattice.spans)), np.diff(lattice.point_offsets))
    # By phrase, target and source position, without duplicates.
    links = np.unique(np.column_stack([phrase, lattice.points[:, ::-1]]), axis=0)
    offsets = np.searchsorted(links[:, 0], np.arange(len(lattice.spans) + 1))
    positions = np.ascontiguousarray(links[:, :0:-1], np.int32)  # source and target again
    return WordLinks(positions, offsets.astype(np.int64))
