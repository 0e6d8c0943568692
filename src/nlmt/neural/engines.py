"""What turns windows into better parameters: the compiled kernel, or torch."""

from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from nlmt.errors import InputError
from nlmt.neural import _kernel
from nlmt.neural.config import Architecture, NeuralConfig
from nlmt.neural.parameters import Parameters
from nlmt.neural.scoring import (
    Scorer,
    kernel_covers,
    kernel_network,
    kernel_parts,
)
from nlmt.neural.word_classes import WordClasses


class Engine(Protocol):
    """Parameters and the optimiser's state, and steps that change both."""

    def train(
        self, windows: NDArray[np.int32], first: int, key: int, rate: float, decline: float
    ) -> float:
        """Step once for each minibatch of windows (n, order); the sum of the objective's loss.

        Row i is example first + i of the pass: random numbers belong to `key` and that number, and
        the size of a step is rate - decline * (number of its first example). How a pass is cut into
        calls makes no difference, as long as the cuts lie between minibatches.
        """
        ...

    def scorer(self) -> Scorer:
        """A scorer with the present parameters."""
        ...

    def parameters(self) -> Parameters:
        """A copy of the parameters."""
        ...

    def squares(self) -> Parameters:
        """A copy of AdaGrad's sums of squared gradients, under the parameters' names."""
        ...


class KernelEngine:
    """The compiled kernel: diagonal contexts, no hidden layers; the same for any thread count."""

    def __init__(
        self,
        config: NeuralConfig,
        classes: WordClasses,
        counts: NDArray[np.float64],
        parameters: Parameters,
        squares: Parameters,
        threads: int,
    ) -> None:
        self._architecture: Architecture = config.architecture
        self._minibatch = config.training.minibatch
        self._threads = threads
        self._names = list(parameters)
        self._network = kernel_network(config.architecture, classes, parameters, with_input=True)
        self._trainer = _kernel.Trainer32(
            self._network,
            config.training.objective,
            config.training.noise,
            counts,
            config.training.optimiser,
            config.training.dropout,
            threads,
        )
        for name, values in kernel_parts(config.architecture, squares, with_input=True).items():
            self._trainer.set(name, values)

    def train(
        self, windows: NDArray[np.int32], first: int, key: int, rate: float, decline: float
    ) -> float:
        """See `Engine`."""
        return self._trainer.train(windows, first, key, self._minibatch, rate, decline)

    def scorer(self) -> Scorer:
        """See `Engine`."""
        network = self._network
        return Scorer(lambda c: network.hidden(c, self._threads), network, self._threads)

    def parameters(self) -> Parameters:
        """See `Engine`."""
        return self._outside(self._network)

    def squares(self) -> Parameters:
        """See `Engine`."""
        return self._outside(self._trainer)

    def _outside(self, holder: _kernel.Network32 | _kernel.Trainer32) -> Parameters:
        result: Parameters = {}
        for name in self._names:
            values = holder.get(name.replace("output_", "class_"))
            result[name] = values[0] if name.endswith("bias") else values
        return result


def make_engine(
    config: NeuralConfig,
    classes: WordClasses,
    counts: NDArray[np.float64],
    parameters: Parameters,
    squares: Parameters,
    threads: int,
) -> Engine:
    """The engine that the configuration asks for.

    Args:
        config: parts and training.
        classes: of the vocabulary's words.
        counts: (V,) of each word as a target.
        parameters: where to begin.
        squares: AdaGrad's sums so far, under the same names.
        threads: of the CPU.

    Raises:
        InputError: the kernel is asked for parts that it does not have.
    """
    covered = kernel_covers(config.architecture)
    if config.training.engine == "kernel" and not covered:
        raise InputError(
            "engine: the kernel has the diagonal projection without hidden layers only",
            mend="engine: torch, or auto",
        )
    if covered and config.training.engine != "torch":
        return KernelEngine(config, classes, counts, parameters, squares, threads)
    # torch takes seconds to load: only where it is needed.
    from nlmt.neural.torch_engine import TorchEngine

    return TorchEngine(config, classes, counts, parameters, squares, threads)
