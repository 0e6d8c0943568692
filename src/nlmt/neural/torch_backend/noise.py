"""The noise of NCE in torch; the kernel has the same."""

from dataclasses import dataclass

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor


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
    """

    log_class: Tensor
    log_word: Tensor
    by_class: Tensor
    ends: Tensor
    cumulative: Tensor

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
        arrays = (log_class, log_word, order, np.cumsum(sizes), cumulative)
        return cls(*(torch.from_numpy(array) for array in arrays))

    def to(self, device: torch.device) -> "NoiseModel":
        """A copy on another device, logarithms in single precision."""
        logs = (self.log_class.float(), self.log_word.float())
        parts = (*logs, self.by_class, self.ends, self.cumulative)
        return NoiseModel(*(part.to(device) for part in parts))

    def draw_classes(self, n: int, k: int, random: torch.Generator) -> Tensor:
        """Noise classes (n, k): k for each of n examples, or for all examples if n is 1."""
        cumulative = torch.cumsum(self.log_class.double().exp(), 0)
        points = self._points((n, k), random) * cumulative[-1]
        found = torch.searchsorted(cumulative, points, right=True)
        return found.clamp(max=len(cumulative) - 1)

    def draw_words(self, classes: Tensor, k: int, random: torch.Generator) -> Tensor:
        """Noise words (n, k) within each of `classes` (n,)."""
        points = classes[:, None] + self._points((len(classes), k), random)
        found = torch.searchsorted(self.cumulative, points, right=True)
        return self.by_class[torch.minimum(found, self.ends[classes][:, None] - 1)]

    def _points(self, shape: tuple[int, int], random: torch.Generator) -> Tensor:
        return torch.rand(shape, generator=random, dtype=torch.double, device=random.device)

    def draw(self, own: Tensor, k: int, random: torch.Generator) -> "Noise":
        """Noise of k classes and words for each of n examples; `own` (n,) are their classes."""
        return Noise(self.draw_classes(len(own), k, random), self.draw_words(own, k, random))

    def draw_shared(self, k: int, random: torch.Generator) -> "Noise":
        """Noise of k classes for all examples, and k words for the examples of each class."""
        (classes,) = self.draw_classes(1, k, random)
        every = torch.arange(len(self.ends), device=classes.device)
        return Noise(classes, self.draw_words(every, k, random))


@dataclass(frozen=True, eq=False)
class Noise:
    """The noise drawn for a minibatch.

    Attributes:
        classes: (n, k) noise classes of each example, or (k,) of all of them.
        words: (n, k) noise words, within the class of each example's word, or (K, k) of the
            examples of each class.
    """

    classes: Tensor
    words: Tensor

    @property
    def shared(self) -> bool:
        """Whether all examples share it."""
        return self.classes.dim() == 1

    def of(self, examples: Tensor | slice) -> "Noise":
        """The noise of some of the examples."""
        return self if self.shared else Noise(self.classes[examples], self.words[examples])
