"""A transformer's memory of many sentences, in which common beginnings are stored once."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray


@dataclass(frozen=True, eq=False)
class Prefixes:
    """The words so far of n sentences, which may be of different lengths and share beginnings.

    The memories of words are in blocks, one row per word, that are never changed: taking, joining
    and extending change only indices. A block is freed when no index refers to it.

    Attributes:
        blocks: arrays that only the reader interprets.
        block: (n, longest) the block of each word; -1 before the first.
        row: (n, longest) its row there.
    """

    blocks: tuple[Any, ...]
    block: NDArray[np.int32]
    row: NDArray[np.int32]

    @classmethod
    def empty(cls, n: int) -> "Prefixes":
        """The empty prefixes of n sentences."""
        none = np.zeros((n, 0), dtype=np.int32)
        return cls((), none, none)

    def __len__(self) -> int:
        return len(self.block)

    @property
    def lengths(self) -> NDArray[np.int64]:
        """Number of words (n,)."""
        lengths: NDArray[np.int64] = np.count_nonzero(self.block >= 0, axis=1)
        return lengths

    def __getitem__(self, rows: NDArray[np.integer] | NDArray[np.bool_]) -> "Prefixes":
        """Some of the sentences, each any number of times."""
        block, row = self.block[rows], self.row[rows]
        longest = int(np.count_nonzero((block >= 0).any(axis=0)))
        block, row = block[:, block.shape[1] - longest :], row[:, row.shape[1] - longest :]
        used = np.bincount(block.ravel() + 1, minlength=len(self.blocks) + 1)[1:] > 0
        # The last one is for -1.
        number = np.append(np.cumsum(used) - 1, -1).astype(np.int32)
        blocks = tuple(one for one, some in zip(self.blocks, used, strict=True) if some)
        return Prefixes(blocks, number[block], row)

    @staticmethod
    def join(parts: Sequence["Prefixes"]) -> "Prefixes":
        """The sentences of several prefixes, at least one."""
        blocks = {id(one): one for part in parts for one in part.blocks}
        number = {key: place for place, key in enumerate(blocks)}
        longest = max(part.block.shape[1] for part in parts)
        block, row = [], []
        for part in parts:
            front = ((0, 0), (longest - part.block.shape[1], 0))
            own = np.array([*(number[id(one)] for one in part.blocks), -1], dtype=np.int32)
            block.append(np.pad(own[part.block], front, constant_values=-1))
            row.append(np.pad(part.row, front))
        return Prefixes(tuple(blocks.values()), np.concatenate(block), np.concatenate(row))

    def and_then(self, words: Any) -> "Prefixes":
        """Append one word to each sentence: a block with its rows."""
        n = len(self)
        block = np.full((n, 1), len(self.blocks), dtype=np.int32)
        row = np.arange(n, dtype=np.int32)[:, None]
        return Prefixes(
            (*self.blocks, words), np.hstack([self.block, block]), np.hstack([self.row, row])
        )

    def indices(self) -> list[tuple[Any, NDArray[np.int64], NDArray[np.int64]]]:
        """Each block, its rows in use, and their indices in (longest, n), flattened."""
        block, row = self.block.T.ravel(), self.row.T.ravel().astype(np.int64)
        order = np.argsort(block, kind="stable")
        ends = np.searchsorted(block[order], np.arange(-1, len(self.blocks)), side="right")
        return [
            (one, row[order[begin:end]], order[begin:end])
            for one, begin, end in zip(self.blocks, ends[:-1], ends[1:], strict=True)
        ]


def join_rows(parts: Sequence[Any]) -> Any:
    """The rows of several parts of a memory: arrays, or prefixes."""
    if isinstance(parts[0], Prefixes):
        return Prefixes.join(parts)
    return np.concatenate(parts)
