"""Word alignments of many sentence pairs as arrays, from bitexts and n-best lists.

A line of an alignment is `0-0 1-2 ...`, source-target, with positions from 0; an n-best list has it
in its last column (the decoder's `-print-alignment-info-in-n-best`).
"""

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from nlmt.errors import InputError
from nlmt.io import _links
from nlmt.io.nbest import NbestList


@dataclass(frozen=True, eq=False)
class WordLinks:
    """The links of N sentence pairs.

    Attributes:
        positions: (L, 2) source and target position of each link; those of a pair sorted by target,
            then source position, distinct, and all within the sentences.
        offsets: (N + 1,); the links of pair i are positions[offsets[i]:offsets[i + 1]].
    """

    positions: NDArray[np.int32]
    offsets: NDArray[np.int64]


def parse_links(
    lines: Sequence[str],
    source_lengths: NDArray[np.int64],
    target_lengths: NDArray[np.int64],
    *,
    path: Path | str,
    first_line: int = 1,
) -> WordLinks:
    """The links of the pairs of a bitext.

    There is a line for each of N pairs, whose sentences have so many words (N,) on each side;
    messages count lines from `first_line`.

    Raises:
        InputError: a malformed link, or one outside its sentences; names file and line.
    """
    encoded = [line.encode() for line in lines]
    starts = np.zeros(len(lines) + 1, np.int64)
    np.cumsum([len(line) for line in encoded], out=starts[1:])
    found = _links.parse(
        b"".join(encoded), starts, source_lengths, target_lengths, str(path), first_line
    )
    return WordLinks(*found)


def check_sentences(nbest: NbestList, sources: int) -> None:
    """Refuse a list with more sentences than the source text.

    Raises:
        InputError: a sentence beyond the source text; names file and line.
    """
    beyond = np.flatnonzero(nbest.sentence >= sources)
    if beyond.size:
        raise InputError(
            f"sentence {nbest.sentence[beyond[0]]}, but the source text has only {sources} lines",
            path=nbest.path,
            line=nbest.first_line + int(beyond[0]),
            hint="sentences are numbered from 0; is this the source of another list?",
        )


def links_of_nbest(nbest: NbestList, source_lengths: NDArray[np.int64]) -> WordLinks:
    """The links between the source sentences and the hypotheses of a list.

    The list is read with `keep_alignments`; `source_lengths` are the words of each source sentence,
    by its number in the list.

    Raises:
        InputError: a hypothesis without alignment, a malformed link, one outside its sentences,
            a sentence beyond the source text; names file and line.
    """
    if nbest.alignments is None or nbest.alignment_offsets is None:
        raise ValueError("the list was read without keep_alignments")
    check_sentences(nbest, len(source_lengths))
    lengths = np.diff(nbest.offsets)
    bare = np.flatnonzero((np.diff(nbest.alignment_offsets) == 0) & (lengths > 0))
    if bare.size:
        raise InputError(
            "a hypothesis without its word alignment",
            path=nbest.path,
            line=nbest.first_line + int(bare[0]),
            hint="decode again with -print-alignment-info-in-n-best",
        )
    found = _links.parse(
        nbest.alignments,
        nbest.alignment_offsets,
        source_lengths[nbest.sentence],
        lengths,
        str(nbest.path),
        nbest.first_line,
    )
    return WordLinks(*found)
