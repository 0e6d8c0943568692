"""A search of settings by successive halving (Jamieson and Talwalkar 2016).

All settings train for an eighth of their epochs. Then, and again after a quarter and after half of
them, the better half by dev perplexity goes on, but never fewer than two, which train to their end.
Each share ends with the first evaluation of dev after it.
"""

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import Literal

SHARES = (1 / 8, 1 / 4, 1 / 2)
FINALISTS = 2


@dataclass(frozen=True)
class Tried:
    """Outcome of the training of one of the settings.

    Attributes:
        perplexity: of dev, the lowest so far; infinite if training diverged.
        epochs: trained.
        end: whether they trained to their end, stopped for better ones, or diverged.
    """

    perplexity: float
    epochs: float
    end: Literal["trained", "stopped", "diverged"]

    def to_dict(self) -> dict[str, object]:
        """Figures for `metrics.json`."""
        found = round(self.perplexity, 4) if math.isfinite(self.perplexity) else None
        return {"perplexity": found, "epochs": round(self.epochs, 4), "end": self.end}


def search(
    names: Sequence[str], train: Callable[[str, float, Tried | None], Tried]
) -> dict[str, Tried]:
    """Train fewer and fewer of the settings; return the outcome of each, in the order of `names`.

    Args:
        names: of the settings.
        train: trains one until a share of its epochs, given its outcome so far; None at first.
    """
    tried: dict[str, Tried] = {}
    left = list(names)
    for share in (*SHARES, 1.0):
        if share < 1 and len(left) <= FINALISTS:
            continue
        tried |= {name: train(name, share, tried.get(name)) for name in left}
        going = [name for name in left if tried[name].end != "diverged"]
        if share < 1:
            better = sorted(going, key=lambda name: tried[name].perplexity)[: _half(len(left))]
            for name in set(going) - set(better):
                tried[name] = replace(tried[name], end="stopped")
            left = [name for name in left if name in better]
    return {name: tried[name] for name in names}


def trainings(count: int, evaluations: int) -> float:
    """Cost of a search among `count` settings, in trainings of one, if none diverges.

    A training has so many `evaluations`, at which alone it can stop.
    """
    total, before = 0.0, 0.0
    for share in (*SHARES, 1.0):
        if share == 1 or count > FINALISTS:
            trained = math.ceil(share * evaluations) / evaluations
            total += count * (trained - before)
            before, count = trained, _half(count)
    return total


def _half(count: int) -> int:
    """Number of settings, out of `count`, that go on."""
    return max(math.ceil(count / 2), min(count, FINALISTS))
