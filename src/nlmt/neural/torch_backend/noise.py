"""Noise-contrastive estimation: telling words from noise, in torch; the kernel has the same.

Baltescu and Blunsom 2015, section 2.3; Gutmann and Hyvarinen 2010; Mnih and Teh 2012, with the
model's normaliser fixed at 1.
"""

import math
from dataclasses import dataclass

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor
from torch.nn import functional


@dataclass(frozen=True, eq=False)
class NoiseModel:
    """The noise of NCE: unigram distributions of the classes, and of the words within them.

    Baltescu and Blunsom 2015, section 2.3; the full output has only the unigram of words, as if
    every word were a class.

    Attributes:
        log_class: (K,) natural logarithm.
        log_word: (V,) of the word given its class.
        by_class: (V,) the words, sorted by class.
        ends: (K,) where the words of each class end in `by_class`.
        cumulative: (V,) in the order of `by_class`: the class's number plus the probability of the
            class's words up to and including this one.
        class_totals: (K,) probability of the classes up to and including each.
    """

    log_class: Tensor
    log_word: Tensor
    by_class: Tensor
    ends: Tensor
    cumulative: Tensor
    class_totals: Tensor

    @classmethod
    def from_counts(cls, counts: NDArray[np.float64], classes: NDArray[np.integer]) -> "NoiseModel":
        """Noise by relative frequency; the words of a class that never occurs are equally likely.

        Args:
            counts: (V,) of each word as a target.
            classes: (V,) class of each word.
        """
        by_class = np.bincount(classes, weights=counts)
        sizes = np.bincount(classes)
        uniform = by_class[classes] == 0
        with np.errstate(divide="ignore", invalid="ignore"):
            word = np.where(uniform, 1 / sizes[classes], counts / by_class[classes])
            log_class, log_word = np.log(by_class / by_class.sum()), np.log(word)
        order = np.argsort(classes, kind="stable")
        cumulative = np.cumsum(word[order])
        before = np.insert(cumulative, 0, 0.0)[np.cumsum(sizes) - sizes]
        cumulative += classes[order] - before[classes[order]]
        totals = np.cumsum(np.exp(log_class.astype(np.float32).astype(np.float64)))
        arrays = (log_class, log_word, order, np.cumsum(sizes), cumulative, totals)
        return cls(*(torch.from_numpy(array) for array in arrays))

    def to(self, device: torch.device) -> "NoiseModel":
        """A copy on another device, logarithms in single precision."""
        logs = (self.log_class.float(), self.log_word.float())
        parts = (*logs, self.by_class, self.ends, self.cumulative, self.class_totals)
        return NoiseModel(*(part.to(device) for part in parts))

    def draw(self, own: Tensor, k: int, random: torch.Generator) -> "Noise":
        """Noise of k classes and words for each of n examples; `own` (n,) are their classes."""
        shape = (len(own), k)
        points = _points(shape, random) * self.class_totals[-1]
        classes = torch.searchsorted(self.class_totals, points, right=True)
        words = torch.searchsorted(
            self.cumulative, own[:, None] + _points(shape, random), right=True
        )
        return Noise(
            classes.clamp(max=len(self.class_totals) - 1),
            self.by_class[torch.minimum(words, self.ends[own][:, None] - 1)],
        )


def _points(shape: tuple[int, int], random: torch.Generator) -> Tensor:
    return torch.rand(shape, generator=random, dtype=torch.double, device=random.device)


@dataclass(frozen=True, eq=False)
class Noise:
    """The noise drawn for a minibatch.

    Attributes:
        classes: (n, k) noise classes of each example.
        words: (n, k) noise words, within the class of each example's word.
    """

    classes: Tensor
    words: Tensor

    def of(self, examples: Tensor | slice) -> "Noise":
        """The noise of some of the examples."""
        return Noise(self.classes[examples], self.words[examples])


def contrast_loss(scores: Tensor, log_noise: Tensor) -> Tensor:
    """Loss (batch,) of distinguishing each row's first choice from the others, which are noise.

    Args:
        scores: (batch, 1 + k) unnormalised natural-log probabilities of the model.
        log_noise: (batch, 1 + k) natural-log probabilities of the noise distribution.
    """
    margin = scores - log_noise - math.log(scores.shape[1] - 1)
    return -functional.logsigmoid(margin[:, 0]) - functional.logsigmoid(-margin[:, 1:]).sum(1)
