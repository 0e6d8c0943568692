"""The source word to which each target word belongs, from the links of a word alignment.

Devlin et al. (2014, section 2.1): a target word is affiliated with the source word to which it is
linked; if there are several, with the middle one, or the left of the two middle ones; without a
link, it has the affiliation of the nearest linked target word, the right one of two. `</s>` is
affiliated with the end of the source. In a sentence without any link, words are affiliated along
the diagonal.

Instead of the middle word alone, a model may take all source words that are linked (Auli et al.
2013, section 5.2), up to a number, beyond which the middle ones are taken; words without a link
have those of the same nearest target word.
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

Positions = NDArray[np.int32] | NDArray[np.int16] | NDArray[np.uint16]


def affiliate(
    links: WordLinks,
    source_lengths: NDArray[np.int64],
    target_lengths: NDArray[np.int64],
    linked: int = 0,
) -> NDArray[np.int32]:
    """Position in its source sentence of each target word and `</s>`.

    Args:
        links: of N sentence pairs.
        source_lengths: (N,) words of each source sentence, which is the position of its end.
        target_lengths: (N,) words of each target sentence.
        linked: number of linked words to take; 0: the middle one alone.

    Returns:
        (target words + N,) positions for the words of each sentence and its `</s>`; with `linked`,
        (target words + N, linked) rising positions, followed by -1 where there are fewer.
    """
    affiliated = _links.affiliate(links.positions, links.offsets, source_lengths, target_lengths)
    return _linked(links, affiliated, target_lengths, linked) if linked else affiliated


def _linked(
    links: WordLinks,
    affiliated: NDArray[np.int32],
    target_lengths: NDArray[np.int64],
    most: int,
) -> NDArray[np.int32]:
    """Up to `most` linked words of each target word, the affiliated one where nothing is linked."""
    begins = np.concatenate([[0], np.cumsum(target_lengths + 1)])
    pair = np.repeat(np.arange(len(target_lengths)), np.diff(links.offsets))
    event = begins[pair] + links.positions[:, 1]
    count = np.bincount(event, minlength=len(affiliated))
    # Among linked target words, each affiliated with itself, others have the nearest one.
    first = np.flatnonzero(np.diff(event, prepend=-1))
    itself = np.repeat(links.positions[first, 1:], 2, axis=1)
    offsets = np.searchsorted(pair[first], np.arange(len(begins)))
    owner = _links.affiliate(itself, offsets, target_lengths, target_lengths)
    owner = owner + np.repeat(begins[:-1], target_lengths + 1)
    begin = (np.cumsum(count) - count)[owner] + np.maximum(count[owner] - most, 0) // 2
    inside = np.arange(most) < count[owner][:, None]
    at = begin[:, None] + np.arange(most)
    result = np.full(inside.shape, -1, np.int32)
    result[inside] = links.positions[at[inside], 0]
    result[~inside[:, 0], 0] = affiliated[~inside[:, 0]]
    return result


def read_affiliation(
    path: Path | str,
    source_begins: NDArray[np.int64],
    target_begins: NDArray[np.int64],
    *,
    linked: int = 0,
    mapped: bool = False,
) -> Positions:
    """Affiliation from a file of links, one line `0-0 1-2` per sentence pair.

    Args:
        path: the links.
        source_begins: (N + 1,) first event of each source sentence, where the events of a sentence
            are its words and `</s>`.
        target_begins: (N + 1,) first event of each target sentence.
        linked: see `affiliate`.
        mapped: whether to put the result into a mapped temporary file, which takes no memory of its
            own.

    Returns:
        As `affiliate`, two bytes a position unless a source sentence is too long for that.

    Raises:
        InputError: a malformed link, or one outside either sentence, with its line; the number of
            lines is not that of sentence pairs.
    """
    pairs = len(source_begins) - 1
    firsts = range(0, pairs, LINES)
    longest = max((int(np.diff(source_begins[i : i + LINES + 1]).max()) for i in firsts), default=0)
    short: type[np.uint16] | type[np.int16] = np.int16 if linked else np.uint16
    kind = short if longest <= np.iinfo(short).max + 1 else np.int32
    shape = (int(target_begins[-1]), linked) if linked else (int(target_begins[-1]),)
    positions = _mapped(shape, kind) if mapped else np.empty(shape, kind)
    lines, done = read_lines(path), 0
    while block := list(islice(lines, min(LINES, pairs - done))):
        own = slice(done, done + len(block) + 1)
        lengths = np.diff(source_begins[own]) - 1, np.diff(target_begins[own]) - 1
        links = parse_links(block, *lengths, path=path, first_line=done + 1)
        positions[target_begins[own][0] : target_begins[own][-1]] = affiliate(
            links, *lengths, linked
        )
        done += len(block)
    more = next(lines, None) is not None
    if done < pairs or more:
        what = f"{'more than ' if more else ''}{done} lines, but there are {pairs} sentence pairs"
        raise InputError(what, path=path, hint="give the alignment of these texts, line for line")
    return positions


def _mapped(
    shape: tuple[int, ...], kind: type[np.uint16] | type[np.int16] | type[np.int32]
) -> Positions:
    """Zeros in a temporary file, which is removed with the array."""
    with tempfile.TemporaryFile() as file:
        zeros: Positions = np.asarray(np.memmap(file, kind, "w+", shape=shape))
        return zeros
