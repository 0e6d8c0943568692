"""Noise-contrastive estimation: telling words from noise, in torch; the kernel has the same.

Baltescu and Blunsom 2015, section 2.3; Gutmann and Hyvarinen 2010; Mnih and Teh 2012, with the
model's normaliser held at 1.
"""

import math
from dataclasses import dataclass

import torch
from torch import Tensor
from torch.nn import functional

from nlmt.neural.torch_backend.direct_features import Direct
from nlmt.neural.torch_backend.output import Output, scores_of


def contrast_loss(scores: Tensor, log_noise: Tensor) -> Tensor:
    """Loss of distinguishing the first choice of each row from the others, which are noise.

    Args:
        scores: (batch, 1 + k) unnormalised natural-log probabilities of the model.
        log_noise: (batch, 1 + k) natural-log probabilities of the noise distribution.

    Returns:
        (batch,) the loss of each row.
    """
    margin = scores - log_noise - math.log(scores.shape[1] - 1)
    return -functional.logsigmoid(margin[:, 0]) - functional.logsigmoid(-margin[:, 1:]).sum(1)


@dataclass(frozen=True)
class Choices:
    """The rows of an output layer from which examples choose.

    Attributes:
        output: the layer.
        weight: (rows, h).
        bias: (rows,).
        log_noise: (rows,) natural-log probability of each as noise.
        rows: (rows,) number of each under `Direct`; None: in order.
    """

    output: Output
    weight: Tensor
    bias: Tensor
    log_noise: Tensor
    rows: Tensor | None = None

    def loss(self, hidden: Tensor, choices: Tensor, direct: Direct | None) -> Tensor:
        """Loss (batch,) of examples with choices (batch, 1 + k) of their own, the target first."""
        weight, bias = self.output.rows_of(self.weight, choices), self.bias[choices][:, None]
        scores = scores_of(hidden[:, None], weight, bias).squeeze(1)
        if direct is not None:
            scores = scores + direct.activations(self._numbers(choices))
        return contrast_loss(scores, self.log_noise[choices])

    def shared_loss(
        self, hidden: Tensor, own: Tensor, drawn: Tensor, noisy: Tensor, direct: Direct | None
    ) -> Tensor:
        """Summed loss of examples whose targets are `own` (n,), given the scores of their noise.

        Args:
            hidden: (n, h).
            own: (n,) the target of each.
            drawn: (n, k) noise.
            noisy: (n, k) its scores.
            direct: of the examples.
        """
        first = (hidden * self.output.rows_of(self.weight, own)).sum(1) + self.bias[own]
        scores = torch.cat([first[:, None], noisy], 1)
        choices = torch.cat([own[:, None], drawn], 1)  # (n, 1 + k)
        if direct is not None:
            scores = scores + direct.activations(self._numbers(choices))
        return contrast_loss(scores, self.log_noise[choices]).sum()

    def dense_loss(
        self, hidden: Tensor, own: Tensor, drawn: Tensor, direct: Direct | None
    ) -> Tensor:
        """Summed loss of examples with targets `own` (n,) that all share the noise `drawn` (k,)."""
        noisy = scores_of(hidden, self.output.rows_of(self.weight, drawn), self.bias[drawn])
        return self.shared_loss(hidden, own, drawn.expand(len(own), -1), noisy, direct)

    def _numbers(self, choices: Tensor) -> Tensor:
        return choices if self.rows is None else self.rows[choices]
