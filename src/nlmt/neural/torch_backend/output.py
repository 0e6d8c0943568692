"""What every output layer in torch answers.

Words may be given on the CPU whatever the device of the hidden vectors: what they say about shapes
is then worked out without waiting for the device.
"""

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor, nn
from torch.nn import functional

from nlmt.neural import _kernel
from nlmt.neural.data.tensors import Parameters
from nlmt.neural.outputs.registry import OutputLayout
from nlmt.neural.torch_backend.direct_features import Direct
from nlmt.neural.torch_backend.noise import Noise, NoiseModel

# Words that `TorchOutputLayer` scores at a time.
WORDS = 4096


def rows_of(weight: Tensor, rows: Tensor, *, sparse: bool) -> Tensor:
    """Rows of a table (n, dim); with `sparse` the gradient has these rows alone."""
    rows = rows.to(weight.device, non_blocking=True)
    return functional.embedding(rows, weight, sparse=sparse)


def scores_of(hidden: Tensor, weight: Tensor, bias: Tensor) -> Tensor:
    """Hidden weight^T + bias for matrices or batches of them; bias (rows,) or (batch, 1, rows).

    Under autocast the product alone has the lower precision: a bias is the logarithm of a
    probability, and normalisers are sums of many small numbers.
    """
    product = hidden @ weight.mT
    return (product.float() if product.dtype == torch.bfloat16 else product) + bias


class Output(nn.Module):
    """An output layer; its parameters have the names of `OutputLayout.shapes`.

    Its activations have numbers, those of its rows, under `Direct`. What is about noise is asked of
    layers that are trained for `nce` only.

    Attributes:
        sparse: whether gradients of weights of which a minibatch takes some rows have these rows
            alone.
    """

    sparse = False

    def rows_of(self, weight: Tensor, rows: Tensor) -> Tensor:
        """Rows of a table (n, dim), whose gradient has these rows alone if the layer is sparse."""
        return rows_of(weight, rows, sparse=self.sparse)

    def scores(
        self, hidden: Tensor, words: Tensor, direct: Direct | None = None
    ) -> tuple[Tensor, Tensor]:
        """Unnormalised scores (batch,) of `words` (batch,), and log normalisers (batch, layers).

        `direct` adds to the activations what the n-grams before the words give.
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
        """Minus the log probability and `alpha` (log Z)^2 of each normaliser, summed over a batch.

        With alpha > 0 it is the self-normalised objective of Devlin et al. 2014.
        """
        scores, log_z = self.scores(hidden, words, direct)
        return (log_z + alpha * log_z**2).sum() - scores.sum()

    def weights_by_row(self, *, contrast: bool) -> frozenset[str]:
        """Weights of which a minibatch takes some rows by `rows_of`, and not all of them.

        Args:
            contrast: whether `noise_loss` is the objective, and not `likelihood_loss`.
        """
        return frozenset()

    def noise_model(self, counts: NDArray[np.float64]) -> NoiseModel:
        """The noise of words with these counts (V,) as targets."""
        raise NotImplementedError

    def noise_classes(self, words: Tensor) -> Tensor:
        """The classes (batch,) that the noise words of `words` (batch,) are drawn from."""
        raise NotImplementedError

    def noise_loss(
        self,
        hidden: Tensor,
        words: Tensor,
        drawn: Noise,
        model: NoiseModel,
        direct: Direct | None = None,
    ) -> Tensor:
        """Loss of telling words (batch,) from noise, summed over the batch.

        Args:
            hidden: (batch, h).
            words: (batch,), best on the CPU.
            drawn: noise of each example, or noise that all of them share.
            model: what it was drawn from.
            direct: adds to the activations what the n-grams before the words give.
        """
        raise NotImplementedError


def make_output(layout: OutputLayout, dim: int) -> Output:
    """The output layer of a layout, its parameters zero."""
    layer = layout.torch_layer(dim)
    if not isinstance(layer, Output):
        raise TypeError(f"{type(layout).__name__}.torch_layer gives no {Output.__name__}")
    return layer


class TorchOutputLayer:
    """Scores of an output layer that the kernel does not have (`OutputLayer` of scoring)."""

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
