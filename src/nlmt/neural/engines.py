"""What turns minibatches into better parameters: the compiled kernel, or torch."""

from collections.abc import Sequence
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from nlmt.errors import InputError
from nlmt.neural import _kernel
from nlmt.neural.compiled_recurrent import CompiledRecurrentEngine
from nlmt.neural.compiled_training import put_memories, state_of, trainer_settings
from nlmt.neural.config import NeuralConfig
from nlmt.neural.minibatches import Minibatch, WindowBatch
from nlmt.neural.parameters import State
from nlmt.neural.ranks import Ranks
from nlmt.neural.scoring import (
    EventScorer,
    compiled_input,
    compiled_output,
    is_input,
    scorer_for,
)
from nlmt.neural.source_vectors import SourceVectors
from nlmt.neural.structure import Structure


class Engine(Protocol):
    """Parameters and the optimiser's state, and steps that change both."""

    def train(
        self,
        minibatches: Sequence[Minibatch],
        first: int,
        key: int,
        rates: NDArray[np.float64],
    ) -> float:
        """Step once for each minibatch (`nlmt.neural.passes`); the sum of the objective's loss.

        The first example has number `first` in the pass: random numbers belong to `key` and that
        number. `rates` has the size of each minibatch's step. How a pass is cut into calls makes
        no difference, as long as the cuts lie between minibatches.
        """
        ...

    def scorer(self, vectors: SourceVectors | None = None) -> EventScorer:
        """A scorer with the present parameters; `vectors` are those that stand beside words."""
        ...

    def state(self) -> State:
        """A copy of the parameters and of what the optimiser remembers."""
        ...


class KernelEngine:
    """The compiled kernel, on the CPU; the same for any number of threads."""

    def __init__(
        self,
        config: NeuralConfig,
        structure: Structure,
        counts: NDArray[np.float64],
        start: State,
        threads: int,
    ) -> None:
        training = config.training
        self._training = training
        self._threads = threads
        self._architecture = config.architecture
        self._structure = structure
        self._shapes = {name: values.shape for name, values in start.parameters.items()}
        self._input = compiled_input(config.architecture, start.parameters)
        self._output = compiled_output(config.architecture, structure, start.parameters)
        self._trainer = _kernel.Trainer32(
            self._input,
            self._output,
            *trainer_settings(training, counts),
            threads,
        )
        put_memories(self._trainer, start, training)

    def train(
        self,
        minibatches: Sequence[Minibatch],
        first: int,
        key: int,
        rates: NDArray[np.float64],
    ) -> float:
        """See `Engine`."""
        total = 0.0
        for batch, rate in zip(minibatches, rates.tolist(), strict=True):
            assert isinstance(batch, WindowBatch)
            vectors, of = batch.beside.vectors, batch.beside.of
            total += self._trainer.train(batch.rows, vectors, of, first, key, rate)
            first += len(batch.rows)
        return total

    def scorer(self, vectors: SourceVectors | None = None) -> EventScorer:
        """See `Engine`."""
        return scorer_for(
            self._architecture,
            self._structure,
            lambda contexts, beside: self._input.hidden(contexts, beside, self._threads),
            self._output,
            self._threads,
            vectors,
        )

    def state(self) -> State:
        """See `Engine`."""
        parameters = {
            name: (self._input if is_input(name) else self._output).get(name).reshape(shape)
            for name, shape in self._shapes.items()
        }
        return state_of(self._trainer, parameters, self._training)


def make_engine(
    config: NeuralConfig,
    structure: Structure,
    counts: NDArray[np.float64],
    start: State,
    threads: int,
    ranks: Ranks,
) -> Engine:
    """The engine that the configuration asks for.

    Args:
        config: parts and training.
        structure: what the output layer stands on.
        counts: (V,) of each word as a target.
        start: where to begin.
        threads: of the CPU.
        ranks: the processes that train together.

    Raises:
        InputError: the kernel is asked for in several processes, or a GPU where there is none.
    """
    training = config.training
    if training.engine == "kernel" and ranks.count > 1:
        what = "engine: kernel trains in one process, on all the threads of a machine"
        raise InputError(what, mend="start one process, or set engine: torch")
    # torch takes seconds to load: only where it is needed.
    recurrent = config.architecture.network != "feed-forward"
    by_kernel = ranks.count == 1 and training.engine != "torch" and not training.needs_torch
    if by_kernel and not recurrent:
        return KernelEngine(config, structure, counts, start, threads)
    if by_kernel and config.architecture.network != "transformer":
        return CompiledRecurrentEngine(config, structure, counts, start, threads)
    from nlmt.neural.recurrent_engine import RecurrentEngine
    from nlmt.neural.torch_engine import WindowEngine

    engine = RecurrentEngine if recurrent else WindowEngine
    return engine(config, structure, counts, start, threads, ranks)
