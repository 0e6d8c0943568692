"""The interface of networks.

A network is the layers of a model between its words and its output layer: a subclass of `Network`,
an object of which is registered in `nlmt.neural.parts.NETWORKS`. Its name is a value of the key
`network`. docs/extending.md is a worked example.
"""

import math
from abc import ABC, abstractmethod
from typing import TYPE_CHECKING, ClassVar

import numpy as np
from numpy.typing import NDArray

from nlmt.lm.plan import Cost
from nlmt.neural import _kernel
from nlmt.neural.outputs.layout import OutputLayout
from nlmt.neural.score.readers import Reader
from nlmt.neural.settings.architecture import Architecture
from nlmt.neural.settings.neural import NeuralConfig
from nlmt.neural.tensors import Parameters

if TYPE_CHECKING:
    from nlmt.neural.torch_backend.sentence_network import Layer

Shapes = dict[str, tuple[int, ...]]

# Standard deviation of the first weights of vectors of the source; small, as those of the output.
SOURCE_SCALE = 0.01


class Network(ABC):
    """The layers between the words and the output layer.

    Attributes:
        keys: configuration keys of this network that not all networks have.
        reads_sentences: whether it reads sentences from their beginning, rather than n-grams.
        embedding_scale: standard deviation of the first values of the embeddings.
        in_kernel: whether the kernel trains and scores it.
        cost: class of the cost of a score.
    """

    keys: ClassVar[tuple[str, ...]] = ("direct_features",)
    reads_sentences: ClassVar[bool] = True
    embedding_scale: ClassVar[float] = 0.1  # as in Mikolov's toolkit
    in_kernel: ClassVar[bool] = False
    cost: ClassVar[Cost] = "transformer"

    def check(self, architecture: Architecture) -> None:  # noqa: B027
        """Refuse keys that contradict each other.

        Raises:
            InputError: says which keys, and what to do.
        """

    @abstractmethod
    def layer_shapes(self, architecture: Architecture) -> Shapes:
        """The shape of each parameter of the layers, without what is read of the source.

        The name of a vector ends with `bias`. Random first values are drawn in this order: in
        another one, the same seed gives another model.
        """

    def shapes(self, architecture: Architecture) -> Shapes:
        """The shape of each parameter below the output layer, except embeddings."""
        a = architecture
        vectors = {"source_weight": (a.dim, a.source_vector_dim)} if a.source_vector_dim else {}
        return self.layer_shapes(a) | vectors

    def first_weight(
        self,
        architecture: Architecture,
        name: str,
        shape: tuple[int, ...],
        random: np.random.Generator,
    ) -> NDArray[np.float64]:
        """Random first values of a parameter that is no bias."""
        scale = SOURCE_SCALE if name == "source_weight" else 1 / math.sqrt(shape[1])
        return random.normal(scale=scale, size=shape)

    def products(self, architecture: Architecture) -> int:
        """Multiplications in the forward pass of a word, elementwise ones left out."""
        shapes = self.shapes(architecture).values()
        return sum(math.prod(shape) for shape in shapes if len(shape) > 1)

    def threads(self, products: int, most: int) -> int:
        """Threads of the CPU beyond which training gains nothing, at most `most`.

        With several threads torch sums in another order, and two were no faster on small networks.

        Args:
            products: multiplications of a layer at all words of a minibatch.
            most: of any network.
        """
        return 1

    def compiled(
        self, architecture: Architecture, layout: OutputLayout, parameters: Parameters
    ) -> "_kernel.Input32 | _kernel.Recurrent32":
        """The layers in the kernel, with their parameters, where it has them."""
        raise NotImplementedError

    def torch_layers(self, architecture: Architecture) -> "list[Layer]":
        """The layers of a network over sentences in torch, the lowest first, parameters zero.

        torch takes seconds to load: import it here and not at the top of the module.
        """
        raise NotImplementedError

    def reader(
        self, config: NeuralConfig, layout: OutputLayout, parameters: Parameters, threads: int
    ) -> Reader:
        """The reader of sentences word by word, by the layers in torch."""
        from nlmt.neural.torch_backend.reader import TorchReader

        return TorchReader(config, layout, parameters, threads)


def stacked(layers: int, parts: Shapes) -> Shapes:
    """The shapes of several equal layers."""
    return {f"layers.{i}.{name}": shape for i in range(layers) for name, shape in parts.items()}
