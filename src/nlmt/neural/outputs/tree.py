"""Tree-factored output: words as the leaves of a binary tree, a sigmoid for each inner node.

Morin and Bengio 2005, Hierarchical probabilistic neural network language model; Mnih and Hinton
2009, A scalable hierarchical distributed language model; Baltescu and Blunsom 2015, section 2.2.
"""

import heapq
from bisect import bisect_left
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray
from typing_extensions import override

from nlmt.errors import InputError, in_file
from nlmt.neural import _kernel
from nlmt.neural.outputs.classes import need_classes, read_classes, read_rows
from nlmt.neural.outputs.layout import Arrays, OutputArrays, OutputLayout
from nlmt.neural.settings.architecture import Architecture
from nlmt.vocabulary import Vocabulary

if TYPE_CHECKING:
    from torch import nn

HEADER = "word\tpath"


@dataclass(frozen=True, eq=False)
class WordTree(OutputLayout):
    """A binary tree with V - 1 inner nodes, numbered from the root with the left branch first.

    Attributes:
        bits: (V,) path to each word: `0` is left.
    """

    bits: tuple[str, ...]

    keys = ("tree", "min_count")
    normalises = False  # each node is by itself
    decodes = True
    name = "nodes"

    @classmethod
    @override
    def needs_classes(cls, settings: Architecture) -> bool:
        return settings.tree == "brown"

    @classmethod
    @override
    def build(
        cls,
        settings: Architecture,
        vocabulary: Vocabulary,
        counts: NDArray[np.float64],
        classes: Path | str | None,
    ) -> "WordTree":
        if settings.tree == "huffman":
            return cls.huffman(counts)
        return cls.from_paths(need_classes(classes, "its tree"), vocabulary, counts)

    @classmethod
    def from_bits(cls, bits: Sequence[str]) -> "WordTree":
        """The tree with these paths; nodes with only one child are left out.

        Raises:
            InputError: two words with the same path, or a word on the path to another.
        """
        order = sorted(range(len(bits)), key=bits.__getitem__)
        leaves = [bits[i] for i in order]
        paths = [""] * len(bits)
        # Words between low and high share `depth` bits; `path` leads to them in the new tree.
        work = [(0, len(bits), 0, "")]
        while work:
            low, high, depth, path = work.pop()
            if high - low == 1:
                paths[order[low]] = path
                continue
            first, last = leaves[low], leaves[high - 1]
            while depth < len(first) and first[depth] == last[depth]:
                depth += 1
            if depth == len(first):
                raise InputError(f"the path {first!r} leads to more than one word")
            middle = bisect_left(leaves, first[:depth] + "1", low, high)
            work.append((middle, high, depth + 1, path + "1"))
            work.append((low, middle, depth + 1, path + "0"))
        return cls(tuple(paths))

    @classmethod
    def huffman(cls, counts: NDArray[np.float64]) -> "WordTree":
        """The tree with the shortest paths on average, for words with these counts (V,)."""
        return cls.from_bits(huffman_codes(counts))

    @classmethod
    def from_paths(
        cls, path: Path | str, vocabulary: Vocabulary, counts: NDArray[np.float64]
    ) -> "WordTree":
        """Fit the tree of a file of Brown classes (Liang's `paths`) to a vocabulary.

        The words of a class are in a Huffman tree below it. Words that the file does not name,
        among them `<s>`, `</s>` and as a rule `<unk>`, are in a Huffman tree to the right of the
        root, all others to the left.

        Raises:
            InputError: a malformed file, or one that lacks most words of the vocabulary.
        """
        clustering, found, _ = read_classes(path, vocabulary)
        bits = [""] * len(vocabulary)
        for number in np.unique(found).tolist():
            members = np.flatnonzero(found == number)
            stem = "1" if number < 0 else "0" + clustering.bits[number]
            for word, code in zip(members.tolist(), huffman_codes(counts[members]), strict=True):
                bits[word] = stem + code
        return cls.from_bits(bits)

    @classmethod
    @override
    def load(cls, path: Path, vocabulary: Vocabulary, arrays: Arrays) -> "WordTree":
        bits: list[str] = []
        for line, row in read_rows(path, HEADER):
            word, _, code = row.partition("\t")
            if vocabulary.words[line - 2 : line - 1] != (word,) or code.strip("01"):
                what = f"not a word of the vocabulary and its path: {row!r}"
                raise InputError(what, path=path, line=line, hint="it belongs to another model")
            bits.append(code)
        if len(bits) != len(vocabulary):
            what = f"{len(bits)} words instead of {len(vocabulary)}"
            raise InputError(what, path=path, hint="it belongs to another model")
        with in_file(path):
            return cls.from_bits(bits)

    @override
    def rows(self, vocabulary: Vocabulary) -> list[str]:
        pairs = zip(vocabulary.words, self.bits, strict=True)
        return [HEADER, *(f"{word}\t{code}" for word, code in pairs)]

    @property
    @override
    def words(self) -> int:
        return len(self.bits)

    @property
    @override
    def count(self) -> int:
        return len(self.bits) - 1

    @cached_property
    def starts(self) -> NDArray[np.int64]:
        """First index of the path of each word w in `nodes` and `signs` (V + 1,)."""
        lengths = [len(code) for code in self.bits]
        return np.concatenate([[0], np.cumsum(lengths)]).astype(np.int64)

    @cached_property
    def nodes(self) -> NDArray[np.int32]:
        """Inner nodes of all paths, each from the root down."""
        number: dict[str, int] = {}
        # In the order of the leaves, every node first occurs on its leftmost path.
        for code in sorted(self.bits):
            for depth in range(len(code)):
                number.setdefault(code[:depth], len(number))
        return np.array(
            [number[code[:depth]] for code in self.bits for depth in range(len(code))],
            dtype=np.int32,
        )

    @cached_property
    def signs(self) -> NDArray[np.int8]:
        """+1 where the path goes right (sigmoid of the node's logit), -1 where it goes left."""
        bits = np.frombuffer("".join(self.bits).encode(), dtype=np.int8)
        return (2 * (bits - ord("0")) - 1).astype(np.int8)

    @override
    def shapes(self, dim: int) -> dict[str, tuple[int, ...]]:
        return {"node_weight": (self.count, dim), "node_bias": (self.count,)}

    @override
    def unigram_biases(self, counts: NDArray[np.float64]) -> dict[str, NDArray[np.float64]]:
        # The log odds of right and left.
        weights = np.repeat(counts, np.diff(self.starts))
        right, left = (
            np.bincount(self.nodes, weights * (self.signs == sign), minlength=self.count)
            for sign in (1, -1)
        )
        with np.errstate(divide="ignore"):
            return {"node_bias": np.log(right) - np.log(left)}

    @override
    def torch_layer(self, dim: int) -> "nn.Module":
        from nlmt.neural.torch_backend.tree_output import TreeOutput

        return TreeOutput(self.starts, self.nodes, self.signs, self.count, dim)

    @override
    def compiled(self, dim: int) -> _kernel.Output32:
        return _kernel.TreeOutput32(self.starts, self.nodes, self.signs, self.count, dim)

    @classmethod
    @override
    def typical_products(cls, settings: Architecture, words: int) -> int:
        return 20

    @override
    def decoder_arrays(self, parameters: Arrays) -> OutputArrays:
        return OutputArrays(
            parameters["node_weight"],
            parameters["node_bias"],
            path_starts=self.starts,
            path_nodes=self.nodes,
            path_signs=self.signs.astype(np.float32),
        )


def huffman_codes(counts: NDArray[np.float64]) -> list[str]:
    """The Huffman code of each word (Huffman 1952); the code of a single word is empty.

    Among equal counts the later words are joined first, subtrees before words.
    """
    count = len(counts)
    children: list[tuple[int, int]] = []  # of node `count` + i
    heap = [(float(c), -i, i) for i, c in enumerate(counts.tolist())]
    heapq.heapify(heap)
    while len(heap) > 1:
        low, _, right = heapq.heappop(heap)
        high, _, left = heapq.heappop(heap)
        node = count + len(children)
        children.append((left, right))
        heapq.heappush(heap, (low + high, -node, node))
    codes = [""] * (count + len(children))
    for node in range(len(codes) - 1, count - 1, -1):
        for bit, child in zip("01", children[node - count], strict=True):
            codes[child] = codes[node] + bit
    return codes[:count]
