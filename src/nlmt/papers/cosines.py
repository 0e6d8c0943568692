"""Cosines of a transformed source and its translation (Auli et al. 2013, section 5.4)."""

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from statistics import fmean
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from nlmt.evaluation.difference import Difference, compare_systems, compare_values
from nlmt.lm.places import by_model
from nlmt.papers.evidence import sum_of
from nlmt.papers.quantities import SENTENCES, Quantity, number_of, of_text
from nlmt.papers.results import Measurement, mean_over

if TYPE_CHECKING:
    from nlmt.experiment import Experiment

COSINE = "cosine similarity"
_KEY = "source_cosine"
# The file of a model with its cosine on each text.
_FILES = {"train": "metrics.json", "dev": "perplexity.json", "test": "perplexity.json"}


def cosine_of_text(model: str, text: str = "test", others: Sequence[str] = ()) -> Quantity:
    """The mean cosine over the sentences of a text: `train`, `dev` or `test`.

    The claims compare it with those of `others`, which have other sentences but the same runs.
    """
    files = dict.fromkeys(_FILES[name] for name in (text, *others))

    def read(paths: Sequence[Path]) -> Measurement:
        own, *compared = (
            [_mean_and_error(path, name) for path in paths if path.name == _FILES[name]]
            for name in (text, *others)
        )
        measured = mean_over([mean for mean, _ in own])
        differences = {
            f"{model}:{name}": _of_two_texts(own, runs)
            for name, runs in zip(others, compared, strict=True)
        }
        return replace(measured, differences=differences)

    return Quantity(
        f"{model}:{text}", COSINE, lambda experiment: experiment.models.paths(model, *files), read
    )


def cosine_beside(model: str, other: str) -> Quantity:
    """The mean cosine on test, compared with that of another model over the same sentences.

    A configuration may leave out either model.
    """

    def files(experiment: "Experiment") -> list[str]:
        own, others = (experiment.models.paths(name, SENTENCES) for name in (model, other))
        return [*own, *others] if own else []

    def read(paths: Sequence[Path]) -> Measurement:
        # In an array of numbers null becomes NaN.
        runs = {
            name: [np.array(of_text(path, "test", _KEY), np.float64) for path in own]
            for name, own in by_model(paths).items()
        }
        measured = mean_over([float(np.nanmean(run)) for run in runs[model]])
        if other not in runs:
            return measured
        one, another = (list(map(_MeanCosine.statistics, runs[name])) for name in (model, other))
        difference = compare_systems(_MeanCosine(), one, another)
        return replace(measured, differences={f"{other}:test": difference})

    return Quantity(f"{model}:test", COSINE, files, read)


class _MeanCosine:
    """The mean of cosines, from summed steps of 1e-5 and the number of sentences that have one."""

    STEPS = 1e5  # whole numbers, so that sums are exact

    @classmethod
    def statistics(cls, cosines: NDArray[np.float64]) -> NDArray[np.int32]:
        """Statistics (sentences, 2) of cosines (sentences,), which may be NaN."""
        known = ~np.isnan(cosines)
        steps = np.round(cls.STEPS * np.where(known, cosines, 0.0))
        return np.stack([steps, known], axis=1).astype(np.int32)

    def score(self, sums: NDArray[Any]) -> NDArray[np.float64]:
        """Means (...) of summed statistics (..., 2)."""
        return np.asarray(sums[..., 0] / (self.STEPS * np.maximum(sums[..., 1], 1)))


def _mean_and_error(path: Path, text: str) -> tuple[float, float]:
    """The mean cosine of a run on a text and its standard error: 0 of a single sentence."""
    if text == "train":
        return number_of(path, f"train_{_KEY}"), number_of(path, f"train_{_KEY}_error")
    return of_text(path, text, _KEY), of_text(path, text, f"{_KEY}_error")


def _of_two_texts(
    one: Sequence[tuple[float, float]], other: Sequence[tuple[float, float]]
) -> Difference:
    """The difference of the runs' means; the sentences of two texts are independent."""
    of_runs = compare_values(*([mean for mean, _ in runs] for runs in (one, other)), paired=True)
    errors = [fmean(error for _, error in runs) for runs in (one, other)]
    if not all(errors):  # a single sentence says nothing of others
        return Difference(of_runs.difference, np.inf, 1)
    of_sentences = [Difference(0.0, error, np.inf) for error in errors]
    return sum_of(of_runs.difference, [of_runs, *of_sentences])
