"""What training makes small, in torch; each is a sum over a batch. The kernel has the same."""

import math
from dataclasses import dataclass

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor
from torch.nn import functional

from nlmt.neural.network import ClassOutput, FullOutput, Network
from nlmt.neural.word_classes import WordClasses


@dataclass(frozen=True, eq=False)
class NoiseModel:
    """The noise of NCE: the unigram of the classes, and of the words within their class.

    Baltescu and Blunsom 2015, section 3.3; the full output has the unigram of words alone.

    Attributes:
        log_class: (K,) natural logarithm.
        log_word: (V,) of the word given its class.
    """

    log_class: Tensor
    log_word: Tensor

    @classmethod
    def from_counts(cls, counts: NDArray[np.float64], classes: WordClasses) -> "NoiseModel":
        """Relative frequencies; the words of a class that never occurs are equally likely."""
        by_class = np.bincount(classes.of, weights=counts, minlength=classes.count)
        sizes = np.bincount(classes.of, minlength=classes.count)
        uniform = by_class[classes.of] == 0
        with np.errstate(divide="ignore", invalid="ignore"):
            word = np.where(uniform, 1 / sizes[classes.of], counts / by_class[classes.of])
            return cls(
                torch.from_numpy(np.log(by_class / by_class.sum())), torch.from_numpy(np.log(word))
            )

    def draw(
        self, classes: Tensor, members: Tensor, k: int, random: torch.Generator
    ) -> tuple[Tensor, Tensor]:
        """K noise classes, and k noise words within each of `classes` (batch,).

        `members` (K, largest) are the words of each class, -1 for padding. Both are (batch, k).
        """
        n = len(classes)
        noise_classes = torch.multinomial(
            self.log_class.exp(), n * k, replacement=True, generator=random
        ).view(n, k)
        inside = members[classes]
        weights = self.log_word[inside.clamp(min=0)].exp().masked_fill(inside < 0, 0.0)
        places = torch.multinomial(weights, k, replacement=True, generator=random)
        return noise_classes, inside.gather(1, places)


def likelihood_loss(network: Network, hidden: Tensor, words: Tensor) -> Tensor:
    """Minus the natural-log probability, summed over the batch."""
    return -network.output.log_probabilities(hidden, words).sum()


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
    network: Network,
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
        return torch.einsum("bd,bcd->bc", hidden, weight[choices]) + bias[choices]

    output = network.output
    if isinstance(output, FullOutput):
        choices = torch.cat([words[:, None], noise_classes], dim=1)  # (batch, 1 + k)
        scores = rows(output.weight, output.bias, choices)
        return contrast_loss(scores, noise.log_class[choices]).sum()
    assert isinstance(output, ClassOutput)
    own = output.class_of[words]
    choices = torch.cat([own[:, None], noise_classes], dim=1)
    scores = rows(output.class_weight, output.class_bias, choices)
    loss = contrast_loss(scores, noise.log_class[choices]).sum()
    several = (output.members[own] >= 0).sum(1) > 1
    choices = torch.cat([words[:, None], noise_words], dim=1)
    scores = rows(output.word_weight, output.word_bias, choices)
    return loss + contrast_loss(scores, noise.log_word[choices])[several].sum()
