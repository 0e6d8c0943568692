"""The tuples of word-aligned sentence pairs, with the source unfolded into the target's order.

After Crego, Mariño and de Gispert (2005) and Mariño et al. (Computational Linguistics 32, 2006):
the sequence of the smallest bilingual units that no link leaves, whose target words are contiguous
and in order. The rules for words without links are in docs/tuples.md.
"""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

from nlmt.io.links import WordLinks
from nlmt.tuples import _tuples
from nlmt.tuples.tokens import escape
from nlmt.vocabulary import split_lines


@dataclass(frozen=True, eq=False)
class Sentences:
    """N sentences as numbers.

    Attributes:
        words: the word of each number.
        ids: the words of all sentences, concatenated.
        offsets: (N + 1,); sentence i is ids[offsets[i]:offsets[i + 1]].
    """

    words: Sequence[str]
    ids: NDArray[np.int32]
    offsets: NDArray[np.int64]

    def __len__(self) -> int:
        """N."""
        return len(self.offsets) - 1

    @property
    def lengths(self) -> NDArray[np.int64]:
        """Number of words of each sentence (N,)."""
        return np.diff(self.offsets)

    def lines(self) -> Iterator[str]:
        """The sentences, with words separated by single spaces."""
        words = [self.words[i] for i in self.ids.tolist()]
        for begin, end in pairwise(self.offsets.tolist()):
            yield " ".join(words[begin:end])


def encode(lines: Iterable[str]) -> Sentences:
    """Encode tokenised text (`split_fields`)."""
    words, offsets = split_lines(lines)
    known: dict[str, int] = {}
    ids = [known.setdefault(word, len(known)) for word in words]
    return Sentences(list(known), np.array(ids, np.int32), offsets)


def unfold(
    source: Sentences, target: Sentences, links: WordLinks, of: NDArray[np.int32] | None = None
) -> Sentences:
    """The tuples of each target sentence and its source, as words (`nlmt.tuples.tokens`).

    Args:
        source: S sentences.
        target: N sentences.
        links: of N pairs.
        of: (N,) number of the source sentence of each target sentence; None: the same number.
    """
    if of is None:
        of = np.arange(len(target), dtype=np.int32)
    ids, offsets, words, sizes = _tuples.unfold(
        source.ids,
        source.offsets,
        of,
        target.ids,
        target.offsets,
        links.positions,
        links.offsets,
    )
    source_words, target_words = ([*map(escape, side.words)] for side in (source, target))
    tokens = []
    flat, at = words.tolist(), 0
    for sources, targets in sizes.tolist():
        middle, end = at + sources, at + sources + targets
        left = "_".join([source_words[i] for i in flat[at:middle]])
        tokens.append(f"{left}={'_'.join([target_words[i] for i in flat[middle:end]])}")
        at = end
    return Sentences(tokens, ids, offsets)
