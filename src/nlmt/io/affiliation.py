"""The source word to which each target word belongs, from the links of a word alignment.

Devlin et al. (2014, section 2.1): a target word is affiliated with the source word to which it is
linked; if there are several, with the middle one, or the left of the two middle ones; without a
link, it has the affiliation of the nearest linked target word, the right one of two. `</s>` is
affiliated with the end of the source. In a sentence without any link, words are affiliated along
the diagonal.
"""

import tempfile
from itertools import islice
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from nlmt.errors import InputError
from nlmt.io import _links
from nlmt.io.files import read_lines
from nlmt.io.links import WordLinks, parse_links

LINES = 1 << 16  # of links in memory at a time

Positions = NDArray[np.int32] | NDArray[np.uint16]


def affiliate(
    links: WordLinks, source_lengths: NDArray[np.int64], target_lengths: NDArray[np.int64]
) -> NDArray[np.int32]:
    """Position in its source sentence of each target word and `</s>`.

    Args:
        links: of N sentence pairs.
        source_lengths: (N,) words of each source sentence, which is the position of its end.
        target_lengths: (N,) words of each target sentence.

    Returns:
        (target words + N,) positions for the words of each sentence and its `</s>`.
    """
    return _links.affiliate(links.positions, links.offsets, source_lengths, target_lengths)


def read_affiliation(
    path: Path | str,
    source_begins: NDArray[np.int64],
    target_begins: NDArray[np.int64],
    *,
    mapped: bool = False,
) -> Positions:
    """Affiliation from a file of links, one line `0-0 1-2` per sentence pair.

    Args:
        path: the links.
        source_begins: (N + 1,) first event of each source sentence, where the events of a sentence
            are its words and `</s>`.
        target_begins: (N + 1,) first event of each target sentence.
        mapped: whether to put the result into a mapped temporary file, which takes no memory of its
            own.

    Returns:
        (target words + N,), two bytes each unless a source sentence is too long for that.

    Raises:
        InputError: a malformed link, or one outside either sentence, with its line; the number of
            lines is not that of sentence pairs.
    """
    pairs = len(source_begins) - 1
    firsts = range(0, pairs, LINES)
    longest = max((int(np.diff(source_begins[i : i + LINES + 1]).max()) for i in firsts), default=0)
    kind: type[np.uint16] | type[np.int32] = np.uint16 if longest <= 1 << 16 else np.int32
    size = target_begins[-1]
    positions = _mapped(int(size), kind) if mapped else np.empty(size, kind)
    lines, done = read_lines(path), 0
    while block := list(islice(lines, min(LINES, pairs - done))):
        own = slice(done, done + len(block) + 1)
        lengths = np.diff(source_begins[own]) - 1, np.diff(target_begins[own]) - 1
        links = parse_links(block, *lengths, path=path, first_line=done + 1)
        positions[target_begins[own][0] : target_begins[own][-1]] = affiliate(links, *lengths)
        done += len(block)
    more = next(lines, None) is not None
    if done < pairs or more:
        what = f"{'more than ' if more else ''}{done} lines, but there are {pairs} sentence pairs"
        raise InputError(what, path=path, hint="give the alignment of these texts, line for line")
    return positions


def _mapped(size: int, kind: type[np.uint16] | type[np.int32]) -> Positions:
    """Zeros in a temporary file, which is removed with the array."""
    with tempfile.TemporaryFile() as file:
        zeros: Positions = np.asarray(np.memmap(file, kind, "w+", shape=size))
        return zeros
