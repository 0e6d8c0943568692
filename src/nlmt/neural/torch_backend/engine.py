"""Training in torch on the CPU or a GPU, in one process or several; the kernel's reference.

Tables of which a minibatch uses some rows have sparse gradients: a step reads and changes only
these rows. The loss stays on the device until the end of a call.
"""

import math
from abc import abstractmethod
from collections.abc import Iterator, Sequence
from functools import cached_property
from typing import Generic, TypeVar

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor
from typing_extensions import override

from nlmt.neural.outputs.layout import OutputLayout
from nlmt.neural.parameters import MEMORIES, TrainingState
from nlmt.neural.parts import NETWORKS, OBJECTIVES
from nlmt.neural.score.ngrams import NgramScorer
from nlmt.neural.score.scorer import Scorer
from nlmt.neural.settings.neural import NeuralConfig
from nlmt.neural.source.vectors import SourceEncoder
from nlmt.neural.tensors import Parameters
from nlmt.neural.torch_backend.captured import CapturedStep
from nlmt.neural.torch_backend.device import (
    any_order,
    find_device,
    lower_precision,
    put,
    set_precision,
)
from nlmt.neural.torch_backend.direct_features import Direct
from nlmt.neural.torch_backend.network import TorchNetwork
from nlmt.neural.torch_backend.noise import Noise
from nlmt.neural.torch_backend.optimisers import RULES, shrink
from nlmt.neural.torch_backend.output import TorchOutputLayer
from nlmt.neural.torch_backend.rows import dense
from nlmt.neural.torch_backend.sentence_network import Drop, SentenceNetwork
from nlmt.neural.torch_backend.window_network import WindowNetwork
from nlmt.neural.train.engine import Engine
from nlmt.neural.train.epochs import Minibatch
from nlmt.neural.train.ranks import Ranks

N = TypeVar("N", bound=TorchNetwork)


class TorchEngine(Engine, Generic[N]):
    """Training in torch: the parameters, memories and steps that its engines share."""

    network: type[N]

    def __init__(
        self,
        config: NeuralConfig,
        layout: OutputLayout,
        counts: NDArray[np.float64],
        start: TrainingState,
        threads: int,
        ranks: Ranks,
    ) -> None:
        super().__init__(config, layout, threads)
        self._ranks = ranks
        self._objective = OBJECTIVES.get(config.objective)
        self._examples = float(counts.sum())  # in an epoch
        torch.set_num_threads(threads)
        self._device = find_device(config.device, ranks.local)
        set_precision(config.precision)
        self._random = torch.Generator(self._device)
        source_words = len(start.parameters["embeddings"]) - layout.words
        self._network = self.network(config, layout, source_words)
        self._network.load_parameters(start.parameters)
        self._network.to(self._device)
        self._network.output.sparse = True
        self._parameters = self._network.named()
        # A step that adds a multiple of the gradient need not know its sum.
        self._adds = config.optimiser == "sgd" and not config.clip and ranks.count == 1
        self._network.output.factors = {} if self._adds else None
        self._memories = {
            memory: {
                name: torch.from_numpy(values).to(self._device)
                for name, values in getattr(start, memory).items()
            }
            for memory in MEMORIES[config.optimiser]
        }
        contrast, output = self._objective.contrasts, self._network.output
        self._noise = output.noise_model(counts).to(self._device) if contrast else None
        self._by_row = {"embeddings", *output.weights_by_row(contrast=contrast)}

    @abstractmethod
    def _descend(self, minibatch: Minibatch) -> Tensor:
        """Compute gradients of this process' part of a minibatch; return the sum of its objective.

        Random numbers are drawn for the whole minibatch, whatever the part.
        """

    def _mask(self, shape: tuple[int, ...]) -> Tensor:
        """Dropout for this process' part of the rows: 0, or the factor that keeps the mean.

        One random byte decides each unit.
        """
        keep = 256 - round(256 * self._config.dropout)
        count = math.prod(shape)
        drawn = torch.empty(-(-count // 8), dtype=torch.int64, device=self._device)
        drawn.random_(-(2**63), None, generator=self._random)
        units = drawn.view(torch.uint8)[:count].view(shape)[self._ranks.part(shape[0])]
        return (units < keep).float().mul_(256 / keep)

    def _draw(self, words: Tensor) -> Noise | None:
        """The noise of a minibatch that predicts `words` (n,), where the objective needs any."""
        if self._noise is None:
            return None
        classes = self._network.output.noise_classes(put(words, self._device))
        return self._noise.draw(classes, self._config.noise, self._random)

    def _loss(
        self, hidden: Tensor, words: Tensor, noise: Noise | None, direct: Direct | None = None
    ) -> Tensor:
        """Sum of the objective over words (n,), best on the CPU, after hidden vectors (n, h)."""
        drawn = None if noise is None or self._noise is None else (noise, self._noise)
        output = self._network.output
        return self._objective.loss(self._config, output, hidden, words, drawn, direct)

    @override
    def train(
        self,
        minibatches: Sequence[Minibatch],
        first: int,
        key: int,
        rates: NDArray[np.float64],
    ) -> float:
        total = torch.zeros((), dtype=torch.double, device=self._device)
        for minibatch, rate in zip(minibatches, rates.tolist(), strict=True):
            self._begin(rate, first, minibatch.examples, key)
            total += self._descend(minibatch)
            self._step(rate, minibatch.examples)
            first += minibatch.examples
        return float(self._ranks.sum(total))

    def _begin(self, rate: float, first: int, examples: int, key: int) -> None:
        """Seed the random numbers of a step and apply weight decay; arguments as in `train`."""
        if self._noise is not None or self._config.dropout > 0:
            seed = np.random.SeedSequence([key, first]).generate_state(1, np.uint64)[0]
            self._random.manual_seed(int(seed >> np.uint64(1)))
        self._network.zero_grad()
        share = rate * examples * self._config.decay_of_example(self._examples)
        if share == 0:
            return
        with torch.no_grad():
            for name, parameter in self._parameters.items():
                if not name.endswith("bias"):
                    shrink(parameter, share, first, examples, self._examples)

    def _step(self, rate: float, examples: int) -> None:
        """Take one step: AdaGrad along the sum of gradients, the others along their mean."""
        if self._adds:
            self._add(rate / examples)
            return
        optimiser, clip = self._config.optimiser, self._config.clip
        scale = 1.0 if optimiser == "adagrad" else 1 / examples
        rule = RULES[optimiser]
        with torch.no_grad():
            for name, rows, gradient in self._gradients():
                parameter = self._parameters[name]
                memory = {key: values[name] for key, values in self._memories.items()}
                if rows is not None and 2 * len(rows) > len(parameter):
                    gradient, rows = dense(rows, gradient, len(parameter)), None
                gradient.mul_(scale)
                if clip:
                    gradient.clamp_(-clip, clip)
                if rows is None:
                    rule(parameter, gradient, memory, rate)
                    continue
                # Only the rows that the minibatch reads move.
                moved = parameter[rows]
                remembered = {key: values[rows] for key, values in memory.items()}
                rule(moved, gradient, remembered, rate)
                with any_order():
                    parameter.index_copy_(0, rows, moved)
                    for key, values in remembered.items():
                        memory[key].index_copy_(0, rows, values)

    def _add(self, rate: float | Tensor) -> None:
        """Take a step of plain descent along the sum of gradients."""
        with torch.no_grad():
            for name, parameter in self._parameters.items():
                for delta, seen in self._network.output.taken(name):
                    step = (seen * -rate).to(delta.dtype)
                    if delta.dtype == parameter.dtype:
                        parameter.addmm_(delta.mT, step)
                    else:
                        parameter.add_(delta.mT @ step)
                gradient = parameter.grad
                if gradient is None:
                    continue
                if gradient.is_sparse:
                    rows, values = gradient._indices()[0], gradient._values()
                    parameter.index_add_(0, rows, values * -rate)
                else:
                    parameter.sub_(gradient.mul_(rate))

    def _gradients(self) -> Iterator[tuple[str, Tensor | None, Tensor]]:
        """Each parameter's gradient over all processes, and its rows; None for all rows.

        A process whose examples have no gradient for a parameter takes part, too. Gradients of
        tables are sorted by row while the others are on their way.
        """
        tables = {name: self._parameters[name] for name in sorted(self._by_row)}
        others = {n: one for n, one in self._parameters.items() if n not in tables}
        sums = self._ranks.begin_sums(
            [torch.zeros_like(one) if one.grad is None else one.grad for one in others.values()]
        )
        by_row = self._ranks.sum_rows([self._rows_of(one) for one in tables.values()])
        for name, (rows, gradient) in zip(tables, by_row, strict=True):
            yield name, rows, gradient
        for name, gradient in zip(others, sums, strict=True):
            yield name, None, gradient

    def _rows_of(self, table: torch.nn.Parameter) -> tuple[Tensor, Tensor]:
        """Rows of a sparse gradient, which may repeat, and their values."""
        if table.grad is None:
            nothing = torch.zeros(0, dtype=torch.long, device=self._device)
            return nothing, table.new_zeros(0, *table.shape[1:])
        assert table.grad.is_sparse
        return table.grad._indices()[0], table.grad._values()

    @override
    def parameters(self) -> Parameters:
        return self._network.parameters_as_arrays()

    @override
    def state(self) -> TrainingState:
        memories = {
            memory: {name: tensor.cpu().numpy().copy() for name, tensor in values.items()}
            for memory, values in self._memories.items()
        }
        return TrainingState(self.parameters(), **memories)


class WindowEngine(TorchEngine[WindowNetwork]):
    """Steps of feed-forward models along minibatches of n-grams."""

    network = WindowNetwork

    @cached_property
    def _captured(self) -> CapturedStep | None:
        """Steps as one launch, on a GPU and where their kernels do not depend on the words."""
        fixed = self._network.output.fixed and not self._objective.contrasts
        alone = self._adds and not self._config.source_vector_dim
        if self._device.type != "cuda" or not (fixed and alone):
            return None

        def step(words: Tensor, rate: Tensor) -> Tensor:
            self._network.zero_grad()
            loss = self._descend_along(words)
            self._add(rate / len(words))
            return loss

        return CapturedStep(step, self._random)

    @override
    def train(
        self,
        minibatches: Sequence[Minibatch],
        first: int,
        key: int,
        rates: NDArray[np.float64],
    ) -> float:
        if self._captured is None:
            return super().train(minibatches, first, key, rates)
        every = put(np.concatenate([one.words for one in minibatches]), self._device).long()
        steps = put(rates.astype(np.float32), self._device)
        total = torch.zeros((), dtype=torch.double, device=self._device)
        begin = 0
        for minibatch, rate, step in zip(minibatches, rates.tolist(), steps, strict=True):
            n = minibatch.examples
            self._begin(rate, first + begin, n, key)
            words = every[begin : begin + n]
            whole = n == self._config.minibatch
            total += (self._captured if whole else self._captured.uncaptured)(words, step)
            begin += n
        return float(total)

    @override
    def _descend(self, minibatch: Minibatch) -> Tensor:
        part = self._ranks.part(minibatch.examples)
        vectors = None
        if self._config.source_vector_dim:
            beside = minibatch.vectors[minibatch.vector_of[part]]
            vectors = put(beside, self._device)
        return self._descend_along(torch.from_numpy(minibatch.words).long(), vectors)

    def _descend_along(self, every: Tensor, vectors: Tensor | None = None) -> Tensor:
        """Descend along n-grams (n, width), given the vectors beside this process' part of them."""
        part = self._ranks.part(len(every))
        mask = None
        if self._config.dropout > 0:
            mask = self._mask((len(every), self._config.last_hidden))
        noise = self._draw(every[:, -1])
        windows = put(every[part], self._device)
        words = every[part, -1]
        if len(words) == 0:
            return torch.zeros((), device=self._device)
        with lower_precision(self._config.precision, self._device):
            hidden = self._network.hidden(windows[:, :-1], mask, vectors)
            loss = self._loss(hidden, words, noise and noise.of(part))
        loss.backward()  # type: ignore[no-untyped-call]
        return loss.detach()

    @override
    def scorer(self, encoder: SourceEncoder | None = None) -> Scorer:
        if self._device.type == "cpu":
            return super().scorer(encoder)
        # The parameters stay on the device; figures of the finished model are the kernel's.
        layers, output = self._network.scored_hidden, TorchOutputLayer(self._network.output)
        return NgramScorer(self._config, self._layout, layers, output, self._threads, encoder)


class SentenceEngine(TorchEngine[SentenceNetwork]):
    """Back-propagation through `unroll` words; a sentence does not depend on the one before it."""

    network = SentenceNetwork

    @override
    def _descend(self, minibatch: Minibatch) -> Tensor:
        every = torch.from_numpy(minibatch.words).long()  # (sentences, longest + 2)
        own = self._ranks.part(len(every))
        vectors = put(torch.from_numpy(minibatch.vectors), self._device)
        vector_of = put(torch.from_numpy(minibatch.vector_of).long()[own], self._device)
        read = put(every[:, :-1].clamp(min=0), self._device)
        inputs, targets = read[own], every[own, 1:]
        if self._layout.predicted is not None:  # other words are read only
            predicted = torch.from_numpy(self._layout.predicted)
            targets = torch.where(predicted[targets.clamp(min=0)], targets, -1)
        noise = self._draw(every[:, 1:].clamp(min=0).flatten())
        # Numbers of the predictions among all positions of the minibatch.
        number = torch.arange(every[:, 1:].numel()).view(len(every), -1)[own]
        columns = inputs.shape[1]
        # Without a state of fixed size to pass on, gradients flow all the way back.
        unrolls = "unroll" in NETWORKS.get(self._config.network).keys
        step = self._config.unroll if unrolls else columns
        total = torch.zeros((), device=self._device)
        if len(inputs) == 0:
            return total
        memories = self._network.empty(len(inputs))
        features = self._network.features(read)
        for begin in range(0, columns, step):
            piece = slice(begin, begin + step)
            words = targets[:, piece].flatten()
            known = torch.nonzero(words >= 0).squeeze(1)
            chosen = put(known, self._device)
            rows = put(number[:, piece].flatten()[known], self._device)
            with lower_precision(self._config.precision, self._device):
                hidden, memories = self._network.read(
                    memories,
                    inputs[:, piece],
                    vectors[vector_of[:, piece]],
                    self._drop(len(every)),
                )
                loss = self._loss(
                    hidden.flatten(0, 1)[chosen],
                    words[known],
                    noise and noise.of(rows),
                    features and features.select(rows),
                )
            if len(known):
                loss.backward()  # type: ignore[no-untyped-call]
            total += loss.detach()
            memories = tuple(tuple(part.detach() for part in memory) for memory in memories)
        return total

    def _drop(self, sentences: int) -> Drop:
        """Dropout, with random numbers of all sentences of the minibatch."""
        if self._config.dropout == 0:
            return lambda x: x
        return lambda x: x * self._mask((sentences, *x.shape[1:]))
