"""The output layers in torch, each standing on its structure.

Words may be given on the CPU whatever the device of the hidden vectors: what they say about shapes
is then worked out without waiting for the device.
"""

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
import torch
from torch import Tensor, nn
from torch.nn import functional

from nlmt.neural.direct_features import Direct
from nlmt.neural.short_list import ShortList
from nlmt.neural.structure import Structure
from nlmt.neural.word_classes import WordClasses
from nlmt.neural.word_tree import WordTree


def rows_of(weight: Tensor, rows: Tensor, *, sparse: bool) -> Tensor:
    """Rows of a table (n, dim); with `sparse` the gradient has these rows alone."""
    rows = rows.to(weight.device, non_blocking=True)
    return functional.embedding(rows, weight, sparse=sparse)


def scores_of(hidden: Tensor, weight: Tensor, bias: Tensor) -> Tensor:
    """Hidden weight^T + bias for matrices or batches of them; bias (rows,) or (batch, 1, rows).

    Under autocast the product alone has the lower precision: a bias is the logarithm of a
    probability, and normalisers are sums of many small numbers.
    """
    product = hidden @ weight.mT
    return (product.float() if product.dtype == torch.bfloat16 else product) + bias


class Output(nn.Module):
    """What every output layer answers.

    Its activations have numbers, those of its rows, under `Direct`.

    Attributes:
        sparse: whether gradients of weights of which a batch takes some rows have these rows alone.
    """

    sparse = False

    def rows_of(self, weight: Tensor, rows: Tensor) -> Tensor:
        """See the function."""
        return rows_of(weight, rows, sparse=self.sparse)

    def scores(
        self, hidden: Tensor, words: Tensor, direct: Direct | None = None
    ) -> tuple[Tensor, Tensor]:
        """Unnormalised scores (batch,) of `words` (batch,), and log normalisers (batch, layers).

        `direct` adds to the activations what the n-grams before the words give.
        """
        raise NotImplementedError

    def log_probabilities(
        self, hidden: Tensor, words: Tensor, direct: Direct | None = None
    ) -> Tensor:
        """Natural-log probability (batch,) of each of `words` (batch,)."""
        scores, log_z = self.scores(hidden, words, direct)
        return scores - log_z.sum(1)


class FullOutput(Output):
    """One softmax over the vocabulary."""

    def __init__(self, structure: Structure, dim: int) -> None:
        super().__init__()
        self.output_weight = nn.Parameter(torch.zeros(structure.count, dim))
        self.output_bias = nn.Parameter(torch.zeros(structure.count))

    def rows(self, words: Tensor) -> Tensor:
        """The rows of words."""
        return words

    def scores(
        self, hidden: Tensor, words: Tensor, direct: Direct | None = None
    ) -> tuple[Tensor, Tensor]:
        """See `Output`."""
        logits = scores_of(hidden, self.output_weight, self.output_bias)  # (batch, V)
        if direct is not None:
            logits = logits + direct.activations(torch.arange(logits.shape[1]))
        rows = self.rows(words.to(hidden.device, non_blocking=True))
        own = logits.gather(1, rows[:, None]).squeeze(1)
        return own, torch.logsumexp(logits, 1, keepdim=True)


class ShortListOutput(FullOutput):
    """One softmax over the words of a short-list; other words have no row."""

    place: Tensor

    def __init__(self, structure: ShortList, dim: int) -> None:
        super().__init__(structure, dim)
        self.register_buffer("place", torch.from_numpy(structure.place.astype(np.int64)))

    def rows(self, words: Tensor) -> Tensor:
        """See `FullOutput`."""
        return self.place[words]


@dataclass(frozen=True, eq=False)
class ClassGroup:
    """Examples of classes with about equally many words and examples in a batch.

    Attributes:
        classes: (C,) of several words each.
        examples: (C, M) places in the batch; padded with any.
        filled: (n,) places of those that are no padding in the flattened `examples`.
    """

    classes: Tensor
    examples: Tensor
    filled: Tensor

    def to(self, device: torch.device) -> "ClassGroup":
        """The same on another device."""
        parts = (self.classes, self.examples, self.filled)
        return ClassGroup(*(part.to(device, non_blocking=True) for part in parts))


class ClassOutput(Output):
    """p(class | h) p(word | class, h), each a softmax.

    Attributes:
        class_of: (V,) of each word.
        members: (K, largest) words of each class, -1 behind the last.
        place: (V,) of each word within its class.
        row: (V,) of each word: behind those of the classes, class by class.
    """

    class_of: Tensor
    members: Tensor
    place: Tensor
    row: Tensor

    def __init__(self, classes: WordClasses, dim: int) -> None:
        super().__init__()
        words = len(classes.of)
        self.class_weight = nn.Parameter(torch.zeros(classes.count, dim))
        self.class_bias = nn.Parameter(torch.zeros(classes.count))
        self.word_weight = nn.Parameter(torch.zeros(words, dim))
        self.word_bias = nn.Parameter(torch.zeros(words))
        self.register_buffer("class_of", torch.from_numpy(classes.of.astype(np.int64)))
        sizes = np.bincount(classes.of, minlength=classes.count)
        members = np.full((classes.count, sizes.max()), -1, dtype=np.int64)
        order = np.argsort(classes.of, kind="stable")
        place = np.arange(words) - np.repeat(np.cumsum(sizes) - sizes, sizes)
        members[classes.of[order], place] = order
        self.register_buffer("members", torch.from_numpy(members))
        behind = np.argsort(order)  # how many words stand before each, class by class
        self.register_buffer("place", torch.from_numpy(place[behind]))
        self.register_buffer("row", torch.from_numpy(classes.count + behind))
        # On the CPU, for shapes.
        self._classes = torch.from_numpy(classes.of.astype(np.int64))
        self._sizes = torch.from_numpy(sizes)

    def groups(self, words: Tensor) -> Iterator[ClassGroup]:
        """The examples (batch,) whose class has several words, on the CPU.

        Each group is a batch of products of (examples x dim) with (dim x words); numbers of
        examples and of words differ by less than two times in it.
        """
        classes = self._classes[words.cpu()]
        counts = torch.bincount(classes, minlength=len(self._sizes))
        order = torch.argsort(classes, stable=True)
        first = torch.cumsum(counts, 0) - counts
        kinds = torch.frexp(counts.double())[1] * 64 + torch.frexp(self._sizes.double())[1]
        kinds[(counts == 0) | (self._sizes == 1)] = -1
        for kind in torch.unique(kinds).tolist():
            if kind < 0:
                continue
            those = torch.nonzero(kinds == kind).squeeze(1)
            column = torch.arange(int(counts[those].max()))
            filled = column < counts[those][:, None]
            examples = order[(first[those][:, None] + column).clamp(max=len(order) - 1)]
            yield ClassGroup(those, examples, torch.nonzero(filled.flatten()).squeeze(1))

    def scores(
        self, hidden: Tensor, words: Tensor, direct: Direct | None = None
    ) -> tuple[Tensor, Tensor]:
        """See `Output`; a word that is alone in its class has no second layer."""
        device = hidden.device
        on_device = words.to(device, non_blocking=True)
        logits = scores_of(hidden, self.class_weight, self.class_bias)  # (batch, K)
        if direct is not None:
            logits = logits + direct.activations(torch.arange(len(self._sizes)))
        of_class = logits.gather(1, self.class_of[on_device][:, None]).squeeze(1)
        within, log_z = hidden.new_zeros(2, len(words), dtype=logits.dtype).unbind(0)
        for group in self.groups(words):
            members = self.members[:, : int(self._sizes[group.classes].max())]
            group = group.to(device)
            members = members[group.classes]  # (C, words)
            weight = self.rows_of(self.word_weight, members.clamp(min=0))
            bias = self.word_bias[members.clamp(min=0)][:, None]
            inside = scores_of(hidden[group.examples], weight, bias)  # (C, M, words)
            if direct is not None:
                rows = self.row[members.clamp(min=0)][:, None].expand_as(inside).flatten(0, 1)
                extra = direct.select(group.examples.flatten()).activations(rows)
                inside = inside + extra.view_as(inside)
            inside = inside.masked_fill((members < 0)[:, None], -torch.inf).flatten(0, 1)
            inside = inside[group.filled]
            examples = group.examples.flatten()[group.filled]
            place = self.place[on_device[examples]]
            within = within.index_put((examples,), inside.gather(1, place[:, None]).squeeze(1))
            log_z = log_z.index_put((examples,), torch.logsumexp(inside, 1))
        normalisers = torch.stack([torch.logsumexp(logits, 1), log_z], 1)
        return of_class + within, normalisers


class TreeOutput(Output):
    """The product of the sigmoids along the path of a word in a binary tree."""

    nodes: Tensor
    signs: Tensor

    def __init__(self, tree: WordTree, dim: int) -> None:
        super().__init__()
        self.node_weight = nn.Parameter(torch.zeros(tree.count, dim))
        self.node_bias = nn.Parameter(torch.zeros(tree.count))
        lengths = np.diff(tree.starts)
        word = np.repeat(np.arange(tree.words), lengths)
        place = np.arange(len(word)) - tree.starts[:-1][word]
        nodes = np.zeros((tree.words, lengths.max()), dtype=np.int64)
        signs = np.zeros_like(nodes)
        nodes[word, place] = tree.nodes
        signs[word, place] = tree.signs
        self.register_buffer("nodes", torch.from_numpy(nodes))  # (V, longest)
        self.register_buffer("signs", torch.from_numpy(signs))  # 0 is padding

    def scores(
        self, hidden: Tensor, words: Tensor, direct: Direct | None = None
    ) -> tuple[Tensor, Tensor]:
        """See `Output`; a tree is normalised as it is."""
        words = words.to(hidden.device, non_blocking=True)
        nodes, signs = self.nodes[words], self.signs[words]  # (batch, longest)
        weight, bias = self.rows_of(self.node_weight, nodes), self.node_bias[nodes]
        logits = scores_of(hidden[:, None], weight, bias[:, None]).squeeze(1)
        if direct is not None:
            logits = logits + direct.activations(nodes)
        log_p = functional.logsigmoid(signs * logits).masked_fill(signs == 0, 0.0)
        return log_p.sum(1), hidden.new_zeros(len(hidden), 0)


def make_output(structure: Structure, dim: int) -> Output:
    """The output layer that stands on a structure, its parameters zero."""
    if isinstance(structure, WordClasses):
        return ClassOutput(structure, dim)
    if isinstance(structure, WordTree):
        return TreeOutput(structure, dim)
    if isinstance(structure, ShortList):
        return ShortListOutput(structure, dim)
    return FullOutput(structure, dim)
