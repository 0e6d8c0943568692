"""The interface of output layers in torch.

Words may be on the CPU whatever the device of the hidden vectors: shapes that depend on them are
then known without waiting for the device.
"""

from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor, nn
from torch.nn import functional
from typing_extensions import override

from nlmt.neural import _kernel
from nlmt.neural.outputs.layout import OutputLayout
from nlmt.neural.tensors import Parameters
from nlmt.neural.torch_backend.device import any_order, put
from nlmt.neural.torch_backend.direct_features import Direct
from nlmt.neural.torch_backend.noise import Noise, NoiseModel, contrast_loss
from nlmt.neural.torch_backend.rows import numbers_of

# Words that `TorchOutputLayer` scores at a time.
WORDS = 4096


def affine(hidden: Tensor, weight: Tensor, bias: Tensor) -> Tensor:
    """Hidden weight^T + bias for matrices or batches of them; bias (rows,) or (batch, 1, rows).

    Under autocast only the product has the lower precision: a bias is the logarithm of a
    probability, and normalisers are sums of many small numbers.
    """
    if bias.dim() == 1 and not torch.is_autocast_enabled(hidden.device.type):
        return torch.addmm(bias, hidden, weight.mT)
    product = hidden @ weight.mT
    return (product.float() if product.dtype == torch.bfloat16 else product) + bias


class _OwnAndNormaliser(torch.autograd.Function):
    @staticmethod
    @override
    def forward(context: Any, logits: Tensor, rows: Tensor) -> tuple[Tensor, Tensor]:
        log_z = torch.logsumexp(logits, 1, keepdim=True)
        context.save_for_backward(logits, rows, log_z)
        return logits.gather(1, rows[:, None]).squeeze(1), log_z

    @staticmethod
    @override
    def backward(context: Any, of_own: Tensor, of_log_z: Tensor) -> tuple[Tensor, None]:
        logits, rows, log_z = context.saved_tensors
        gradient = (logits - log_z).exp_().mul_(of_log_z)
        with any_order():
            gradient.scatter_add_(1, rows[:, None], of_own[:, None])
        return gradient, None


def own_and_normaliser(logits: Tensor, rows: Tensor) -> tuple[Tensor, Tensor]:
    """The activation (n,) of a row of (n, rows) for each example, and log normalisers (n, 1).

    Their gradient takes two passes over the activations; that of the two functions of torch takes
    six, and sorts the rows.
    """
    both: tuple[Tensor, Tensor] = _OwnAndNormaliser.apply(logits, rows)  # type: ignore[no-untyped-call]
    return both


# A gradient of a weight (rows, h) as its factors: that of the activations (n, rows), and the hidden
# vectors (n, h).
Factors = tuple[Tensor, Tensor]


class _FactoredAffine(torch.autograd.Function):
    """`affine` for matrices, whose gradient of the weight is kept as its factors.

    A step of plain descent adds their product to the weight in one pass over it; written by itself,
    the gradient would be read and written twice more.
    """

    @staticmethod
    @override
    def forward(
        context: Any, hidden: Tensor, weight: Tensor, bias: Tensor, factors: list[Factors]
    ) -> Tensor:
        lower = torch.is_autocast_enabled(hidden.device.type)
        context.save_for_backward(hidden, weight)
        context.factors = factors
        context.dtype = torch.bfloat16 if lower else hidden.dtype
        return affine(hidden, weight, bias)

    @staticmethod
    @override
    def backward(context: Any, gradient: Tensor) -> tuple[Tensor, None, Tensor, None]:
        hidden, weight = context.saved_tensors
        delta = gradient.to(context.dtype)
        context.factors.append((delta, hidden.to(context.dtype)))
        of_hidden = (delta @ weight.to(context.dtype)).to(hidden.dtype)
        return of_hidden, None, gradient.sum(0), None


class Output(nn.Module):
    """An output layer; its parameters have the names of `OutputLayout.shapes`.

    `Direct` numbers its activations by its rows. Only layers that can be trained for `nce` need the
    methods about noise.

    Attributes:
        sparse: whether gradients of weights of which a minibatch uses some rows have only these
            rows.
        fixed: whether `likelihood_loss` runs the same kernels whatever the words.
        factors: gradients of weights that are kept as factors, by parameter; None keeps none.
    """

    sparse = False
    fixed = False
    factors: dict[str, list[Factors]] | None = None

    def factored_affine(self, hidden: Tensor, weight: Tensor, bias: Tensor, name: str) -> Tensor:
        """Compute `affine`; the gradient of weight `name` may be kept as factors."""
        if self.factors is None or not torch.is_grad_enabled():
            return affine(hidden, weight, bias)
        kept = self.factors.setdefault(name, [])
        scores: Tensor = _FactoredAffine.apply(hidden, weight, bias, kept)  # type: ignore[no-untyped-call]
        return scores

    def taken(self, name: str) -> list[Factors]:
        """The factors of the gradient of a parameter, which are no longer kept."""
        return [] if self.factors is None else self.factors.pop(name, [])

    def rows_of(self, table: Tensor, rows: Tensor) -> Tensor:
        """Rows of a table (n, dim), whose gradient has only these rows if the layer is sparse."""
        rows = rows.to(table.device, non_blocking=True)
        return functional.embedding(rows, table, sparse=self.sparse)

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
        own = self.rows_of(weight, choices), numbers_of(bias, choices)[:, None]
        scores = affine(hidden[:, None], *own).squeeze(1)
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
    """Scores words by an output layer in torch (`OutputLayer` of scoring), on its device."""

    def __init__(self, layer: Output) -> None:
        self._layer = layer
        parameters = list(layer.parameters())
        self._device = parameters[0].device
        # Each bias is an activation, to which a direct feature may be added.
        self._rows = sum(own.numel() for own in parameters if own.dim() == 1)

    @classmethod
    def of_parameters(
        cls, layout: OutputLayout, dim: int, parameters: Parameters
    ) -> "TorchOutputLayer":
        """The output layer of a layout on the CPU, with its parameters."""
        layer = make_output(layout, dim)
        with torch.no_grad():
            for name, own in layer.named_parameters():
                own.copy_(torch.from_numpy(parameters[name]))
        return cls(layer)

    def score(
        self,
        hidden: NDArray[np.float32] | Tensor,
        starts: NDArray[np.int64],
        words: NDArray[np.int32],
        normalised: bool,
        threads: int,
        direct: _kernel.Direct32 | None = None,
        histories: NDArray[np.int32] | None = None,
    ) -> NDArray[np.float64]:
        """Natural-log probabilities of words[starts[i]:starts[i + 1]] after hidden vector i."""
        torch.set_num_threads(threads)
        every = put(hidden, self._device)
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
                seen = every[put(of[some], self._device)]
                own = torch.from_numpy(words[some].astype(np.int64))
                scores, log_z = self._layer.scores(seen, own, features)
                result[some] = (scores - log_z.sum(1) if normalised else scores).cpu().numpy()
        return result
