"""An output layer: the words by falling frequency in bins of sqrt(V) words.

p(w | h) = p(bin | h) p(w | bin, h), each a softmax.
"""

import math
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor, nn

from nlmt.errors import InputError
from nlmt.io.files import read_lines
from nlmt.neural.outputs.layout import Arrays, OutputLayout
from nlmt.neural.parts import OUTPUTS
from nlmt.neural.settings.architecture import Architecture
from nlmt.neural.torch_backend.direct_features import Direct
from nlmt.neural.torch_backend.output import Output
from nlmt.vocabulary import Vocabulary

HEADING = "word, by falling frequency"


class BinOutput(Output):
    """The layer in torch; its parameters have the names of `FrequencyBins.shapes`."""

    rank: Tensor

    def __init__(self, rank: NDArray[np.int64], size: int, dim: int) -> None:
        super().__init__()
        words, self.size = len(rank), size
        self.bin_weight = nn.Parameter(torch.zeros(-(-words // size), dim))
        self.bin_bias = nn.Parameter(torch.zeros(-(-words // size)))
        self.word_weight = nn.Parameter(torch.zeros(words, dim))
        self.word_bias = nn.Parameter(torch.zeros(words))
        self.register_buffer("rank", torch.from_numpy(rank))

    def scores(
        self, hidden: Tensor, words: Tensor, direct: Direct | None = None
    ) -> tuple[Tensor, Tensor]:
        rank = self.rank[words.to(hidden.device)]
        own, place = rank // self.size, rank % self.size
        rows = own[:, None] * self.size + torch.arange(self.size, device=hidden.device)
        inside = rows < len(self.rank)  # the last bin may be smaller
        rows = rows.clamp(max=len(self.rank) - 1)
        of_bin = hidden @ self.bin_weight.T + self.bin_bias  # (batch, bins)
        of_word = (self.word_weight[rows] @ hidden[:, :, None])[:, :, 0] + self.word_bias[rows]
        if direct is not None:  # n-gram features add to each activation: bins first, then words
            bins = len(self.bin_bias)
            of_bin = of_bin + direct.activations(torch.arange(bins))
            of_word = of_word + direct.activations(bins + rows)
        of_word = of_word.masked_fill(~inside, -torch.inf)  # (batch, size)
        score = of_bin.gather(1, own[:, None]) + of_word.gather(1, place[:, None])
        log_z = [torch.logsumexp(logits, 1) for logits in (of_bin, of_word)]
        return score[:, 0], torch.stack(log_z, 1)


@dataclass(frozen=True, eq=False)
class FrequencyBins(OutputLayout):
    """The words, arranged.

    Attributes:
        rank: (V,) of each word, the most frequent one first.
    """

    rank: NDArray[np.int64]

    name = "bins"  # what `count` counts, in the log

    @classmethod
    def build(
        cls,
        settings: Architecture,
        vocabulary: Vocabulary,
        counts: NDArray[np.float64],
        classes: Path | str | None,
    ) -> "FrequencyBins":
        return cls(np.argsort(np.argsort(-counts, kind="stable")))

    @classmethod
    def load(cls, path: Path, vocabulary: Vocabulary, arrays: Arrays) -> "FrequencyBins":
        heading, *words = [*read_lines(path)] or [""]
        if heading != HEADING or sorted(words) != sorted(vocabulary.words):
            raise InputError("it does not hold the words of the vocabulary", path=path)
        rank = {word: i for i, word in enumerate(words)}
        return cls(np.array([rank[word] for word in vocabulary.words]))

    def rows(self, vocabulary: Vocabulary) -> list[str]:
        return [HEADING, *(vocabulary.words[i] for i in np.argsort(self.rank))]

    @property
    def words(self) -> int:
        return len(self.rank)

    @property
    def size(self) -> int:
        """Words of a bin."""
        return math.isqrt(self.words - 1) + 1

    @property
    def count(self) -> int:
        return -(-self.words // self.size)

    def shapes(self, dim: int) -> dict[str, tuple[int, ...]]:
        return {
            "bin_weight": (self.count, dim),
            "bin_bias": (self.count,),
            "word_weight": (self.words, dim),
            "word_bias": (self.words,),
        }

    def unigram_biases(self, counts: NDArray[np.float64]) -> dict[str, NDArray[np.float64]]:
        by_rank = np.maximum(counts[np.argsort(self.rank)], 1e-9)
        own = np.arange(self.words) // self.size
        of_bin = np.bincount(own, by_rank)
        return {
            "bin_bias": np.log(of_bin / of_bin.sum()),
            "word_bias": np.log(by_rank / of_bin[own]),
        }

    def torch_layer(self, dim: int) -> nn.Module:
        return BinOutput(self.rank, self.size, dim)


OUTPUTS.register("frequency-bins", FrequencyBins)
