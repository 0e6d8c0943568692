"""Direct n-gram features: maximum entropy beside a network, its weights in a hash table.

Mikolov et al. 2011, Strategies for training large scale neural network language models.
"""

from dataclasses import dataclass

import torch
from torch import Tensor

from nlmt.neural.torch_backend.rows import numbers_of

# A prime below 2^31 and two multipliers: no product leaves 64 bits.
PRIME, SPREAD, LAST = 2**31 - 1, 1_000_003, 1_640_531_527


@dataclass(frozen=True)
class Direct:
    """The features of the n-grams that end in the requested words.

    The weights of all rows of the output layer after one context are contiguous, so that they are
    read as a block; contexts whose blocks overlap share weights.

    Attributes:
        table: (size + rows of the output layer,) weights.
        begins: (batch, contexts) where the block of each context begins in the table.
    """

    table: Tensor
    begins: Tensor

    @classmethod
    def after(cls, table: Tensor, size: int, histories: Tensor) -> "Direct":
        """The features after the last words (batch, longest context), the oldest word first."""
        hashed = torch.zeros(len(histories), dtype=torch.long, device=histories.device)
        begins = []
        for length, words in enumerate(histories.flip(1).T, start=1):
            hashed = (hashed * SPREAD + words + length) % PRIME
            begins.append(hashed * LAST % PRIME % size)
        return cls(table, torch.stack(begins, 1))

    def select(self, rows: Tensor | slice) -> "Direct":
        """The features of some of the examples."""
        return Direct(self.table, self.begins[rows])

    def activations(self, rows: Tensor) -> Tensor:
        """Values (batch, n) to add for rows (n,) or (batch, n) of the output layer."""
        places = self.begins[:, :, None] + rows.to(self.begins.device).unsqueeze(-2)
        return numbers_of(self.table, places).sum(1)

    def of_groups(self, rows: list[Tensor]) -> list[Tensor]:
        """Activations of consecutive groups of examples, with (n, r) rows each, read at once."""
        begins = self.begins.split_with_sizes([len(own) for own in rows])
        places = [first[..., None] + own[:, None] for first, own in zip(begins, rows, strict=True)]
        read = torch.cat([self.begins[:0].flatten(), *(place.flatten() for place in places)])
        sizes = [place.numel() for place in places]
        weights = numbers_of(self.table, read).split_with_sizes(sizes)
        return [
            weight.view(place.shape).sum(1) for weight, place in zip(weights, places, strict=True)
        ]
