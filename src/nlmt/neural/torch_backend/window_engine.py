"""Training of feed-forward models in torch: every combination of parts."""

import torch
from typing_extensions import override

from nlmt.neural.data.minibatches import Minibatch, WindowBatch
from nlmt.neural.torch_backend.devices import lower_precision, put
from nlmt.neural.torch_backend.engine import TorchEngine
from nlmt.neural.torch_backend.window_network import WindowNetwork


class WindowEngine(TorchEngine[WindowNetwork]):
    """Steps along minibatches of n-grams."""

    @override
    def _make_network(self) -> WindowNetwork:
        return WindowNetwork(self._architecture, self._layout, self._source_words)

    @override
    def _count(self, minibatch: Minibatch) -> int:
        assert isinstance(minibatch, WindowBatch)
        return len(minibatch.rows)

    @override
    def _descend(self, minibatch: Minibatch, random: torch.Generator) -> torch.Tensor:
        assert isinstance(minibatch, WindowBatch)
        with lower_precision(self._training.precision, self._device):
            loss = self._loss(minibatch, random)
        if loss.requires_grad:  # a part may be empty
            loss.backward()  # type: ignore[no-untyped-call]
        return loss.detach()

    def _loss(self, minibatch: WindowBatch, random: torch.Generator) -> torch.Tensor:
        """Sum of the objective over this process' part of a minibatch."""
        n = len(minibatch.rows)
        part = self._ranks.part(n)
        mask = None
        if self._training.dropout > 0:
            mask = self._mask((n, self._architecture.last_hidden), random)
        every = torch.from_numpy(minibatch.rows).long()
        noise = self._draw(every[:, -1], random)
        windows = put(every[part], self._device)
        words = every[part, -1]
        if len(words) == 0:
            return torch.zeros((), device=self._device)
        vectors = None
        if self._architecture.source_vector_dim:
            beside = minibatch.source.vectors[minibatch.source.of[part]]
            vectors = put(torch.from_numpy(beside), self._device)
        hidden = self._network.hidden(windows[:, :-1], mask, vectors)
        return self._objective(hidden, words, noise and noise.of(part))
