"""A class-factored output in torch: two softmaxes, over the classes and within one of them."""

from dataclasses import dataclass
from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor, nn
from typing_extensions import override

from nlmt.neural.torch_backend.device import any_order, put
from nlmt.neural.torch_backend.direct_features import Direct
from nlmt.neural.torch_backend.noise import Noise, NoiseModel
from nlmt.neural.torch_backend.output import Output, affine, own_and_normaliser
from nlmt.neural.torch_backend.rows import different_rows, numbers_of

# Groups on a GPU have classes whose sizes differ by less than 2^GPU_FACTOR times.
GPU_FACTOR = 2


@dataclass(frozen=True, eq=False)
class ClassGroup:
    """Examples of C classes that have similar numbers of examples and of words.

    Attributes:
        classes: (C,) each of several words.
        width: number of words of the largest class.
        padded: (C, M) which of the group's examples belong to each class; then arbitrary numbers.
        filled: (n,) index of each example of the group in the flattened `padded`.
    """

    classes: Tensor
    width: int
    padded: Tensor
    filled: Tensor

    def spread(self, values: Tensor) -> Tensor:
        """Rearrange values (n, h) of the examples as (C, M, h)."""
        spread: Tensor = _Spread.apply(values, self.padded, self.filled)  # type: ignore[no-untyped-call]
        return spread

    def gather(self, values: Tensor) -> Tensor:
        """Rearrange (C, M, h) as values (n, h) of the examples."""
        return different_rows(values.flatten(0, 1), self.filled)

    def repeat(self, values: Tensor) -> Tensor:
        """Repeat values (C, ...) of the classes as (n, ...) of the examples."""
        return values.index_select(0, self.filled // self.padded.shape[1])


class _Spread(torch.autograd.Function):
    """`ClassGroup.spread`; the padding has no gradient."""

    @staticmethod
    @override
    def forward(context: Any, values: Tensor, padded: Tensor, filled: Tensor) -> Tensor:
        context.save_for_backward(filled)
        return values.index_select(0, padded.flatten()).view(*padded.shape, -1)

    @staticmethod
    @override
    def backward(context: Any, gradient: Tensor) -> tuple[Tensor, None, None]:
        (filled,) = context.saved_tensors
        return gradient.flatten(0, 1).index_select(0, filled), None, None


@dataclass(frozen=True, eq=False)
class ClassGroups:
    """The examples of a batch whose class has several words, class by class.

    Inputs and outputs of groups are gathered and scattered for all of them at once: the gradient of
    a slice is as large as the whole.

    Attributes:
        order: (n,) their indices in the batch, group by group.
        groups: each has the next of the examples.
    """

    order: Tensor
    groups: list[ClassGroup]

    def split(self, values: Tensor) -> list[Tensor]:
        """Values (n, ...) in that order, group by group."""
        return list(values.split_with_sizes([len(group.filled) for group in self.groups]))

    def to(self, device: torch.device) -> "ClassGroups":
        """A copy on another device, sent as one array."""
        parts = [(one.classes, one.padded, one.filled) for one in self.groups]
        every = [self.order, *(part for those in parts for part in those)]
        sent = put(torch.cat([one.flatten() for one in every]), device)
        order, *moved = sent.split_with_sizes([one.numel() for one in every])
        return ClassGroups(
            order,
            [
                ClassGroup(classes, one.width, padded.view(one.padded.shape), filled)
                for one, classes, padded, filled in zip(
                    self.groups, moved[::3], moved[1::3], moved[2::3], strict=True
                )
            ],
        )


class ClassOutput(Output):
    """p(class | h) p(word | class, h), each a softmax.

    Attributes:
        class_of: (V,) of each word.
        members: (K, largest) words of each class, -1 after the last.
        place: (V,) of each word within its class.
        row: (V,) of each word: after the rows of the classes, class by class.
    """

    class_of: Tensor
    members: Tensor
    place: Tensor
    row: Tensor

    def __init__(self, class_of: NDArray[np.int32], count: int, dim: int) -> None:
        super().__init__()
        words = len(class_of)
        self.class_weight = nn.Parameter(torch.zeros(count, dim))
        self.class_bias = nn.Parameter(torch.zeros(count))
        self.word_weight = nn.Parameter(torch.zeros(words, dim))
        self.word_bias = nn.Parameter(torch.zeros(words))
        self.register_buffer("class_of", torch.from_numpy(class_of.astype(np.int64)))
        sizes = np.bincount(class_of, minlength=count)
        members = np.full((count, sizes.max()), -1, dtype=np.int64)
        order = np.argsort(class_of, kind="stable")
        place = np.arange(words) - np.repeat(np.cumsum(sizes) - sizes, sizes)
        members[class_of[order], place] = order
        self.register_buffer("members", torch.from_numpy(members))
        behind = np.argsort(order)  # number of words before each, class by class
        self.register_buffer("place", torch.from_numpy(place[behind]))
        self.register_buffer("row", torch.from_numpy(count + behind))
        # On the CPU, for shapes.
        self._classes, self._sizes = class_of, sizes

    def groups(self, words: Tensor, factor: int) -> ClassGroups:
        """The examples (batch,) whose class has several words, on the CPU.

        Each group is a batch of products of (examples x dim) with (dim x words); within it, numbers
        of examples and of words differ by less than 2^`factor` times.
        """
        classes = self._classes[words.cpu().numpy()]
        counts = np.bincount(classes, minlength=len(self._sizes))
        found = np.flatnonzero((counts > 0) & (self._sizes > 1))
        of_counts, of_sizes = (np.frexp(n[found])[1] // factor for n in (counts, self._sizes))
        kinds = of_counts * 64 + of_sizes
        by_kind = np.argsort(kinds, kind="stable")
        found, kinds = found[by_kind], kinds[by_kind]
        groups = []
        for those in np.split(found, np.flatnonzero(np.diff(kinds)) + 1) if len(found) else []:
            own = counts[those][:, None]
            column = np.arange(own.max())
            padded = np.minimum(np.cumsum(own, 0) - own + column, own.sum() - 1)
            filled = np.flatnonzero(column < own)
            chosen, examples, places = map(torch.from_numpy, (those, padded, filled))
            groups.append(ClassGroup(chosen, int(self._sizes[those].max()), examples, places))
        turn = np.full(len(counts), len(found), dtype=np.int32)  # of each class, others last
        turn[found] = np.arange(len(found))
        order = np.argsort(turn[classes], kind="stable")[: counts[found].sum()]
        return ClassGroups(torch.from_numpy(order), groups)

    @override
    def scores(
        self, hidden: Tensor, words: Tensor, direct: Direct | None = None
    ) -> tuple[Tensor, Tensor]:
        # The only word of a class has no second layer.
        device = hidden.device
        on_device = words.to(device, non_blocking=True)
        logits = affine(hidden, self.class_weight, self.class_bias)  # (batch, K)
        if direct is not None:
            logits = logits + direct.activations(torch.arange(len(self._sizes)))
        of_class, log_classes = own_and_normaliser(logits, self.class_of[on_device])
        # On a GPU the launches of a group cost more than products with padding.
        ordered = self.groups(words, 1 if device.type == "cpu" else GPU_FACTOR).to(device)
        members = [self.members[group.classes, : group.width] for group in ordered.groups]
        inside = self.of_groups(hidden, ordered, members, direct)
        places = ordered.split(self.place[on_device[ordered.order]])
        both = [own_and_normaliser(one, at) for one, at in zip(inside, places, strict=True)]
        zeros = torch.zeros_like(of_class)
        own = torch.cat([zeros[:0], *(scores for scores, _ in both)])
        sums = torch.cat([zeros[:0], *(log_z[:, 0] for _, log_z in both)])
        with any_order():
            within = zeros.index_copy(0, ordered.order, own)
            log_z = zeros.index_copy(0, ordered.order, sums)
        return of_class + within, torch.stack([log_classes[:, 0], log_z], 1)

    def of_groups(
        self,
        hidden: Tensor,
        ordered: ClassGroups,
        words: list[Tensor],
        direct: Direct | None = None,
    ) -> list[Tensor]:
        """Scores (n, r), for each example, of r words of its class, group by group.

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
        biases = numbers_of(self.word_bias, rows).masked_fill(every < 0, -torch.inf)
        states = ordered.split(different_rows(hidden, ordered.order))
        parts = zip(
            ordered.groups, words, weights, biases.split_with_sizes(sizes), states, strict=True
        )
        scores = [
            group.gather(
                affine(group.spread(state), weight.view(*own.shape, -1), bias.view(len(own), 1, -1))
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

    @override
    def weights_by_row(self, *, contrast: bool) -> frozenset[str]:
        return frozenset({"word_weight", *({"class_weight"} if contrast else ())})

    @override
    def noise_model(self, counts: NDArray[np.float64]) -> NoiseModel:
        return NoiseModel.from_counts(counts, self.class_of.cpu().numpy())

    @override
    def noise_classes(self, words: Tensor) -> Tensor:
        return self.class_of[words]

    @override
    def noise_loss(
        self,
        hidden: Tensor,
        words: Tensor,
        drawn: Noise,
        model: NoiseModel,
        direct: Direct | None = None,
    ) -> Tensor:
        # Loss on the class, and on the word within its class; the only word of a class has no
        # second decision.
        on_device = words.to(hidden.device, non_blocking=True)
        own = self.class_of[on_device]
        choices = torch.cat([own[:, None], drawn.classes], dim=1)  # (batch, 1 + k)
        of_class = self.class_weight, self.class_bias, model.log_class
        loss = self.choice_loss(of_class, hidden, choices, direct).sum()
        several = (self.members[own] >= 0).sum(1) > 1
        choices = torch.cat([on_device[:, None], drawn.words], dim=1)
        of_word = self.word_weight, self.word_bias, model.log_word
        within = self.choice_loss(of_word, hidden, choices, direct, self.row)
        return loss + within.masked_fill(~several, 0.0).sum()
