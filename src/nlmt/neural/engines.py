"""What turns minibatches into better parameters: the compiled kernel, or torch."""

from collections.abc import Sequence
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from nlmt.errors import InputError
from nlmt.neural.compiled_recurrent import CompiledRecurrentEngine
from nlmt.neural.compiled_windows import CompiledWindowEngine
from nlmt.neural.config import NeuralConfig
from nlmt.neural.minibatches import Minibatch
from nlmt.neural.parameters import State
from nlmt.neural.ranks import Ranks
from nlmt.neural.scoring import EventScorer
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
        """Step once for each minibatch (`nlmt.neural.epochs`); the sum of the objective's loss.

        The first example has number `first` in the epoch: random numbers belong to `key` and that
        number. `rates` has the size of each minibatch's step. How an epoch is cut into calls makes
        no difference, as long as the cuts lie between minibatches.
        """
        ...

    def scorer(self, vectors: SourceVectors | None = None) -> EventScorer:
        """A scorer with the present parameters; `vectors` are those that stand beside words."""
        ...

    def state(self) -> State:
        """A copy of the parameters and of what the optimiser remembers."""
        ...


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
        raise InputError(what, hint="start one process, or set engine: torch")
    recurrent = config.architecture.network != "feed-forward"
    by_kernel = ranks.count == 1 and training.engine != "torch" and not training.needs_torch
    if by_kernel and not recurrent:
        return CompiledWindowEngine(config, structure, counts, start, threads)
    if by_kernel and config.architecture.network != "transformer":
        return CompiledRecurrentEngine(config, structure, counts, start, threads)
    # torch takes seconds to load: only where it is needed.
    from nlmt.neural.recurrent_engine import RecurrentEngine
    from nlmt.neural.torch_engine import WindowEngine

    engine = RecurrentEngine if recurrent else WindowEngine
    return engine(config, structure, counts, start, threads, ranks)
