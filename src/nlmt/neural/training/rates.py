"""Several learning rates: a model is trained with each, and the dev perplexity chooses."""

import logging
from collections.abc import Callable, Sequence
from typing import TypeVar

from nlmt.errors import InputError

T = TypeVar("T")


class ExplodedError(InputError):
    """Training diverged; a lower learning rate may help."""


def best_of(
    rates: Sequence[float], train: Callable[[float], T], perplexity: Callable[[T], float]
) -> tuple[T, dict[float, float | None]]:
    """Train with each rate.

    Args:
        rates: at least one.
        train: with one of them.
        perplexity: returns the dev perplexity of a result of `train`.

    Returns:
        The result with the lowest perplexity, and the perplexity of each rate, None where training
        diverged.

    Raises:
        InputError: training diverged with all of them.
    """
    results: dict[float, T] = {}
    exploded: ExplodedError | None = None
    for rate in rates:
        logging.info("learning rate %g", rate)
        try:
            results[rate] = train(rate)
        except ExplodedError as error:
            logging.info("%s", error)
            exploded = error
    if not results:
        assert exploded is not None
        raise exploded
    found = {rate: perplexity(result) for rate, result in results.items()}
    best = min(found, key=found.__getitem__)
    logging.info("learning rate %g has the lowest dev perplexity", best)
    return results[best], {rate: found.get(rate) for rate in rates}
