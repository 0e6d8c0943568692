"""Samples of a text's sentences: seeded, and nested, so that larger ones contain smaller ones.

Every sentence has a rank that depends only on the seed and its number; a sample consists of the
sentences of the lowest ranks. The text is never kept in memory; `sample_lines` reads it several
times.
"""

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from typing import TypeVar

import numpy as np
import numpy.typing as npt

from nlmt.chunks import numbered_chunks
from nlmt.errors import InputError

_BINS = 16  # bits of a rank that are its bin
_CHUNK = 1 << 16

Lines = Callable[[], Iterator[str]]  # each call restarts the text
Ranks = npt.NDArray[np.uint64]
Item = TypeVar("Item")


@dataclass(frozen=True)
class Sample:
    """The size of a sample; if all are None, the whole text.

    Attributes:
        share: of the sentences, above 0 and up to 1.
        sentences: number of sentences.
        tokens: number of tokens; the sentence that reaches it, in the order of ranks, is the last
            one.
    """

    share: float | None = None
    sentences: int | None = None
    tokens: int | None = None


def sample_lines(lines: Lines, sample: Sample, *, seed: int) -> Iterator[str]:
    """The sampled lines, in the order of the text.

    Raises:
        InputError: the text has fewer sentences or tokens than the sample.
    """
    if sample == Sample():
        return lines()
    highest = _highest_rank(lines, sample, seed)
    return (
        line
        for chunk, ranks in _ranked(lines, seed)
        for line, rank in zip(chunk, ranks, strict=True)
        if rank <= highest
    )


def share_of(
    items: Iterable[Item], *, share: float = 1.0, seed: int = 1, first: int = 0
) -> Iterator[Item]:
    """Yield about this share of a text in one pass: the sentences of the lowest ranks.

    The text may begin with any sentence, `first`, of the whole text, counted from 0.
    """
    if share == 1:
        yield from items
        return
    limit = np.uint64(share * 2.0**64)
    for number, chunk in numbered_chunks(items, _CHUNK, first):
        for item, rank in zip(chunk, ranks_of(number, len(chunk), seed), strict=True):
            if rank < limit:
                yield item


def ranks_of(first: int, count: int, seed: int) -> Ranks:
    """Ranks of consecutive sentences: all different, and pseudo-random.

    The numbers are mixed by SplitMix64 (Steele, Lea and Flood 2014), which is a bijection.
    """
    with np.errstate(over="ignore"):
        numbers = np.arange(first + 1, first + count + 1, dtype=np.uint64)
        return _mix(numbers * np.uint64(0x9E3779B97F4A7C15) + _mix(np.uint64(seed)))


def _mix(value: npt.NDArray[np.uint64] | np.uint64) -> Ranks:
    with np.errstate(over="ignore"):
        value = (value ^ (value >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
        value = (value ^ (value >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
        return np.asarray(value ^ (value >> np.uint64(31)))


def _ranked(lines: Lines, seed: int) -> Iterator[tuple[list[str], Ranks]]:
    """The text in chunks, with the rank of each line."""
    for first, chunk in numbered_chunks(lines(), _CHUNK):
        yield chunk, ranks_of(first, len(chunk), seed)


def _sizes(chunk: list[str], sample: Sample) -> npt.NDArray[np.int64]:
    """The contribution of each line to the sample's size: 1, or its number of tokens."""
    if sample.tokens is None:
        return np.ones(len(chunk), dtype=np.int64)
    return np.array([len(line.split()) for line in chunk], dtype=np.int64)


def _highest_rank(lines: Lines, sample: Sample, seed: int) -> np.uint64:
    """The rank of the last sentence of a sample.

    One pass over the text finds its bin, a second one its place within the bin.
    """
    totals = np.zeros(1 << _BINS, dtype=np.int64)
    for chunk, ranks in _ranked(lines, seed):
        bins = (ranks >> np.uint64(64 - _BINS)).astype(np.int64)
        np.add.at(totals, bins, _sizes(chunk, sample))
    total = int(totals.sum())
    wanted = _wanted(sample, total)
    sums = np.cumsum(totals)
    chosen = int(np.searchsorted(sums, wanted))
    before = int(sums[chosen - 1]) if chosen else 0
    found: list[Ranks] = []
    sizes: list[npt.NDArray[np.int64]] = []
    for chunk, ranks in _ranked(lines, seed):
        inside = (ranks >> np.uint64(64 - _BINS)).astype(np.int64) == chosen
        found.append(ranks[inside])
        sizes.append(_sizes([chunk[place] for place in np.flatnonzero(inside)], sample))
    ranks = np.concatenate(found)
    order = np.argsort(ranks)
    place = np.searchsorted(before + np.cumsum(np.concatenate(sizes)[order]), wanted)
    return np.uint64(ranks[order][place])


def _wanted(sample: Sample, total: int) -> int:
    """Number of sentences or tokens of a sample from a total."""
    unit = "sentences" if sample.tokens is None else "tokens"
    wanted = sample.sentences if sample.tokens is None else sample.tokens
    if sample.share is not None:
        wanted = max(1, round(sample.share * total))
    assert wanted is not None
    if wanted > total:
        raise InputError(f"a sample of {wanted} {unit} of a text of {total}")
    return wanted
