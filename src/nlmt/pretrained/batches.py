"""Sequences of sub-words, cut to a model's context and batched by similar lengths."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass


@dataclass(frozen=True)
class Window:
    """A part of a sequence that a model sees at once.

    Attributes:
        sequence: its number.
        part: number of the window within the sequence.
        ids: of its sub-words.
        first: index in `ids` of the first sub-word to score; at least 1.
    """

    sequence: int
    part: int
    ids: Sequence[int]
    first: int


def windows(sequences: Sequence[Sequence[int]], most: int | None) -> Iterator[Window]:
    """Cut sequences into windows of at most `most` ids; every id but the first is scored once.

    Windows after the first begin with as many ids of context as fit into half of one.
    """
    for number, ids in enumerate(sequences):
        size = len(ids) if most is None else most
        yield Window(number, 0, ids[:size], 1)
        context = size // 2
        starts = range(size, len(ids), size - context)
        for part, done in enumerate(starts, start=1):
            yield Window(number, part, ids[done - context : done + size - context], context)


def batches(rows: Sequence[Window], most: int) -> Iterator[list[Window]]:
    """Windows by falling length, in non-empty batches of at most `most` ids including padding.

    The longest ones come first, so that lack of memory shows at once.
    """
    batch: list[Window] = []
    for row in sorted(rows, key=lambda row: -len(row.ids)):
        if batch and (len(batch) + 1) * len(batch[0].ids) > most:
            yield batch
            batch = []
        batch.append(row)
    if batch:
        yield batch
