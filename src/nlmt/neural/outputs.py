"""The output layers in torch, each standing on its structure.

Words may be given on the CPU whatever the device of the hidden vectors: what they say about shapes
is then worked out without waiting for the device.
"""

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
    """Examples of C classes, about as many of each, of about as many words.

    Attributes:
        classes: (C,) of several words each.
        width: words of the largest.
        padded: (C, M) which of the group's examples belong to each class; any number behind them.
        filled: (n,) where each example of the group stands in the flattened `padded`.
    """

    classes: Tensor
    width: int
    padded: Tensor
    filled: Tensor

    def spread(self, values: Tensor) -> Tensor:
        """From values (n, h) of the examples to (C, M, h)."""
        return values.index_select(0, self.padded.flatten()).view(*self.padded.shape, -1)

    def gather(self, values: Tensor) -> Tensor:
        """And back."""
        return values.flatten(0, 1).index_select(0, self.filled)

    def repeat(self, values: Tensor) -> Tensor:
        """From values (C, ...) of the classes to (n, ...) of the examples."""
        return values.index_select(0, self.filled // self.padded.shape[1])

    def to(self, device: torch.device) -> "ClassGroup":
        """The same on another device."""
        classes, padded, filled = (
            part.to(device, non_blocking=True) for part in (self.classes, self.padded, self.filled)
        )
        return ClassGroup(classes, self.width, padded, filled)


@dataclass(frozen=True, eq=False)
class ClassGroups:
    """The examples of a batch whose class has several words, class by class.

    What groups read and give is gathered and put back for all of them at once: the gradient of each
    piece taken out of a whole is as large as the whole.

    Attributes:
        order: (n,) their places in the batch, group by group.
        groups: of which each has the next of them.
    """

    order: Tensor
    groups: list[ClassGroup]

    def split(self, values: Tensor) -> list[Tensor]:
        """Values (n, ...) in that order, group by group."""
        return list(values.split_with_sizes([len(group.filled) for group in self.groups]))

    def to(self, device: torch.device) -> "ClassGroups":
        """The same on another device."""
        order = self.order.to(device, non_blocking=True)
        return ClassGroups(order, [group.to(device) for group in self.groups])


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

    def groups(self, words: Tensor) -> ClassGroups:
        """The examples (batch,) whose class has several words, on the CPU.

        Each group is a batch of products of (examples x dim) with (dim x words); numbers of
        examples and of words differ by less than two times in it.
        """
        classes = self._classes[words.cpu()]
        counts = torch.bincount(classes, minlength=len(self._sizes))
        kinds = torch.frexp(counts.double())[1] * 64 + torch.frexp(self._sizes.double())[1]
        kinds[(counts == 0) | (self._sizes == 1)] = -1
        found = torch.argsort(kinds, stable=True)  # classes
        found = found[int((kinds < 0).sum()) :]
        groups = []
        for those in found.split_with_sizes(
            torch.unique(kinds[found], return_counts=True)[1].tolist()
        ):
            own = counts[those][:, None]
            column = torch.arange(int(own.max()))
            first = torch.cumsum(own, 0) - own
            padded = (first + column).clamp(max=int(own.sum()) - 1)
            filled = torch.nonzero((column < own).flatten()).squeeze(1)
            groups.append(ClassGroup(those, int(self._sizes[those].max()), padded, filled))
        turn = torch.full_like(counts, len(found))  # of each class, the others last
        turn[found] = torch.arange(len(found))
        order = torch.argsort(turn[classes], stable=True)
        return ClassGroups(order[: int(counts[found].sum())], groups)

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
        ordered = self.groups(words).to(device)
        members = [self.members[group.classes, : group.width] for group in ordered.groups]
        inside = self.of_groups(hidden, ordered, members, direct)
        places = ordered.split(self.place[on_device[ordered.order]])
        zeros = torch.zeros_like(of_class)
        own = [one.gather(1, at[:, None])[:, 0] for one, at in zip(inside, places, strict=True)]
        within = zeros.index_copy(0, ordered.order, torch.cat([zeros[:0], *own]))
        sums = torch.cat([zeros[:0], *(torch.logsumexp(one, 1) for one in inside)])
        log_z = zeros.index_copy(0, ordered.order, sums)
        return of_class + within, torch.stack([torch.logsumexp(logits, 1), log_z], 1)

    def of_groups(
        self,
        hidden: Tensor,
        ordered: ClassGroups,
        words: list[Tensor],
        direct: Direct | None = None,
    ) -> list[Tensor]:
        """Scores (n, r) of r words of its class for each example, group by group.

        Args:
            hidden: (batch, h).
            ordered: the groups.
            words: (C, r) of each group, -1 for none, whose scores are minus infinity.
            direct: of the batch.
        """
        sizes = [own.numel() for own in words]
        none = ordered.order[:0]
        every = torch.cat([none, *(own.flatten() for own in words)])
        rows = every.clamp(min=0)
        weights = self.rows_of(self.word_weight, rows).split_with_sizes(sizes)
        biases = self.word_bias.index_select(0, rows).masked_fill(every < 0, -torch.inf)
        states = ordered.split(hidden.index_select(0, ordered.order))
        parts = zip(
            ordered.groups, words, weights, biases.split_with_sizes(sizes), states, strict=True
        )
        scores = [
            group.gather(
                scores_of(
                    group.spread(state), weight.view(*own.shape, -1), bias.view(len(own), 1, -1)
                )
            )
            for group, own, weight, bias, state in parts
        ]
        if direct is None:
            return scores
        extra = direct.select(ordered.order).of_groups(
            [
                self.row[group.repeat(own).clamp(min=0)]
                for group, own in zip(ordered.groups, words, strict=True)
            ]
        )
        return [score + more for score, more in zip(scores, extra, strict=True)]


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
