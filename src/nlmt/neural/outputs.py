"""The output layers in torch, each standing on its structure."""

from collections.abc import Sequence

import numpy as np
import torch
from torch import Tensor, nn
from torch.nn import functional

from nlmt.neural.direct_features import Direct
from nlmt.neural.short_list import ShortList
from nlmt.neural.structure import Structure
from nlmt.neural.word_classes import WordClasses
from nlmt.neural.word_tree import WordTree


class Output(nn.Module):
    """What every output layer answers.

    Its activations have numbers, those of its rows, under `Direct`.
    """

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
        logits = functional.linear(hidden, self.output_weight, self.output_bias)  # (batch, V)
        if direct is not None:
            logits = logits + direct.activations(torch.arange(logits.shape[1]))
        return logits.gather(1, self.rows(words)[:, None]).squeeze(1), torch.logsumexp(
            logits, 1, keepdim=True
        )


class ShortListOutput(FullOutput):
    """One softmax over the words of a short-list; other words have no row."""

    place: Tensor

    def __init__(self, structure: ShortList, dim: int) -> None:
        super().__init__(structure, dim)
        self.register_buffer("place", torch.from_numpy(structure.place.astype(np.int64)))

    def rows(self, words: Tensor) -> Tensor:
        """See `FullOutput`."""
        return self.place[words]


class ClassOutput(Output):
    """p(class | h) p(word | class, h), each a softmax."""

    class_of: Tensor
    members: Tensor
    by_class: Tensor
    place: Tensor

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
        self.register_buffer("members", torch.from_numpy(members))  # (K, largest), -1 is padding
        self.register_buffer("by_class", torch.from_numpy(order))
        self.register_buffer("place", torch.from_numpy(place[np.argsort(order)]))  # within class
        self._sizes: list[int] = sizes.tolist()

    def scores(
        self, hidden: Tensor, words: Tensor, direct: Direct | None = None
    ) -> tuple[Tensor, Tensor]:
        """See `Output`; a word that is alone in its class has no second layer."""
        count = len(self._sizes)
        classes = self.class_of[words]
        logits = functional.linear(hidden, self.class_weight, self.class_bias)  # (batch, K)
        if direct is not None:
            logits = logits + direct.activations(torch.arange(count))
        of_class = logits.gather(1, classes[:, None]).squeeze(1)
        # Examples in the order of their classes: for each class one product with its own words.
        # Splitting once, and not a slice for each class, keeps the gradients of the whole single.
        order = torch.argsort(classes, stable=True)
        examples = torch.bincount(classes, minlength=count).tolist()
        parts = zip(
            torch.split(hidden[order], examples),
            torch.split(self.word_weight[self.by_class], self._sizes),
            torch.split(self.word_bias[self.by_class], self._sizes),
            torch.split(self.place[words[order]][:, None], examples),
            self._direct_within(None if direct is None else direct.select(order), examples),
            strict=True,
        )
        own, log_z = [], []
        for those, weight, bias, place, extra in parts:
            if not len(those):
                continue
            if len(bias) == 1:
                own.append(hidden.new_zeros(len(those)))
                log_z.append(hidden.new_zeros(len(those)))
                continue
            within = functional.linear(those, weight, bias)  # (examples, words of the class)
            if extra is not None:
                within = within + extra
            own.append(within.gather(1, place).squeeze(1))
            log_z.append(torch.logsumexp(within, 1))
        back = torch.argsort(order)
        normalisers = torch.stack([torch.logsumexp(logits, 1), torch.cat(log_z)[back]], 1)
        return of_class + torch.cat(own)[back], normalisers

    def _direct_within(self, direct: Direct | None, examples: list[int]) -> Sequence[Tensor | None]:
        """What is added to the words of each class (examples, words), for examples sorted by it."""
        if direct is None:
            return [None] * len(examples)
        sizes = torch.tensor(self._sizes)
        first = len(sizes) + torch.cumsum(sizes, 0) - sizes  # activation of the first word
        numbers = torch.tensor(examples)
        of_example = sizes.repeat_interleave(numbers)
        begins = first.repeat_interleave(numbers) - (torch.cumsum(of_example, 0) - of_example)
        rows = torch.arange(len(begins)).repeat_interleave(of_example)
        units = begins[rows] + torch.arange(len(rows))
        found = direct.select(rows).activations(units[:, None]).squeeze(1)
        blocks = torch.split(found, (numbers * sizes).tolist())
        return [block.view(-1, size) for block, size in zip(blocks, self._sizes, strict=True)]


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
        nodes, signs = self.nodes[words], self.signs[words]  # (batch, longest)
        logits = torch.einsum("bd,bnd->bn", hidden, self.node_weight[nodes]) + self.node_bias[nodes]
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
