"""A tree-factored output in torch."""

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor, nn
from torch.nn import functional
from typing_extensions import override

from nlmt.neural.torch_backend.direct_features import Direct
from nlmt.neural.torch_backend.output import Output, affine
from nlmt.neural.torch_backend.rows import numbers_of


class TreeOutput(Output):
    """The product of the sigmoids along the path of a word in a binary tree.

    Attributes:
        nodes: (V, longest) of each path; 0 after the last.
        signs: (V, longest) 1 or -1, as `nlmt.neural.outputs.tree.WordTree.signs`; 0 after the last.
    """

    nodes: Tensor
    signs: Tensor

    def __init__(
        self,
        starts: NDArray[np.int64],
        nodes: NDArray[np.int32],
        signs: NDArray[np.int8],
        count: int,
        dim: int,
    ) -> None:
        super().__init__()
        self.node_weight = nn.Parameter(torch.zeros(count, dim))
        self.node_bias = nn.Parameter(torch.zeros(count))
        lengths = np.diff(starts)
        word = np.repeat(np.arange(len(lengths)), lengths)
        step = np.arange(len(word)) - starts[:-1][word]
        padded = np.zeros((len(lengths), lengths.max()), dtype=np.int64)
        padded_signs = np.zeros_like(padded)
        padded[word, step] = nodes
        padded_signs[word, step] = signs
        self.register_buffer("nodes", torch.from_numpy(padded))
        self.register_buffer("signs", torch.from_numpy(padded_signs))

    @override
    def scores(
        self, hidden: Tensor, words: Tensor, direct: Direct | None = None
    ) -> tuple[Tensor, Tensor]:
        # Each node is normalised by itself: there are no further normalisers.
        words = words.to(hidden.device, non_blocking=True)
        nodes, signs = self.nodes[words], self.signs[words]  # (batch, longest)
        weight, bias = self.rows_of(self.node_weight, nodes), numbers_of(self.node_bias, nodes)
        logits = affine(hidden[:, None], weight, bias[:, None]).squeeze(1)
        if direct is not None:
            logits = logits + direct.activations(nodes)
        log_p = functional.logsigmoid(signs * logits).masked_fill(signs == 0, 0.0)
        return log_p.sum(1), hidden.new_zeros(len(hidden), 0)

    @override
    def weights_by_row(self, *, contrast: bool) -> frozenset[str]:
        return frozenset({"node_weight"})
