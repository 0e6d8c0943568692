"""One softmax, over all words or a short-list, in torch."""

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor, nn
from typing_extensions import override

from nlmt.neural.torch_backend.direct_features import Direct
from nlmt.neural.torch_backend.noise import Noise, NoiseModel
from nlmt.neural.torch_backend.output import Output, own_and_normaliser


class SoftmaxOutput(Output):
    """One softmax over the vocabulary, with `count` rows."""

    fixed = True

    def __init__(self, count: int, dim: int) -> None:
        super().__init__()
        self.output_weight = nn.Parameter(torch.zeros(count, dim))
        self.output_bias = nn.Parameter(torch.zeros(count))

    def rows(self, words: Tensor) -> Tensor:
        """The rows of words."""
        return words

    @override
    def scores(
        self, hidden: Tensor, words: Tensor, direct: Direct | None = None
    ) -> tuple[Tensor, Tensor]:
        own = self.output_weight, self.output_bias, "output_weight"
        logits = self.factored_affine(hidden, *own)  # (batch, rows)
        if direct is not None:
            logits = logits + direct.activations(torch.arange(logits.shape[1]))
        return own_and_normaliser(logits, self.rows(words.to(hidden.device, non_blocking=True)))

    @override
    def weights_by_row(self, *, contrast: bool) -> frozenset[str]:
        return frozenset({"output_weight"} if contrast else ())

    @override
    def noise_model(self, counts: NDArray[np.float64]) -> NoiseModel:
        return NoiseModel.from_counts(counts, np.arange(len(counts)))

    @override
    def noise_classes(self, words: Tensor) -> Tensor:
        # Every word is a class of its own; the noise words are never read.
        return torch.zeros_like(words)

    @override
    def noise_loss(
        self,
        hidden: Tensor,
        words: Tensor,
        drawn: Noise,
        model: NoiseModel,
        direct: Direct | None = None,
    ) -> Tensor:
        own = self.rows(words.to(hidden.device, non_blocking=True))
        choices = torch.cat([own[:, None], drawn.classes], dim=1)  # (batch, 1 + k)
        rows = self.output_weight, self.output_bias, model.log_class
        return self.choice_loss(rows, hidden, choices, direct).sum()


class ShortListOutput(SoftmaxOutput):
    """One softmax over the words of a short-list; other words have no row.

    Attributes:
        place: (V,) row of each word, -1 for none.
    """

    place: Tensor

    def __init__(self, place: NDArray[np.int32], count: int, dim: int) -> None:
        super().__init__(count, dim)
        self.register_buffer("place", torch.from_numpy(place.astype(np.int64)))

    @override
    def rows(self, words: Tensor) -> Tensor:
        return self.place[words]

    @override
    def noise_model(self, counts: NDArray[np.float64]) -> NoiseModel:
        place = self.place.cpu().numpy()
        order = np.argsort(place, kind="stable")
        return super().noise_model(counts[order[place[order] >= 0]])
