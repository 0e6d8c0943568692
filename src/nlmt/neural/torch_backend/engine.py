"""Training in torch on the CPU or a GPU, in one process or several; the kernel's reference.

Tables of which a minibatch uses some rows have sparse gradients: a step reads and changes only
these rows. The loss stays on the device until the end of a call.
"""

import math
from collections.abc import Sequence
from typing import Generic, TypeVar

import numpy as np
import torch
from numpy.typing import NDArray
from typing_extensions import override

from nlmt.neural.config import NeuralConfig
from nlmt.neural.data.minibatches import Minibatch
from nlmt.neural.data.source_vectors import SourceEncoder
from nlmt.neural.data.tensors import Parameters
from nlmt.neural.outputs.registry import OutputLayout
from nlmt.neural.parameters import MEMORIES, TrainingState
from nlmt.neural.scoring.protocol import Scorer, make_scorer
from nlmt.neural.torch_backend.devices import find_device, put
from nlmt.neural.torch_backend.direct_features import Direct
from nlmt.neural.torch_backend.named_parameters import NamedParameters
from nlmt.neural.torch_backend.noise import Noise
from nlmt.neural.torch_backend.optimisers import RULES, shrink
from nlmt.neural.training.engines import Engine
from nlmt.neural.training.ranks import Ranks

N = TypeVar("N", bound=NamedParameters)


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
        self._architecture = config.architecture
        self._training = config.training
        self._layout = layout
        self._threads = threads
        self._ranks = ranks
        self._examples = float(counts.sum())  # in an epoch
        torch.set_num_threads(threads)
        self._device = find_device(config.training.device, ranks.local)
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
            for memory in MEMORIES[config.training.optimiser]
        }
        self._noise = None
        if config.training.noise_contrastive:
            self._noise = self._network.output.noise_model(counts).to(self._device)
        contrast = config.training.noise_contrastive
        weights = self._network.output.weights_by_row(contrast=contrast)
        self._by_row = {"embeddings", *weights}

    def _make_network(self) -> N:
        """The network, its parameters zero."""
        raise NotImplementedError

    def _mask(self, shape: tuple[int, ...], random: torch.Generator) -> torch.Tensor:
        """Dropout for this process' part of the rows: 0, or the factor that keeps the mean.

        One random byte decides each unit.
        """
        keep = 256 - round(256 * self._training.dropout)
        count = math.prod(shape)
        drawn = torch.empty(-(-count // 8), dtype=torch.int64, device=self._device)
        drawn.random_(-(2**63), None, generator=random)
        units = drawn.view(torch.uint8)[:count].view(shape)[self._ranks.part(shape[0])]
        return (units < keep).float().mul_(256 / keep)

    def _draw(self, words: torch.Tensor, random: torch.Generator) -> Noise | None:
        """The noise of a minibatch that predicts `words` (n,), where NCE needs any."""
        if self._noise is None:
            return None
        if self._training.noise_sharing == "batch":
            return self._noise.draw_shared(self._training.noise, random)
        classes = self._network.output.noise_classes(put(words, self._device))
        return self._noise.draw(classes, self._training.noise, random)

    def _objective(
        self,
        hidden: torch.Tensor,
        words: torch.Tensor,
        noise: Noise | None,
        direct: Direct | None = None,
    ) -> torch.Tensor:
        """Sum of the objective over words (n,), best on the CPU, after hidden vectors (n, h)."""
        output, training = self._network.output, self._training
        if self._noise is not None:
            assert noise is not None
            return output.noise_loss(hidden, words, noise, self._noise, direct)
        return output.likelihood_loss(hidden, words, training.normaliser_penalty, direct)

    def _count(self, minibatch: Minibatch) -> int:
        """Number of examples of a minibatch."""
        raise NotImplementedError

    def _descend(self, minibatch: Minibatch, random: torch.Generator) -> torch.Tensor:
        """Compute gradients of this process' part of a minibatch; return the sum of its objective.

        Random numbers are drawn for the whole minibatch, whatever the part.
        """
        raise NotImplementedError

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
            examples = self._count(minibatch)
            seed = np.random.SeedSequence([key, first]).generate_state(1, np.uint64)[0]
            random = torch.Generator(self._device).manual_seed(int(seed >> np.uint64(1)))
            self._shrink(rate, first, examples)
            self._network.zero_grad()
            total += self._descend(minibatch, random)
            self._step(rate, examples)
            first += examples
        return float(self._ranks.sum(total))

    def _shrink(self, rate: float, first: int, examples: int) -> None:
        """Apply weight decay, except to biases."""
        share = rate * self._training.weight_decay * examples / self._examples
        if share == 0:
            return
        with torch.no_grad():
            for name, parameter in self._network.named().items():
                if not name.endswith("bias"):
                    shrink(parameter, share, first, examples, self._examples)

    def _step(self, rate: float, examples: int) -> None:
        """Take one step: AdaGrad along the sum of gradients, the others along their mean."""
        training = self._training
        scale = 1.0 if training.optimiser == "adagrad" else 1 / examples
        rule = RULES[training.optimiser]
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
                if training.clip:
                    gradient.clamp_(-training.clip, training.clip)
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

    def _gradient(self, name: str, parameter: torch.nn.Parameter) -> torch.Tensor:
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
    def state(self) -> TrainingState:
        memories: dict[str, Parameters] = {
            memory: {name: tensor.cpu().numpy().copy() for name, tensor in values.items()}
            for memory, values in self._memories.items()
        }
        return TrainingState(self._network.parameters_as_arrays(), **memories)

    @override
    def scorer(self, encoder: SourceEncoder | None = None) -> Scorer:
        parameters = self._network.parameters_as_arrays()
        return make_scorer(self._architecture, self._layout, parameters, self._threads, encoder)
