"""The source word that each target word belongs to, from the links of a word alignment.

Devlin et al. 2014, section 2.1: a target word is affiliated with the source word that it is linked
with; of several with the middle one, the left of two; without a link with that of the nearest
linked target word, the right one of two. `</s>` is affiliated with the end of the source. In a
sentence without any link the words are affiliated as if they lay on a diagonal.
"""

from itertools import islice
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from nlmt.errors import InputError
from nlmt.io.files import read_lines
from nlmt.io.nbest import NbestList
from nlmt.neural import _kernel

# Lines of links that are in memory at the same time.
LINES = 1 << 16

ALIGNMENT_MEND = (
    "links are source-target from 0, 0-0 1-2, of the words as these texts have them, line for line"
)
NBEST_MEND = (
    "decode with -print-alignment-info-in-n-best; our workflow does where a model that rescores "
    "has a source"
)


def read_affiliation(
    path: Path | str, source_lengths: NDArray[np.int64], target_lengths: NDArray[np.int64]
) -> NDArray[np.int32]:
    """Read the links of sentence pairs, a line each.

    Args:
        path: lines `0-0 1-2`, source and target word.
        source_lengths: (pairs,) words of each source sentence.
        target_lengths: (pairs,) words of each target sentence.

    Returns:
        (target words + pairs,) position in its source sentence of each target word and `</s>`.

    Raises:
        InputError: a malformed link, or one that leads out of either sentence, with its line;
            more or fewer lines than sentence pairs.
    """
    parts = [np.zeros(0, dtype=np.int32)]
    lines, done = read_lines(path), 0
    while block := list(islice(lines, LINES)):
        end = done + len(block)
        if end > len(source_lengths):
            what = f"goes on after the {len(source_lengths)} lines of the texts"
            raise InputError(what, path=path, line=len(source_lengths) + 1, mend=ALIGNMENT_MEND)
        encoded = [line.encode() for line in block]
        starts = np.cumsum([0, *map(len, encoded)])
        lengths = source_lengths[done:end], target_lengths[done:end]
        positions, bad, what = _kernel.affiliate(b"".join(encoded), starts, *lengths, False)
        if bad >= 0:
            raise InputError(what, path=path, line=done + bad + 1, mend=ALIGNMENT_MEND)
        parts.append(positions)
        done = end
    if done < len(source_lengths):
        what = f"ends after {done} lines, while the texts have {len(source_lengths)}"
        raise InputError(what, path=path, mend=ALIGNMENT_MEND)
    return np.concatenate(parts)


def nbest_affiliation(
    nbest: NbestList, source_lengths: NDArray[np.int64], *, path: Path | str, first_line: int = 1
) -> NDArray[np.int32]:
    """The same for the hypotheses of an n-best list, by what stands behind their totals.

    That is `0-0 1-1`, links; or `0-1=0-1`, phrases, each word of which is linked with all of the
    other side; or both in columns of their own, of which the links count.

    Args:
        nbest: a list, or a block of one, read with its alignments.
        source_lengths: (N,) words of the source sentence of each hypothesis.
        path: of the list, for errors.
        first_line: of the block, for errors.

    Raises:
        InputError: a hypothesis without alignment, or with one that does not fit; with its line.
    """
    assert nbest.alignments is not None
    assert nbest.alignment_offsets is not None
    lengths = np.diff(nbest.offsets)
    without = np.flatnonzero((np.diff(nbest.alignment_offsets) == 0) & (lengths > 0))
    positions, bad, what = _kernel.affiliate(
        nbest.alignments, nbest.alignment_offsets, source_lengths, lengths, True
    )
    if without.size and (bad < 0 or without[0] < bad):
        bad, what = int(without[0]), "no word alignment, which a model with a source needs"
    if bad >= 0:
        raise InputError(what, path=path, line=first_line + bad, mend=NBEST_MEND)
    return positions
