"""The interface of output layers in torch.

Words may be on the CPU whatever the device of the hidden vectors: shapes that depend on them are
then known without waiting for the device.
"""

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor, nn
from torch.nn import functional

from nlmt.neural import _kernel
from nlmt.neural.outputs.layout import OutputLayout
from nlmt.neural.tensors import Parameters
from nlmt.neural.torch_backend.direct_features import Direct
from nlmt.neural.torch_backend.noise import Noise, NoiseModel, contrast_loss

# Words that `TorchOutputLayer` scores at a time.
WORDS = 4096


def rows_of(weight: Tensor, rows: Tensor, *, sparse: bool) -> Tensor:
    """Rows of a table (n, dim); with `sparse` the gradient has only these rows."""
    rows = rows.to(weight.device, non_blocking=True)
    return functional.embedding(rows, weight, sparse=sparse)


def scores_of(hidden: Tensor, weight: Tensor, bias: Tensor) -> Tensor:
    """Hidden weight^T + bias for matrices or batches of them; bias (rows,) or (batch, 1, rows).

    Under autocast only the product has the lower precision: a bias is the logarithm of a
    probability, and normalisers are sums of many small numbers.
    """
    product = hidden @ weight.mT
    return (product.float() if product.dtype == torch.bfloat16 else product) + bias


class Output(nn.Module):
    """An output layer; its parameters have the names of `OutputLayout.shapes`.

    `Direct` numbers its activations by its rows. Only layers that can be trained for `nce` need the
    methods about noise.

    Attributes:
        sparse: whether gradients of weights of which a minibatch uses some rows have only these
            rows.
    """

    sparse = False

    def rows_of(self, weight: Tensor, rows: Tensor) -> Tensor:
        """Rows of a table (n, dim), whose gradient has only these rows if the layer is sparse."""
        return rows_of(weight, rows, sparse=self.sparse)

    def scores(
        self, hidden: Tensor, words: Tensor, direct: Direct | None = None
    ) -> tuple[Tensor, Tensor]:
        """Unnormalised scores (batch,) of `words` (batch,), and log normalisers (batch, layers).

        `direct` adds the features of the words before to the activations.
        """
        raise NotImplementedError

    def log_probabilities(
        self, hidden: Tensor, words: Tensor, direct: Direct | None = None
    ) -> Tensor:
        """Natural-log probability (batch,) of each of `words` (batch,)."""
        scores, log_z = self.scores(hidden, words, direct)
        return scores - log_z.sum(1)

    def likelihood_loss(
        self, hidden: Tensor, words: Tensor, alpha: float = 0.0, direct: Direct | None = None
    ) -> Tensor:
        """Sum over a batch of minus the log probability plus `alpha` (log Z)^2 of each normaliser.

        With alpha > 0 it is the self-normalised objective of Devlin et al. 2014.
        """
        scores, log_z = self.scores(hidden, words, direct)
        return (log_z + alpha * log_z**2).sum() - scores.sum()

    def weights_by_row(self, *, contrast: bool) -> frozenset[str]:
        """Weights of which a minibatch uses only some rows, by `rows_of`.

        Args:
            contrast: whether the objective is `noise_loss`, rather than `likelihood_loss`.
        """
        return frozenset()

    def choice_loss(
        self,
        rows: tuple[Tensor, Tensor, Tensor],
        hidden: Tensor,
        choices: Tensor,
        direct: Direct | None,
        numbers: Tensor | None = None,
    ) -> Tensor:
        """Loss (batch,) of telling the first of some rows from the others, which are noise.

        Args:
            rows: weights (rows, h), biases (rows,), and natural-log probabilities as noise (rows,).
            hidden: (batch, h).
            choices: (batch, 1 + k) of the rows, the target first.
            direct: adds the features of the words before to the activations.
            numbers: (rows,) of the rows under `Direct`; None: in order.
        """
        weight, bias, log_noise = rows
        own = self.rows_of(weight, choices), bias[choices][:, None]
        scores = scores_of(hidden[:, None], *own).squeeze(1)
        if direct is not None:
            scores = scores + direct.activations(choices if numbers is None else numbers[choices])
        return contrast_loss(scores, log_noise[choices])

    def noise_model(self, counts: NDArray[np.float64]) -> NoiseModel:
        """The noise of words with these counts (V,) as targets."""
        raise NotImplementedError

    def noise_classes(self, words: Tensor) -> Tensor:
        """The classes (batch,) from which the noise words of `words` (batch,) are drawn."""
        raise NotImplementedError

    def noise_loss(
        self,
        hidden: Tensor,
        words: Tensor,
        drawn: Noise,
        model: NoiseModel,
        direct: Direct | None = None,
    ) -> Tensor:
        """Loss of distinguishing words (batch,) from noise, summed over the batch.

        Args:
            hidden: (batch, h).
            words: (batch,), best on the CPU.
            drawn: noise of each example.
            model: from which the noise was drawn.
            direct: adds the features of the words before to the activations.
        """
        raise NotImplementedError


def make_output(layout: OutputLayout, dim: int) -> Output:
    """The output layer of a layout, its parameters zero."""
    layer = layout.torch_layer(dim)
    if not isinstance(layer, Output):
        raise TypeError(f"{type(layout).__name__}.torch_layer gives no {Output.__name__}")
    return layer


class TorchOutputLayer:
    """Scores words by an output layer that the kernel lacks (`OutputLayer` of scoring)."""

    def __init__(self, layout: OutputLayout, dim: int, parameters: Parameters) -> None:
        self._layer = make_output(layout, dim)
        with torch.no_grad():
            for name, own in self._layer.named_parameters():
                own.copy_(torch.from_numpy(parameters[name]))
        # Each bias is an activation, to which a direct feature may be added.
        self._rows = sum(values.size for values in parameters.values() if values.ndim == 1)

    def score(
        self,
        hidden: NDArray[np.float32],
        starts: NDArray[np.int64],
        words: NDArray[np.int32],
        normalised: bool,
        threads: int,
        direct: _kernel.Direct32 | None = None,
        histories: NDArray[np.int32] | None = None,
    ) -> NDArray[np.float64]:
        """Natural-log probabilities of words[starts[i]:starts[i + 1]] after hidden vector i."""
        torch.set_num_threads(threads)
        of = np.repeat(np.arange(len(hidden)), np.diff(starts))
        result = np.empty(len(words))
        table = None if direct is None else torch.from_numpy(direct.get("direct")[0])
        for begin in range(0, len(words), WORDS):
            some = slice(begin, begin + WORDS)
            features = None
            if table is not None and histories is not None:
                last = torch.from_numpy(histories[of[some]].astype(np.int64))
                features = Direct.after(table, len(table) - self._rows, last)
            with torch.inference_mode():
                seen = torch.from_numpy(hidden[of[some]])
                own = torch.from_numpy(words[some].astype(np.int64))
                scores, log_z = self._layer.scores(seen, own, features)
                result[some] = (scores - log_z.sum(1) if normalised else scores).numpy()
        return result
