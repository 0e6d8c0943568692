"""Steps of training as CUDA graphs: recorded once, then started by a single launch.

A step of a small minibatch has a hundred and more kernels, each of which is over before the
processor has started the next one.
"""

import gc
from collections.abc import Callable

import torch
from torch import Tensor

# Steps of a shape that run as they are before one is recorded: libraries allocate memory in their
# first calls, which a recording does not allow.
FIRST_STEPS = 3


class CapturedStep:
    """A function of tensors on a GPU that becomes a CUDA graph after some calls.

    It has to launch the same kernels for all tensors of a shape, and may not wait for the device.
    """

    def __init__(
        self, function: Callable[[Tensor, Tensor], Tensor], random: torch.Generator
    ) -> None:
        """Capture a function.

        Args:
            function: of words and a rate; may draw from `random`.
            random: which the caller seeds before each call.
        """
        self._function, self._random = function, random
        self._stream = torch.cuda.Stream()  # type: ignore[no-untyped-call]
        self._calls = 0
        self._graph: torch.cuda.CUDAGraph | None = None

    def __call__(self, words: Tensor, rate: Tensor) -> Tensor:
        """Run the function, or start its graph; the result is overwritten by the next call."""
        if self._graph is None and self._calls == FIRST_STEPS:
            self._capture(words, rate)
        if self._graph is None:
            self._calls += 1
            return self.uncaptured(words, rate)
        self._words.copy_(words)
        self._rate.copy_(rate)
        self._graph.replay()
        return self._result

    def uncaptured(self, words: Tensor, rate: Tensor) -> Tensor:
        """Run the function itself, for words of another shape."""
        self._stream.wait_stream(torch.cuda.current_stream())
        with torch.cuda.stream(self._stream):
            result = self._function(words, rate)
        torch.cuda.current_stream().wait_stream(self._stream)
        return result

    def _capture(self, words: Tensor, rate: Tensor) -> None:
        """Record the function for words of this shape."""
        self._words, self._rate = words.clone(), rate.clone()
        graph = torch.cuda.CUDAGraph()
        graph.register_generator_state(self._random)
        # Nothing may be freed while a step is recorded, for example another model's graph.
        gc.collect()
        gc.disable()
        try:
            with torch.cuda.graph(graph, stream=self._stream):
                self._result = self._function(self._words, self._rate)
        finally:
            gc.enable()
        self._graph = graph
