"""Training in torch, on the CPU or a GPU, in one process or several: the kernel's reference.

Tables of which a minibatch takes some rows have sparse gradients: a step reads and changes these
rows alone. The loss stays on the device until a call is done.
"""

from collections.abc import Sequence
from typing import Generic, TypeVar

import numpy as np
import torch
from numpy.typing import NDArray

from nlmt.neural.config import NeuralConfig, Training
from nlmt.neural.devices import find_device, lower_precision, put
from nlmt.neural.minibatches import Minibatch, WindowBatch
from nlmt.neural.network import NamedParameters, Network
from nlmt.neural.objectives import NoiseModel, likelihood_loss, nce_loss, shared_nce_loss
from nlmt.neural.optimisers import RULES
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
        self._decay = config.training.weight_decay / counts.sum()  # for one example
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

    def _make_network(self) -> N:
        """The network, its parameters zero."""
        raise NotImplementedError

    def _mask(self, shape: tuple[int, ...], random: torch.Generator) -> torch.Tensor:
        """Dropout of this process' part of so many rows: 0, or what keeps the mean."""
        keep = 1 - self._training.dropout
        drawn = torch.rand(shape, generator=random, device=self._device)
        return (drawn[self._ranks.part(shape[0])] < keep).float().div(keep)

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
            self._shrink(rate * self._decay * examples)
            self._network.zero_grad()
            total += self._descend(minibatch, random)
            self._step(rate, examples)
            first += examples
        return float(self._ranks.sum(total))

    def _shrink(self, share: float) -> None:
        """Weight decay."""
        if share == 0:
            return
        with torch.no_grad():
            for name, parameter in self._network.named().items():
                if not name.endswith("bias"):
                    parameter.mul_(1 - share)

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
                if gradient.is_sparse:
                    rows, gradient = gradient.indices()[0], gradient.values()
                gradient = gradient * scale
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

    def __init__(
        self,
        config: NeuralConfig,
        structure: Structure,
        counts: NDArray[np.float64],
        start: State,
        threads: int,
        ranks: Ranks,
    ) -> None:
        super().__init__(config, structure, counts, start, threads, ranks)
        if config.training.objective == "nce":
            output = self._network.output
            if isinstance(structure, ShortList):
                counts = counts[structure.listed]
            classes = np.arange(len(counts))
            if isinstance(output, ClassOutput):
                classes = output.class_of.cpu().numpy()
            self._noise = NoiseModel.from_counts(counts, classes).to(self._device)

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
        training, n = self._training, len(minibatch.rows)
        part = self._ranks.part(n)
        mask = None
        if training.dropout > 0:
            mask = self._mask((n, self._architecture.units), random)
        every = torch.from_numpy(minibatch.rows).long()
        windows = put(every[part], self._device)
        words = every[part, -1]
        if len(words) == 0:
            return torch.zeros((), device=self._device)
        vectors = None
        if self._architecture.beside:
            beside = minibatch.beside.vectors[minibatch.beside.of[part]]
            vectors = put(torch.from_numpy(beside), self._device)
        hidden = self._network.hidden(windows[:, :-1], mask, vectors)
        output = self._network.output
        if training.objective != "nce":
            alpha = training.alpha if training.objective == "self-normalised" else 0.0
            return likelihood_loss(output, hidden, words, alpha)
        k, noise = training.noise, self._noise
        if training.noise_sharing == "batch":
            (classes,) = noise.draw_classes(1, k, random)
            noise_words = noise.draw_words(
                torch.arange(len(noise.ends), device=self._device), k, random
            )
            return shared_nce_loss(output, hidden, words, classes, noise_words, noise)
        classes = noise_words = noise.draw_classes(n, k, random)[part]
        if isinstance(output, ClassOutput):
            own = output.class_of[put(every[:, -1], self._device)]
            noise_words = noise.draw_words(own, k, random)[part]
        return nce_loss(output, hidden, words, classes, noise_words, noise)

    def scorer(self, vectors: SourceVectors | None = None) -> EventScorer:
        """See `Engine`."""
        parameters = self._network.parameters_as_arrays()
        return make_scorer(self._architecture, self._structure, parameters, self._threads, vectors)
