"""Training in torch, on the CPU or the first GPU: the reference of the kernel."""

from collections.abc import Sequence
from typing import Generic, TypeVar

import numpy as np
import torch
from numpy.typing import NDArray

from nlmt.neural.config import NeuralConfig, Training
from nlmt.neural.network import NamedParameters, Network
from nlmt.neural.objectives import NoiseModel, likelihood_loss, nce_loss
from nlmt.neural.optimisers import RULES
from nlmt.neural.outputs import ClassOutput
from nlmt.neural.parameters import MEMORIES, Parameters, State
from nlmt.neural.scoring import EventScorer, make_scorer
from nlmt.neural.short_list import ShortList
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
    ) -> None:
        self._architecture = config.architecture
        self._training: Training = config.training
        self._structure = structure
        self._threads = threads
        self._decay = config.training.weight_decay / counts.sum()  # for one example
        torch.set_num_threads(threads)
        self._device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
        self._source_words = len(start.parameters["embeddings"]) - structure.words
        self._network = self._make_network()
        self._network.load_parameters(start.parameters)
        self._network.to(self._device)
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
        """Dropout: 0, or what keeps the mean."""
        keep = 1 - self._training.dropout
        return (torch.rand(shape, generator=random) < keep).float().div(keep).to(self._device)

    def _count(self, minibatch: NDArray[np.int32]) -> int:
        """Number of its examples."""
        raise NotImplementedError

    def _descend(self, minibatch: NDArray[np.int32], random: torch.Generator) -> float:
        """The sum of the objective over a minibatch, and its gradients."""
        raise NotImplementedError

    def train(
        self,
        minibatches: Sequence[NDArray[np.int32]],
        first: int,
        key: int,
        rates: NDArray[np.float64],
    ) -> float:
        """See `Engine`."""
        total = 0.0
        for minibatch, rate in zip(minibatches, rates.tolist(), strict=True):
            examples = self._count(minibatch)
            seed = np.random.SeedSequence([key, first]).generate_state(1, np.uint64)[0]
            random = torch.Generator().manual_seed(int(seed >> np.uint64(1)))
            self._shrink(rate * self._decay * examples)
            self._network.zero_grad()
            total += self._descend(minibatch, random)
            self._step(rate, examples)
            first += examples
        return total

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
        with torch.no_grad():
            for name, parameter in self._network.named().items():
                if parameter.grad is None:  # no word of the minibatch has a class with others
                    continue
                gradient = parameter.grad * scale
                if training.clip:
                    gradient.clamp_(-training.clip, training.clip)
                memory = {key: values[name] for key, values in self._memories.items()}
                RULES[training.optimiser](parameter, gradient, memory, rate)

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
    ) -> None:
        super().__init__(config, structure, counts, start, threads)
        if config.training.objective == "nce":
            output = self._network.output
            self._classes = output.class_of.cpu() if isinstance(output, ClassOutput) else None
            if isinstance(structure, ShortList):
                counts = counts[structure.listed]
            classes = np.arange(len(counts)) if self._classes is None else self._classes.numpy()
            shared = config.training.noise_sharing == "batch"
            self._noise = NoiseModel.from_counts(counts, classes, shared=shared)

    def _make_network(self) -> Network:
        return Network(self._architecture, self._structure, self._source_words)

    def _count(self, minibatch: NDArray[np.int32]) -> int:
        return len(minibatch)

    def _descend(self, minibatch: NDArray[np.int32], random: torch.Generator) -> float:
        loss = self._loss(torch.from_numpy(minibatch).long(), random)
        loss.backward()  # type: ignore[no-untyped-call]
        return float(loss.detach())

    def _loss(self, batch: torch.Tensor, random: torch.Generator) -> torch.Tensor:
        """Sum of the objective over a batch (n, positions + 1)."""
        training = self._training
        mask = None
        if training.dropout > 0:
            mask = self._mask((len(batch), self._architecture.hidden_dim), random)
        words = batch[:, -1].to(self._device)
        hidden = self._network.hidden(batch[:, :-1].to(self._device), mask)
        output = self._network.output
        if training.objective != "nce":
            alpha = training.alpha if training.objective == "self-normalised" else 0.0
            return likelihood_loss(output, hidden, words, alpha)
        noise = self._noise
        classes = noise_words = noise.draw_classes(len(words), training.noise, random)
        if isinstance(output, ClassOutput) and self._classes is not None:
            members = output.members.cpu()[self._classes[batch[:, -1]]]
            noise_words = noise.draw_words(members, training.noise, random)
        on_device = NoiseModel(
            noise.log_class.float().to(self._device), noise.log_word.float().to(self._device)
        )
        return nce_loss(
            output,
            hidden,
            words,
            classes.to(self._device),
            noise_words.to(self._device),
            on_device,
        )

    def scorer(self) -> EventScorer:
        """See `Engine`."""
        parameters = self._network.parameters_as_arrays()
        return make_scorer(self._architecture, self._structure, parameters, self._threads)
