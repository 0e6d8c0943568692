"""What training makes small, in torch; each is a sum over a batch. The kernel has the same."""

import math
from dataclasses import dataclass

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor
from torch.nn import functional

from nlmt.neural.direct_features import Direct
from nlmt.neural.outputs import ClassOutput, FullOutput, Output


@dataclass(frozen=True, eq=False)
class NoiseModel:
    """The noise of NCE: the unigram of the classes, and of the words within their class.

    Baltescu and Blunsom 2015, section 3.3; the full output has the unigram of words alone, as if
    every word were a class.

    Attributes:
        log_class: (K,) natural logarithm.
        log_word: (V,) of the word given its class.
        shared: whether a minibatch shares its noise.
    """

    log_class: Tensor
    log_word: Tensor
    shared: bool = False

    @classmethod
    def from_counts(
        cls, counts: NDArray[np.float64], classes: NDArray[np.integer], *, shared: bool = False
    ) -> "NoiseModel":
        """Relative frequencies; the words of a class that never occurs are equally likely.

        Args:
            counts: (V,) of each word as a target.
            classes: (V,) class of each word.
            shared: see the attribute.
        """
        by_class = np.bincount(classes, weights=counts)
        sizes = np.bincount(classes)
        uniform = by_class[classes] == 0
        with np.errstate(divide="ignore", invalid="ignore"):
            word = np.where(uniform, 1 / sizes[classes], counts / by_class[classes])
            log_class = torch.from_numpy(np.log(by_class / by_class.sum()))
            return cls(log_class, torch.from_numpy(np.log(word)), shared)

    def draw_classes(self, n: int, k: int, random: torch.Generator) -> Tensor:
        """K noise classes for each of n examples: (n, k)."""
        rows = 1 if self.shared else n
        probabilities = self.log_class.exp()
        drawn = torch.multinomial(probabilities, rows * k, replacement=True, generator=random)
        return drawn.view(rows, k).expand(n, k)

    def draw_words(self, members: Tensor, k: int, random: torch.Generator) -> Tensor:
        """K noise words (batch, k) out of each row of `members` (batch, largest), -1 for padding.

        Shared noise is the same for equal rows.
        """
        rows, of = members, torch.arange(len(members))
        if self.shared:
            rows, of = torch.unique(members, dim=0, return_inverse=True)
        weights = self.log_word[rows.clamp(min=0)].exp().masked_fill(rows < 0, 0.0)
        places = torch.multinomial(weights, k, replacement=True, generator=random)
        return rows.gather(1, places)[of]


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
        return torch.einsum("bd,bcd->bc", hidden, weight[choices]) + bias[choices]

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
    return loss + contrast_loss(scores, noise.log_word[choices])[several].sum()
