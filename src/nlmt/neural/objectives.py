"""What training makes small, in torch; each is a sum over a batch. The kernel has the same."""

import math
from dataclasses import dataclass

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor
from torch.nn import functional

from nlmt.neural.direct_features import Direct
from nlmt.neural.outputs import ClassOutput, FullOutput, Output, scores_of


@dataclass(frozen=True, eq=False)
class NoiseModel:
    """The noise of NCE: the unigram of the classes, and of the words within their class.

    Baltescu and Blunsom 2015, section 3.3; the full output has the unigram of words alone, as if
    every word were a class.

    Attributes:
        log_class: (K,) natural logarithm.
        log_word: (V,) of the word given its class.
        by_class: (V,) the words in the order of their classes.
        ends: (K,) where the words of each class end in it.
        cumulative: (V,) in this order: the class's number and the probability of the words of the
            class up to and with this one.
    """

    log_class: Tensor
    log_word: Tensor
    by_class: Tensor
    ends: Tensor
    cumulative: Tensor

    @classmethod
    def from_counts(cls, counts: NDArray[np.float64], classes: NDArray[np.integer]) -> "NoiseModel":
        """Relative frequencies; the words of a class that never occurs are equally likely.

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
        """The same on another device, logarithms in single precision."""
        logs = (self.log_class.float(), self.log_word.float())
        parts = (*logs, self.by_class, self.ends, self.cumulative)
        return NoiseModel(*(part.to(device) for part in parts))

    def draw_classes(self, n: int, k: int, random: torch.Generator) -> Tensor:
        """K noise classes for each of n examples, or for all if n is 1: (n, k)."""
        cumulative = torch.cumsum(self.log_class.double().exp(), 0)
        points = self._points((n, k), random) * cumulative[-1]
        found = torch.searchsorted(cumulative, points, right=True)
        return found.clamp(max=len(cumulative) - 1)

    def draw_words(self, classes: Tensor, k: int, random: torch.Generator) -> Tensor:
        """K noise words (n, k) within each of `classes` (n,)."""
        points = classes[:, None] + self._points((len(classes), k), random)
        found = torch.searchsorted(self.cumulative, points, right=True)
        return self.by_class[torch.minimum(found, self.ends[classes][:, None] - 1)]

    def _points(self, shape: tuple[int, int], random: torch.Generator) -> Tensor:
        return torch.rand(shape, generator=random, dtype=torch.double, device=random.device)


def likelihood_loss(
    output: Output,
    hidden: Tensor,
    words: Tensor,
    alpha: float = 0.0,
    direct: Direct | None = None,
) -> Tensor:
    """Minus the natural-log probability and `alpha` (log Z)^2 of each normaliser, summed.

    With alpha > 0 it is the self-normalised objective of Devlin et al. 2014.
    """
    scores, log_z = output.scores(hidden, words, direct)
    return (log_z + alpha * log_z**2).sum() - scores.sum()


def contrast_loss(scores: Tensor, log_noise: Tensor) -> Tensor:
    """Loss of telling the first choice of each row from the others, which are noise.

    Gutmann and Hyvarinen 2010; Mnih and Teh 2012, with the model's normaliser held at 1.

    Args:
        scores: (batch, 1 + k) unnormalised natural-log probabilities of the model.
        log_noise: (batch, 1 + k) natural-log probabilities of the noise distribution.

    Returns:
        (batch,) the loss of each row.
    """
    margin = scores - log_noise - math.log(scores.shape[1] - 1)
    return -functional.logsigmoid(margin[:, 0]) - functional.logsigmoid(-margin[:, 1:]).sum(1)


def nce_loss(
    output: Output,
    hidden: Tensor,
    words: Tensor,
    noise_classes: Tensor,
    noise_words: Tensor,
    noise: NoiseModel,
) -> Tensor:
    """NCE on the class and on the word within its class, summed over the batch.

    With a full output the classes are the words themselves. A word that is alone in its class
    needs no telling apart.
    """

    def rows(weight: Tensor, bias: Tensor, choices: Tensor) -> Tensor:
        found = output.rows_of(weight, choices), bias[choices][:, None]
        return scores_of(hidden[:, None], *found).squeeze(1)

    words = words.to(hidden.device, non_blocking=True)
    if isinstance(output, FullOutput):
        choices = torch.cat([output.rows(words)[:, None], noise_classes], dim=1)  # (batch, 1 + k)
        scores = rows(output.output_weight, output.output_bias, choices)
        return contrast_loss(scores, noise.log_class[choices]).sum()
    assert isinstance(output, ClassOutput)
    own = output.class_of[words]
    choices = torch.cat([own[:, None], noise_classes], dim=1)
    scores = rows(output.class_weight, output.class_bias, choices)
    loss = contrast_loss(scores, noise.log_class[choices]).sum()
    several = (output.members[own] >= 0).sum(1) > 1
    choices = torch.cat([words[:, None], noise_words], dim=1)
    scores = rows(output.word_weight, output.word_bias, choices)
    within = contrast_loss(scores, noise.log_word[choices])
    return loss + within.masked_fill(~several, 0.0).sum()


def shared_nce_loss(
    output: Output,
    hidden: Tensor,
    words: Tensor,
    noise_classes: Tensor,
    noise_words: Tensor,
    noise: NoiseModel,
) -> Tensor:
    """The same as `nce_loss` where examples share noise, as dense products.

    Args:
        output: class-factored or full.
        hidden: (batch, h).
        words: (batch,), best on the CPU.
        noise_classes: (k,) of all examples.
        noise_words: (K, k) of the examples of each class.
        noise: the distributions.
    """
    full = isinstance(output, FullOutput)
    on_device = words.to(hidden.device, non_blocking=True)
    if isinstance(output, FullOutput):
        weight, bias, own = output.output_weight, output.output_bias, output.rows(on_device)
    else:
        assert isinstance(output, ClassOutput)
        weight, bias, own = output.class_weight, output.class_bias, output.class_of[on_device]

    def told(
        hidden: Tensor, own: Tensor, drawn: Tensor, weight: Tensor, bias: Tensor, log: Tensor
    ) -> Tensor:
        """Losses (batch, n) of hidden vectors (batch, n, h) with noise (batch, k)."""
        own_weight, own_bias = output.rows_of(weight, own), bias[own]
        drawn_weight = output.rows_of(weight, drawn)
        noisy = scores_of(hidden, drawn_weight, bias[drawn][:, None])
        scores = torch.cat([((hidden * own_weight).sum(-1) + own_bias)[..., None], noisy], -1)
        log_noise = torch.cat([log[own][..., None], log[drawn][:, None].expand_as(noisy)], -1)
        losses = contrast_loss(scores.flatten(0, 1), log_noise.flatten(0, 1))
        return losses.view(own.shape)

    loss = told(hidden[None], own[None], noise_classes[None], weight, bias, noise.log_class).sum()
    if full:
        return loss
    assert isinstance(output, ClassOutput)
    for group in output.groups(words):
        group = group.to(hidden.device)
        within = told(
            hidden[group.examples],
            on_device[group.examples],
            noise_words[group.classes],
            output.word_weight,
            output.word_bias,
            noise.log_word,
        )
        loss = loss + within.flatten()[group.filled].sum()
    return loss
