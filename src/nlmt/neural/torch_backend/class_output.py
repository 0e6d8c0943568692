"""A class-factored output in torch: two softmaxes, over the classes and within one of them."""

from dataclasses import dataclass

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor, nn
from typing_extensions import override

from nlmt.neural.torch_backend.direct_features import Direct
from nlmt.neural.torch_backend.noise import Noise, NoiseModel
from nlmt.neural.torch_backend.output import Output, scores_of


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
        return values.index_select(0, self.padded.flatten()).view(*self.padded.shape, -1)

    def gather(self, values: Tensor) -> Tensor:
        """Rearrange (C, M, h) as values (n, h) of the examples."""
        return values.flatten(0, 1).index_select(0, self.filled)

    def repeat(self, values: Tensor) -> Tensor:
        """Repeat values (C, ...) of the classes as (n, ...) of the examples."""
        return values.index_select(0, self.filled // self.padded.shape[1])

    def to(self, device: torch.device) -> "ClassGroup":
        """A copy on another device."""
        classes, padded, filled = (
            part.to(device, non_blocking=True) for part in (self.classes, self.padded, self.filled)
        )
        return ClassGroup(classes, self.width, padded, filled)


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
        """A copy on another device."""
        order = self.order.to(device, non_blocking=True)
        return ClassGroups(order, [group.to(device) for group in self.groups])


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
        self._classes = torch.from_numpy(class_of.astype(np.int64))
        self._sizes = torch.from_numpy(sizes)

    def groups(self, words: Tensor) -> ClassGroups:
        """The examples (batch,) whose class has several words, on the CPU.

        Each group is a batch of products of (examples x dim) with (dim x words); within it, numbers
        of examples and of words differ by less than a factor of two.
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
        turn = torch.full_like(counts, len(found))  # the place of each class, others last
        turn[found] = torch.arange(len(found))
        order = torch.argsort(turn[classes], stable=True)
        return ClassGroups(order[: int(counts[found].sum())], groups)

    @override
    def scores(
        self, hidden: Tensor, words: Tensor, direct: Direct | None = None
    ) -> tuple[Tensor, Tensor]:
        # The only word of a class has no second layer.
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
