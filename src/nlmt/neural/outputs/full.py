"""One softmax over all words."""

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray
from typing_extensions import override

from nlmt.errors import InputError
from nlmt.io.files import read_lines
from nlmt.neural import _kernel
from nlmt.neural.outputs.layout import Arrays, OutputArrays, OutputLayout
from nlmt.neural.settings.architecture import Architecture
from nlmt.vocabulary import Vocabulary

if TYPE_CHECKING:
    from torch import nn


@dataclass(frozen=True)
class Flat(OutputLayout):
    """The layout of one softmax: the words in the order of the vocabulary."""

    vocabulary_size: int

    keys = ("min_count", "max_words")
    contrasts = True
    decodes = True

    @classmethod
    @override
    def build(
        cls,
        settings: Architecture,
        vocabulary: Vocabulary,
        counts: NDArray[np.float64],
        classes: Path | str | None,
    ) -> "Flat":
        return cls(len(vocabulary))

    @classmethod
    @override
    def load(cls, path: Path, vocabulary: Vocabulary, arrays: Arrays) -> "Flat":
        layout = cls(len(vocabulary))
        if list(read_lines(path)) != layout.rows(vocabulary):
            what = "it does not hold the words of the vocabulary"
            raise InputError(what, path=path, hint="it belongs to another model")
        return layout

    @property
    @override
    def words(self) -> int:
        return self.vocabulary_size

    @property
    @override
    def count(self) -> int:
        return self.vocabulary_size

    @override
    def rows(self, vocabulary: Vocabulary) -> list[str]:
        return ["word", *vocabulary.words]

    @override
    def shapes(self, dim: int) -> dict[str, tuple[int, ...]]:
        return {"output_weight": (self.words, dim), "output_bias": (self.words,)}

    @override
    def unigram_biases(self, counts: NDArray[np.float64]) -> dict[str, NDArray[np.float64]]:
        with np.errstate(divide="ignore"):
            return {"output_bias": np.log(counts / counts.sum())}

    @override
    def torch_layer(self, dim: int) -> "nn.Module":
        from nlmt.neural.torch_backend.softmax_output import SoftmaxOutput

        return SoftmaxOutput(self.words, dim)

    @override
    def compiled(self, dim: int) -> _kernel.Output32:
        # One word per class.
        return _kernel.ClassOutput32(np.arange(self.words, dtype=np.int32), self.words, dim, True)

    @override
    def decoder_arrays(self, parameters: Arrays) -> OutputArrays:
        return OutputArrays(parameters["output_weight"], parameters["output_bias"])
