"""How a parameter moves along its gradient, in torch; the kernel has the same."""

from collections.abc import Callable, Mapping

from torch import Tensor

from nlmt.neural.schedules import ADAM_MEAN, ADAM_SQUARE

# Added to the root of squares, so that a parameter without gradient stays; the kernel's too.
TINY = 1e-8

# Changes a parameter, and what is remembered of it, along a gradient by a rate.
Rule = Callable[[Tensor, Tensor, Mapping[str, Tensor], float], None]


def sgd(parameter: Tensor, gradient: Tensor, memory: Mapping[str, Tensor], rate: float) -> None:
    """Plain descent."""
    parameter.add_(gradient, alpha=-rate)


def adagrad(parameter: Tensor, gradient: Tensor, memory: Mapping[str, Tensor], rate: float) -> None:
    """Duchi et al. 2011."""
    squares = memory["squares"].addcmul_(gradient, gradient)
    parameter.addcdiv_(gradient, squares.sqrt().add_(TINY), value=-rate)


def adam(parameter: Tensor, gradient: Tensor, memory: Mapping[str, Tensor], rate: float) -> None:
    """Kingma and Ba 2015, for rows that have a gradient: the others keep their means.

    The correction of the means' bias is part of `rate` (`nlmt.neural.schedules`).
    """
    moved = gradient.reshape(len(gradient), -1).ne(0).any(1).to(gradient.dtype)
    moved = moved.view(-1, *[1] * (gradient.dim() - 1))
    moments = memory["moments"].lerp_(gradient, (1 - ADAM_MEAN) * moved)
    squares = memory["squares"].lerp_(gradient.square(), (1 - ADAM_SQUARE) * moved)
    parameter.addcdiv_(moments * moved, squares.sqrt().add_(TINY), value=-rate)


RULES: dict[str, Rule] = {"sgd": sgd, "adagrad": adagrad, "adam": adam}
