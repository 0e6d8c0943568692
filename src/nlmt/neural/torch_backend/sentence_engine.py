"""Training of networks over sentences, in torch."""

import torch
from torch import Tensor
from typing_extensions import override

from nlmt.neural.data.minibatches import Minibatch, SentenceBatch
from nlmt.neural.torch_backend.devices import lower_precision, put
from nlmt.neural.torch_backend.engine import TorchEngine
from nlmt.neural.torch_backend.sentence_layers import Drop
from nlmt.neural.torch_backend.sentence_network import SentenceNetwork


class SentenceEngine(TorchEngine[SentenceNetwork]):
    """Back-propagation through `unroll` words; a sentence does not depend on the one before it."""

    @override
    def _make_network(self) -> SentenceNetwork:
        return SentenceNetwork(self._architecture, self._layout)

    @override
    def _count(self, minibatch: Minibatch) -> int:
        assert isinstance(minibatch, SentenceBatch)
        return len(minibatch.source.of)

    @override
    def _descend(self, minibatch: Minibatch, random: torch.Generator) -> torch.Tensor:
        assert isinstance(minibatch, SentenceBatch)
        every = torch.from_numpy(minibatch.words).long()  # (sentences, longest + 2)
        own = self._ranks.part(len(every))
        vectors = put(torch.from_numpy(minibatch.source.vectors), self._device)
        vector_of = put(torch.from_numpy(minibatch.vector_of()).long()[own], self._device)
        inputs, targets = put(every[own, :-1].clamp(min=0), self._device), every[own, 1:]
        if self._layout.predicted is not None:  # other words are read only
            predicted = torch.from_numpy(self._layout.predicted)
            targets = torch.where(predicted[targets.clamp(min=0)], targets, -1)
        noise = self._draw(every[:, 1:].clamp(min=0).flatten(), random)
        # Numbers of the predictions among all positions of the minibatch.
        number = torch.arange(every[:, 1:].numel()).view(len(every), -1)[own]
        columns = inputs.shape[1]
        # A transformer has no state of fixed size to pass on: its gradients flow all the way back.
        unroll = self._architecture.unroll
        step = columns if self._architecture.network == "transformer" else unroll
        state = self._network.empty(len(inputs))
        total = torch.zeros((), device=self._device)
        if len(inputs) == 0:
            return total
        for begin in range(0, columns, step):
            piece = slice(begin, begin + step)
            words = targets[:, piece].flatten()
            known = torch.nonzero(words >= 0).squeeze(1)
            chosen = put(known, self._device)
            with lower_precision(self._training.precision, self._device):
                hidden, histories, state = self._network.read(
                    state,
                    inputs[:, piece],
                    vectors[vector_of[:, piece]],
                    self._drop(random, len(every)),
                )
                loss = self._objective(
                    hidden.flatten(0, 1)[chosen],
                    words[known],
                    noise and noise.of(put(number[:, piece].flatten()[known], self._device)),
                    self._network.features(histories.flatten(0, 1)[chosen]),
                )
            if len(known):
                loss.backward()  # type: ignore[no-untyped-call]
            total += loss.detach()
            state = state.map(Tensor.detach)
        return total

    def _drop(self, random: torch.Generator, sentences: int) -> Drop:
        """Dropout, with random numbers of all sentences of the minibatch."""
        if self._training.dropout == 0:
            return lambda x: x
        return lambda x: x * self._mask((sentences, *x.shape[1:]), random)
