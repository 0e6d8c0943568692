"""Several learning rates: a model is trained with each, and the dev perplexity chooses."""

import logging
from collections.abc import Callable, Sequence
from dataclasses import replace

from nlmt.neural.training.task import Task
from nlmt.neural.training.trainer import ExplodedError, Result


def tasks_by_rate(task: Task) -> dict[float, Task]:
    """The task with each of its learning rates alone, the rate `learning_rate` first."""
    training = task.config.training
    if not training.other_rates:
        return {training.learning_rate: task}

    def alone(rate: float) -> Task:
        only = training.model_copy(update={"learning_rate": rate, "other_rates": ()})
        return replace(task, config=replace(task.config, training=only))

    return {rate: alone(rate) for rate in (training.learning_rate, *training.other_rates)}


def best_of(rates: Sequence[float], train: Callable[[float], Result]) -> Result:
    """Train with each rate; the result with the lowest dev perplexity.

    Raises:
        InputError: training exploded with all of them.
    """
    if len(rates) == 1:
        return train(rates[0])
    results: dict[float, Result] = {}
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
    found = {rate: results[rate].dev.perplexity if rate in results else None for rate in rates}
    best = min(results, key=lambda rate: results[rate].dev.perplexity)
    logging.info("learning rate %g has the lowest dev perplexity", best)
    return replace(results[best], rates=found)
