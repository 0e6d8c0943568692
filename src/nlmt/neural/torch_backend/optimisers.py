"""Optimisers' steps and weight decay in torch; the kernel has the same."""

import math
from collections.abc import Callable, Mapping

from torch import Tensor

from nlmt.neural.train.schedules import ADAM_MEAN, ADAM_SQUARE

# Added to the root of squares, so that a parameter without gradient stays; as in the kernel.
TINY = 1e-8
# Least number of times that weight decay shrinks each row in an epoch; as in the kernel.
TURNS = 16

# Moves a parameter along a gradient by a rate, and updates its memories.
Rule = Callable[[Tensor, Tensor, Mapping[str, Tensor], float], None]


def sgd(parameter: Tensor, gradient: Tensor, memory: Mapping[str, Tensor], rate: float) -> None:
    """Take a step of plain descent."""
    parameter.add_(gradient, alpha=-rate)


def adagrad(parameter: Tensor, gradient: Tensor, memory: Mapping[str, Tensor], rate: float) -> None:
    """Take a step of AdaGrad (Duchi et al. 2011)."""
    squares = memory["squares"].addcmul_(gradient, gradient)
    parameter.addcdiv_(gradient, squares.sqrt().add_(TINY), value=-rate)


def adam(parameter: Tensor, gradient: Tensor, memory: Mapping[str, Tensor], rate: float) -> None:
    """Take a step of Adam (Kingma and Ba 2015) for rows with a gradient; others keep their means.

    The correction of the means' bias is part of `rate` (`nlmt.neural.train.schedules`).
    """
    moved = gradient.reshape(len(gradient), -1).ne(0).any(1).to(gradient.dtype)
    moved = moved.view(-1, *[1] * (gradient.dim() - 1))
    moments = memory["moments"].lerp_(gradient, (1 - ADAM_MEAN) * moved)
    squares = memory["squares"].lerp_(gradient.square(), (1 - ADAM_SQUARE) * moved)
    parameter.addcdiv_(moments * moved, squares.sqrt().add_(TINY), value=-rate)


def shrink(weight: Tensor, share: float, first: int, examples: int, total: float) -> None:
    """Apply weight decay before a step, to the rows whose turn it is.

    Each example shrinks one row, on behalf of all examples until that row's next turn, and every
    row has its turn at least `TURNS` times in an epoch. Steps of as many examples as rows shrink
    all of them.

    Args:
        weight: whose last dimension are the rows' numbers; of a single row each number is a row.
        share: by which a step of so many examples shrinks a weight.
        first: number of the step's first example in the epoch.
        examples: of the step.
        total: examples of an epoch.
    """
    rows = weight.view(-1, 1 if weight.numel() == weight.shape[-1] else weight.shape[-1])
    n = len(rows)
    between = total / max(TURNS, math.ceil(total / n))
    begin, end = (int(example / between * n) for example in (first, first + examples))
    if end - begin >= n:
        begin, end, between = 0, n, examples
    left = max(0.0, 1 - share) ** (between / examples)
    start, stop = begin % n, begin % n + end - begin  # wraps around after the last row
    rows[start:stop].mul_(left)
    rows[: max(0, stop - n)].mul_(left)


RULES: dict[str, Rule] = {"sgd": sgd, "adagrad": adagrad, "adam": adam}
