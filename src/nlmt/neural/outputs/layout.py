"""The interface of output layers.

An output layer is a subclass of `OutputLayout`, which arranges the words and says what the layer's
parameters are, with a layer for torch and, for speed, one of the compiled kernel.
`nlmt.neural.parts.OUTPUTS` has its name. docs/extending.md is a worked example.
"""

import hashlib
from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from nlmt.lm.kinds import TrainingData
from nlmt.neural import _kernel
from nlmt.neural.settings.architecture import Architecture
from nlmt.neural.text.files import TextFiles
from nlmt.ngram.backoff import BackoffModel
from nlmt.vocabulary import Vocabulary

if TYPE_CHECKING:
    from torch import nn

Arrays = Mapping[str, NDArray[Any]]  # by name

CLASSES = "classes.tsv"  # in a model's folder: the lines of its output layer, of any kind


def _none(*shape: int) -> Callable[[], NDArray[np.float32]]:
    return lambda: np.zeros(shape, dtype=np.float32)


@dataclass(frozen=True, eq=False)
class ListArrays:
    """The words that an output layer predicts, and the model of the others.

    Attributes:
        units: (V,) row of each word in the layer, -1 for those that are not in the list.
        backoff: over all V words.
        mass: of the list after the contexts of the back-off model; see `BackoffModel.mass`.
    """

    units: NDArray[np.int32]
    backoff: BackoffModel
    mass: tuple[NDArray[np.float64], ...]


@dataclass(frozen=True, eq=False)
class OutputArrays:
    """An output layer as arrays, as the decoder takes it; h is the size of the hidden vector.

    Attributes:
        unit_weight: (V, h) row of each word, under the class-factored output within the class;
            under a tree (nodes, h); under a short-list of s words (s, h).
        unit_bias: (V,), (nodes,) or (s,).
        class_of: (V,) class of each word; empty unless class-factored.
        class_weight: (classes, h); empty unless class-factored.
        class_bias: (classes,).
        path_starts: (V + 1,) under a tree the path of word w is the nodes
            path_nodes[path_starts[w]:path_starts[w + 1]] from the root; empty otherwise.
        path_nodes: (steps,).
        path_signs: (steps,) 1 where sigmoid(node) is the probability of the step, -1 where it is
            the probability of the other branch.
        short_list: where the layer predicts only some of the words.
    """

    unit_weight: NDArray[np.float32]
    unit_bias: NDArray[np.float32]
    class_of: NDArray[np.int32] = field(default_factory=lambda: np.zeros(0, dtype=np.int32))
    class_weight: NDArray[np.float32] = field(default_factory=_none(0, 1))
    class_bias: NDArray[np.float32] = field(default_factory=_none(0))
    path_starts: NDArray[np.int64] = field(default_factory=lambda: np.zeros(0, dtype=np.int64))
    path_nodes: NDArray[np.int32] = field(default_factory=lambda: np.zeros(0, dtype=np.int32))
    path_signs: NDArray[np.float32] = field(default_factory=_none(0))
    short_list: ListArrays | None = None


class OutputLayout(ABC):
    """The words of an output layer, arranged: in classes, in a tree, or as they are.

    Attributes:
        keys: configuration keys of this layer that not all output layers have.
        normalises: whether its scores have normalisers that an objective can draw towards 1.
        contrasts: whether its layers tell words from noise (`Output.noise_loss`).
        decodes: whether `decoder_arrays` returns arrays.
        takes_word_tree: whether classes of one word each suit it.
        all_words: whether it needs the rare words of encoded training texts, too.
        name: what `count` counts, in the log and in config.json; `words` means V there.
    """

    keys: ClassVar[tuple[str, ...]] = ("min_count",)
    normalises: ClassVar[bool] = True
    contrasts: ClassVar[bool] = False
    decodes: ClassVar[bool] = False
    takes_word_tree: ClassVar[bool] = True
    all_words: ClassVar[bool] = False
    name: ClassVar[str] = "words"

    @classmethod
    def needs_classes(cls, settings: Architecture) -> bool:
        """Whether the layer is built from word classes."""
        return False

    @classmethod
    def read(
        cls, settings: Architecture, texts: TextFiles, data: TrainingData
    ) -> tuple[Vocabulary, Callable[[NDArray[np.float64]], "OutputLayout"]]:
        """The vocabulary of the training texts, and a function from the words' counts to a layout.

        `texts` are those of `data`, opened.

        Raises:
            InputError: unusable texts, or a file that is missing.
        """
        vocabulary = texts.vocabulary(settings.min_count, settings.max_words)
        return vocabulary, lambda counts: cls.build(settings, vocabulary, counts, data.classes)

    @classmethod
    def build(
        cls,
        settings: Architecture,
        vocabulary: Vocabulary,
        counts: NDArray[np.float64],
        classes: Path | str | None,
    ) -> "OutputLayout":
        """The layout for a model to be trained, unless `read` makes it in another way.

        Args:
            settings: of the model.
            vocabulary: V words.
            counts: (V,) how often each word is predicted in the training text.
            classes: file of word classes, where one is given.

        Raises:
            InputError: the file is missing, malformed or does not fit the vocabulary.
        """
        raise NotImplementedError

    @classmethod
    @abstractmethod
    def load(cls, path: Path, vocabulary: Vocabulary, arrays: Arrays) -> "OutputLayout":
        """Load a layout from the results of `rows` and `arrays`; `arrays` may have more.

        Raises:
            InputError: a malformed file, or one that does not fit the vocabulary.
        """

    @property
    @abstractmethod
    def words(self) -> int:
        """V, number of words."""

    @property
    @abstractmethod
    def count(self) -> int:
        """Number of classes, nodes or other units of the arrangement."""

    @abstractmethod
    def rows(self, vocabulary: Vocabulary) -> list[str]:
        """The lines of the model's file `classes.tsv`, heading first."""

    def arrays(self) -> dict[str, NDArray[Any]]:
        """Arrays that are stored beside the parameters."""
        return {}

    def fingerprint(self, vocabulary: Vocabulary) -> str:
        """SHA-256 of the whole layout."""
        digest = hashlib.sha256("\n".join(self.rows(vocabulary)).encode())
        digest.update(self.arrays_fingerprint().encode())
        return digest.hexdigest()

    def arrays_fingerprint(self) -> str:
        """SHA-256 of `arrays()`, or an empty string."""
        return ""

    @abstractmethod
    def shapes(self, dim: int) -> dict[str, tuple[int, ...]]:
        """Shape of each parameter of the layer, for hidden vectors of `dim` numbers.

        The name of a vector ends with `bias`; direct features have an activation for each of its
        numbers.
        """

    @abstractmethod
    def unigram_biases(self, counts: NDArray[np.float64]) -> dict[str, NDArray[np.float64]]:
        """Biases that give the unigram model of `counts` (V,) where all weights are zero."""

    @abstractmethod
    def torch_layer(self, dim: int) -> "nn.Module":
        """The layer in torch, a `nlmt.neural.torch_backend.output.Output`, its parameters zero.

        torch takes seconds to load: import it here and not at the top of the module.
        """

    def compiled(self, dim: int) -> _kernel.Output32 | None:
        """The compiled layer, its parameters zero; None where there is none."""
        return None

    @property
    def predicted(self) -> NDArray[np.bool_] | None:
        """(V,) the words that the layer predicts; None for all of them."""
        return None

    @property
    def history(self) -> int:
        """Number of last words that `complete` uses."""
        return 0

    def complete(
        self,
        histories: NDArray[np.int32],
        of: NDArray[np.int64],
        words: NDArray[np.int32],
        layer: Callable[[NDArray[np.bool_]], NDArray[np.float64]],
    ) -> NDArray[np.float64]:
        """Natural-log probability (n,) of words (n,), only some of which the layer predicts.

        Args:
            histories: (m, k) last words, the oldest first.
            of: (n,) row of the history of each word.
            words: (n,).
            layer: the layer's scores of those of the words (n,) that it predicts.
        """
        return layer(np.ones(len(words), dtype=bool))

    @classmethod
    def typical_products(cls, settings: Architecture, words: int) -> int:
        """Approximate number of rows that multiply the hidden vector, given the number of words."""
        return words

    def decoder_arrays(self, parameters: Arrays) -> OutputArrays:
        """The layer as the decoder takes it, where `decodes`."""
        raise NotImplementedError
