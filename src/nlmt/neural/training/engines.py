"""Engines of training, which update parameters by minibatches: the compiled kernel, or torch."""

from collections.abc import Callable, Sequence
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from nlmt.errors import InputError
from nlmt.neural.config import NeuralConfig
from nlmt.neural.data.minibatches import Minibatch
from nlmt.neural.data.source_vectors import SourceEncoder
from nlmt.neural.outputs.registry import OutputLayout
from nlmt.neural.parameters import TrainingState
from nlmt.neural.scoring.protocol import Scorer
from nlmt.neural.training.ranks import Ranks
from nlmt.registry import Registry


class Engine(Protocol):
    """Holds parameters and the optimiser's state, and takes steps that change both."""

    def train(
        self,
        minibatches: Sequence[Minibatch],
        first: int,
        key: int,
        rates: NDArray[np.float64],
    ) -> float:
        """Take a step for each minibatch; return the sum of the objective's loss.

        The first example has number `first` in the epoch; `key` and that number determine the
        random numbers. `rates` has the rate of each minibatch. The division of an epoch into calls,
        between minibatches, makes no difference.
        """
        ...

    def scorer(self, encoder: SourceEncoder | None = None) -> Scorer:
        """A scorer with the present parameters; `encoder` makes the vectors beside the words."""
        ...

    def state(self) -> TrainingState:
        """A copy of the parameters and the optimiser's memories."""
        ...


# By backend and the network's input. torch takes seconds to load: only where it is needed.
_ENGINES: Registry[Callable[..., Engine]] = Registry(
    "engine",
    {
        "kernel n-grams": "nlmt.neural.kernel_backend.windows:WindowEngine",
        "kernel sentences": "nlmt.neural.kernel_backend.sentences:SentenceEngine",
        "torch n-grams": "nlmt.neural.torch_backend.window_engine:WindowEngine",
        "torch sentences": "nlmt.neural.torch_backend.sentence_engine:SentenceEngine",
    },
)


def make_engine(
    config: NeuralConfig,
    layout: OutputLayout,
    counts: NDArray[np.float64],
    start: TrainingState,
    threads: int,
    ranks: Ranks,
) -> Engine:
    """The engine that the configuration selects.

    Args:
        config: parts and training.
        layout: of the output layer.
        counts: (V,) of each word as a target.
        start: parameters and memories to begin with.
        threads: of the CPU.
        ranks: the processes that train together.

    Raises:
        InputError: the kernel is asked for in several processes or for an output layer that it does
            not have, or a GPU where there is none.
    """
    training, architecture = config.training, config.architecture
    has_output = layout.compiled(1) is not None
    if training.engine == "kernel" and ranks.count > 1:
        what = "engine: kernel trains in one process, on all the threads of a machine"
        raise InputError(what, hint="start one process, or set engine: torch")
    if training.engine == "kernel" and not has_output:
        what = f"engine: kernel has no output: {architecture.output}"
        raise InputError(what, hint="engine: auto or torch")
    reads = "sentences" if architecture.reads_sentences else "n-grams"
    compiled = has_output and architecture.network != "transformer"
    if compiled and ranks.count == 1 and training.engine != "torch" and not training.needs_torch:
        return _ENGINES.get(f"kernel {reads}")(config, layout, counts, start, threads)
    return _ENGINES.get(f"torch {reads}")(config, layout, counts, start, threads, ranks)
