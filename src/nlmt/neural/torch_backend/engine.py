"""Training in torch on the CPU or a GPU, in one process or several; the kernel's reference.

Tables of which a minibatch uses some rows have sparse gradients: a step reads and changes only
these rows. The loss stays on the device until the end of a call.
"""

import math
import os
from abc import abstractmethod
from collections.abc import Sequence
from contextlib import AbstractContextManager, nullcontext
from typing import Generic, TypeVar

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor
from typing_extensions import override

from nlmt.errors import InputError
from nlmt.neural.outputs.layout import OutputLayout
from nlmt.neural.parameters import MEMORIES, TrainingState
from nlmt.neural.parts import NETWORKS, OBJECTIVES
from nlmt.neural.settings.neural import NeuralConfig
from nlmt.neural.tensors import Parameters
from nlmt.neural.torch_backend.direct_features import Direct
from nlmt.neural.torch_backend.network import TorchNetwork
from nlmt.neural.torch_backend.noise import Noise
from nlmt.neural.torch_backend.optimisers import RULES, shrink
from nlmt.neural.torch_backend.sentence_network import Drop, SentenceNetwork
from nlmt.neural.torch_backend.window_network import WindowNetwork
from nlmt.neural.train.engine import Engine
from nlmt.neural.train.epochs import Minibatch
from nlmt.neural.train.ranks import Ranks

N = TypeVar("N", bound=TorchNetwork)


class TorchEngine(Engine, Generic[N]):
    """Training in torch: the parameters, memories and steps that its engines share."""

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
        self._source_words = len(start.parameters["embeddings"]) - layout.words
        self._network = self._make_network()
        self._network.load_parameters(start.parameters)
        self._network.to(self._device)
        self._network.output.sparse = True
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
    def _make_network(self) -> N:
        """The network, its parameters zero."""

    @abstractmethod
    def _descend(self, minibatch: Minibatch, random: torch.Generator) -> Tensor:
        """Compute gradients of this process' part of a minibatch; return the sum of its objective.

        Random numbers are drawn for the whole minibatch, whatever the part.
        """

    def _mask(self, shape: tuple[int, ...], random: torch.Generator) -> Tensor:
        """Dropout for this process' part of the rows: 0, or the factor that keeps the mean.

        One random byte decides each unit.
        """
        keep = 256 - round(256 * self._config.dropout)
        count = math.prod(shape)
        drawn = torch.empty(-(-count // 8), dtype=torch.int64, device=self._device)
        drawn.random_(-(2**63), None, generator=random)
        units = drawn.view(torch.uint8)[:count].view(shape)[self._ranks.part(shape[0])]
        return (units < keep).float().mul_(256 / keep)

    def _draw(self, words: Tensor, random: torch.Generator) -> Noise | None:
        """The noise of a minibatch that predicts `words` (n,), where the objective needs any."""
        if self._noise is None:
            return None
        classes = self._network.output.noise_classes(put(words, self._device))
        return self._noise.draw(classes, self._config.noise, random)

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
            seed = np.random.SeedSequence([key, first]).generate_state(1, np.uint64)[0]
            random = torch.Generator(self._device).manual_seed(int(seed >> np.uint64(1)))
            self._shrink(rate, first, minibatch.examples)
            self._network.zero_grad()
            total += self._descend(minibatch, random)
            self._step(rate, minibatch.examples)
            first += minibatch.examples
        return float(self._ranks.sum(total))

    def _shrink(self, rate: float, first: int, examples: int) -> None:
        """Apply weight decay, except to biases."""
        share = rate * self._config.weight_decay * examples / self._examples
        if share == 0:
            return
        with torch.no_grad():
            for name, parameter in self._network.named().items():
                if not name.endswith("bias"):
                    shrink(parameter, share, first, examples, self._examples)

    def _step(self, rate: float, examples: int) -> None:
        """Take one step: AdaGrad along the sum of gradients, the others along their mean."""
        optimiser, clip = self._config.optimiser, self._config.clip
        scale = 1.0 if optimiser == "adagrad" else 1 / examples
        rule = RULES[optimiser]
        with torch.no_grad():
            for name, parameter in self._network.named().items():
                gradient = self._gradient(name, parameter)
                memory = {key: values[name] for key, values in self._memories.items()}
                rows = None
                if gradient.is_sparse and 2 * gradient.indices().shape[1] > len(parameter):
                    gradient = gradient.to_dense()
                elif gradient.is_sparse:
                    rows, gradient = gradient.indices()[0], gradient.values()
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
                parameter.index_copy_(0, rows, moved)
                for key, values in remembered.items():
                    memory[key].index_copy_(0, rows, values)

    def _gradient(self, name: str, parameter: torch.nn.Parameter) -> Tensor:
        """The gradient over all processes; a sparse one has each row once.

        A process whose examples have no gradient for the parameter takes part, too.
        """
        gradient = parameter.grad
        sparse = name in self._by_row
        if gradient is None and sparse:
            no_rows = (
                torch.zeros(1, 0, dtype=torch.long),
                parameter.new_zeros(0, parameter.shape[1]),
            )
            gradient = torch.sparse_coo_tensor(
                *no_rows, parameter.shape, device=self._device, check_invariants=False
            )
        if gradient is None:
            gradient = torch.zeros_like(parameter)
        assert gradient.is_sparse == sparse, name
        return self._ranks.sum_rows(gradient) if sparse else self._ranks.sum(gradient)

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

    @override
    def _make_network(self) -> WindowNetwork:
        return WindowNetwork(self._config, self._layout, self._source_words)

    @override
    def _descend(self, minibatch: Minibatch, random: torch.Generator) -> Tensor:
        with lower_precision(self._config.precision, self._device):
            loss = self._loss_of_part(minibatch, random)
        if loss.requires_grad:  # a part may be empty
            loss.backward()  # type: ignore[no-untyped-call]
        return loss.detach()

    def _loss_of_part(self, minibatch: Minibatch, random: torch.Generator) -> Tensor:
        """Sum of the objective over this process' part of a minibatch."""
        n = minibatch.examples
        part = self._ranks.part(n)
        mask = None
        if self._config.dropout > 0:
            mask = self._mask((n, self._config.last_hidden), random)
        every = torch.from_numpy(minibatch.words).long()
        noise = self._draw(every[:, -1], random)
        windows = put(every[part], self._device)
        words = every[part, -1]
        if len(words) == 0:
            return torch.zeros((), device=self._device)
        vectors = None
        if self._config.source_vector_dim:
            beside = minibatch.vectors[minibatch.vector_of[part]]
            vectors = put(torch.from_numpy(beside), self._device)
        hidden = self._network.hidden(windows[:, :-1], mask, vectors)
        return self._loss(hidden, words, noise and noise.of(part))


class SentenceEngine(TorchEngine[SentenceNetwork]):
    """Back-propagation through `unroll` words; a sentence does not depend on the one before it."""

    @override
    def _make_network(self) -> SentenceNetwork:
        return SentenceNetwork(self._config, self._layout)

    @override
    def _descend(self, minibatch: Minibatch, random: torch.Generator) -> Tensor:
        every = torch.from_numpy(minibatch.words).long()  # (sentences, longest + 2)
        own = self._ranks.part(len(every))
        vectors = put(torch.from_numpy(minibatch.vectors), self._device)
        vector_of = put(torch.from_numpy(minibatch.vector_of).long()[own], self._device)
        inputs, targets = put(every[own, :-1].clamp(min=0), self._device), every[own, 1:]
        if self._layout.predicted is not None:  # other words are read only
            predicted = torch.from_numpy(self._layout.predicted)
            targets = torch.where(predicted[targets.clamp(min=0)], targets, -1)
        noise = self._draw(every[:, 1:].clamp(min=0).flatten(), random)
        # Numbers of the predictions among all positions of the minibatch.
        number = torch.arange(every[:, 1:].numel()).view(len(every), -1)[own]
        columns = inputs.shape[1]
        # Without a state of fixed size to pass on, gradients flow all the way back.
        unrolls = "unroll" in NETWORKS.get(self._config.network).keys
        step = self._config.unroll if unrolls else columns
        state = self._network.empty(len(inputs))
        total = torch.zeros((), device=self._device)
        if len(inputs) == 0:
            return total
        for begin in range(0, columns, step):
            piece = slice(begin, begin + step)
            words = targets[:, piece].flatten()
            known = torch.nonzero(words >= 0).squeeze(1)
            chosen = put(known, self._device)
            with lower_precision(self._config.precision, self._device):
                hidden, histories, state = self._network.read(
                    state,
                    inputs[:, piece],
                    vectors[vector_of[:, piece]],
                    self._drop(random, len(every)),
                )
                loss = self._loss(
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
        if self._config.dropout == 0:
            return lambda x: x
        return lambda x: x * self._mask((sentences, *x.shape[1:]), random)


def find_device(wanted: str, number: int = 0) -> torch.device:
    """The device that `device: auto | cpu | gpu` selects; on a GPU, sums get a fixed order.

    Args:
        wanted: the setting.
        number: of this process on its machine: each has a GPU of its own.

    Raises:
        InputError: a GPU is asked for and torch finds none, or fewer than there are processes.
    """
    if wanted == "cpu" or (wanted == "auto" and not torch.cuda.is_available()):
        return torch.device("cpu")
    if not torch.cuda.is_available():
        what = f"device: gpu, but torch {torch.__version__} finds none"
        raise InputError(what, hint="device: cpu, or install torch for your GPU and its driver")
    if number >= torch.cuda.device_count():
        what = f"process {number + 1} of this machine, which has {torch.cuda.device_count()} GPUs"
        raise InputError(what, hint="start as many processes as it has GPUs")
    torch.cuda.set_device(number)
    # cuBLAS reads this when first used; without it, its sums may vary from run to run.
    os.environ.setdefault("CUBLAS_WORKSPACE_CONFIG", ":4096:8")
    torch.use_deterministic_algorithms(True, warn_only=True)
    torch.backends.cudnn.benchmark = False
    return torch.device("cuda", number)


def put(array: NDArray[np.integer] | Tensor, device: torch.device) -> Tensor:
    """Numbers on a device, copied in the background."""
    tensor = array if isinstance(array, Tensor) else torch.from_numpy(array)
    if device.type == "cpu":
        return tensor
    return tensor.pin_memory().to(device, non_blocking=True)


def lower_precision(precision: str, device: torch.device) -> AbstractContextManager[object]:
    """Compute products within in bfloat16 if `precision` says so; parameters keep their 32 bits."""
    if precision == "float32":
        return nullcontext()
    return torch.autocast(device.type, dtype=torch.bfloat16)
