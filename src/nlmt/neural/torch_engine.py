"""Training in torch, on the CPU or a GPU, in one process or several: the kernel's reference.

Tables of which a minibatch takes some rows have sparse gradients: a step reads and changes these
rows alone. The loss stays on the device until a call is done.
"""

import math
from collections.abc import Sequence
from typing import Generic, TypeVar

import numpy as np
import torch
from numpy.typing import NDArray

from nlmt.neural.config import NeuralConfig, Training
from nlmt.neural.devices import find_device, lower_precision, put
from nlmt.neural.direct_features import Direct
from nlmt.neural.minibatches import Minibatch, WindowBatch
from nlmt.neural.network import NamedParameters, Network
from nlmt.neural.noise import Noise, NoiseModel
from nlmt.neural.objectives import likelihood_loss, noise_loss
from nlmt.neural.optimisers import RULES, shrink
from nlmt.neural.outputs import ClassOutput
from nlmt.neural.parameters import MEMORIES, Parameters, State
from nlmt.neural.ranks import Ranks
from nlmt.neural.scoring import EventScorer, make_scorer
from nlmt.neural.short_list import ShortList
from nlmt.neural.source_vectors import SourceVectors
from nlmt.neural.structure import Structure

N = TypeVar("N", bound=NamedParameters)


class TorchEngine(Generic[N]):
    """What training in torch has in common: parameters, memories, steps."""

    def __init__(
        self,
        config: NeuralConfig,
        structure: Structure,
        counts: NDArray[np.float64],
        start: State,
        threads: int,
        ranks: Ranks,
    ) -> None:
        self._architecture = config.architecture
        self._training: Training = config.training
        self._structure = structure
        self._threads = threads
        self._ranks = ranks
        self._examples = float(counts.sum())  # of an epoch
        torch.set_num_threads(threads)
        self._device = find_device(config.training.device, ranks.local)
        self._source_words = len(start.parameters["embeddings"]) - structure.words
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
        if config.training.objective == "nce":
            self._noise = self._noise_model(counts).to(self._device)

    def _noise_model(self, counts: NDArray[np.float64]) -> NoiseModel:
        """The unigram of the rows of the output layer."""
        output = self._network.output
        if isinstance(output, ClassOutput):
            return NoiseModel.from_counts(counts, output.class_of.cpu().numpy())
        if isinstance(self._structure, ShortList):
            counts = counts[self._structure.listed]
        return NoiseModel.from_counts(counts, np.arange(len(counts)))

    def _make_network(self) -> N:
        """The network, its parameters zero."""
        raise NotImplementedError

    def _mask(self, shape: tuple[int, ...], random: torch.Generator) -> torch.Tensor:
        """Dropout of this process' part of so many rows: 0, or what keeps the mean.

        A byte decides of each unit.
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
        output, own = self._network.output, put(words, self._device)
        # Without classes every word is one, and noise words are those of any class.
        own = output.class_of[own] if isinstance(output, ClassOutput) else torch.zeros_like(own)
        return self._noise.draw(own, self._training.noise, random)

    def _objective(
        self,
        hidden: torch.Tensor,
        words: torch.Tensor,
        noise: Noise | None,
        direct: Direct | None = None,
    ) -> torch.Tensor:
        """Its sum over words (n,), best on the CPU, after hidden vectors (n, h)."""
        output, training = self._network.output, self._training
        if self._noise is not None:
            assert noise is not None
            return noise_loss(output, hidden, words, noise, self._noise, direct)
        alpha = training.alpha if training.objective == "self-normalised" else 0.0
        return likelihood_loss(output, hidden, words, alpha, direct)

    def _count(self, minibatch: Minibatch) -> int:
        """Number of its examples."""
        raise NotImplementedError

    def _descend(self, minibatch: Minibatch, random: torch.Generator) -> torch.Tensor:
        """The sum of the objective over this process' part of a minibatch, and its gradients.

        Random numbers are drawn for the whole minibatch, whatever the part.
        """
        raise NotImplementedError

    def train(
        self,
        minibatches: Sequence[Minibatch],
        first: int,
        key: int,
        rates: NDArray[np.float64],
    ) -> float:
        """See `Engine`."""
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
        """Weight decay; biases keep what they have learnt."""
        share = rate * self._training.weight_decay * examples / self._examples
        if share == 0:
            return
        with torch.no_grad():
            for name, parameter in self._network.named().items():
                if not name.endswith("bias"):
                    shrink(parameter, share, first, examples, self._examples)

    def _step(self, rate: float, examples: int) -> None:
        """AdaGrad goes along the sum of gradients, the others along their mean."""
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
                # The rows that the minibatch reads, and no others, move.
                moved = parameter[rows]
                remembered = {key: values[rows] for key, values in memory.items()}
                rule(moved, gradient, remembered, rate)
                parameter.index_copy_(0, rows, moved)
                for key, values in remembered.items():
                    memory[key].index_copy_(0, rows, values)

    def _gradient(self, name: str, parameter: torch.nn.Parameter) -> torch.Tensor:
        """The gradient over all processes; a sparse one has each row once.

        A process whose part has no example that says anything of the parameter takes part, too.
        """
        gradient = parameter.grad
        sparse = self._by_rows(name)
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

    def _by_rows(self, name: str) -> bool:
        """Whether a minibatch reads some rows of a weight, and not all of it."""
        if name.endswith("bias"):
            return False
        if self._training.objective == "nce" and name.startswith(("class_", "output_")):
            return True
        return name == "embeddings" or name.startswith(("word_", "node_"))

    def state(self) -> State:
        """See `Engine`."""
        memories: dict[str, Parameters] = {
            memory: {name: tensor.cpu().numpy().copy() for name, tensor in values.items()}
            for memory, values in self._memories.items()
        }
        return State(self._network.parameters_as_arrays(), **memories)


class WindowEngine(TorchEngine[Network]):
    """Every combination of parts of a feed-forward model."""

    def _make_network(self) -> Network:
        return Network(self._architecture, self._structure, self._source_words)

    def _count(self, minibatch: Minibatch) -> int:
        assert isinstance(minibatch, WindowBatch)
        return len(minibatch.rows)

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
        if self._architecture.beside:
            beside = minibatch.beside.vectors[minibatch.beside.of[part]]
            vectors = put(torch.from_numpy(beside), self._device)
        hidden = self._network.hidden(windows[:, :-1], mask, vectors)
        return self._objective(hidden, words, noise and noise.of(part))

    def scorer(self, vectors: SourceVectors | None = None) -> EventScorer:
        """See `Engine`."""
        parameters = self._network.parameters_as_arrays()
        return make_scorer(self._architecture, self._structure, parameters, self._threads, vectors)
