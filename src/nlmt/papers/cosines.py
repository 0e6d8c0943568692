"""Cosines of a transformed source and its translation (Auli et al. 2013, section 5.4)."""

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from statistics import fmean
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from nlmt.evaluation.difference import Difference, compare_systems, compare_values
from nlmt.io.json_files import read_json
from nlmt.lm.places import name_of_model
from nlmt.papers.evidence import sum_of
from nlmt.papers.quantities import SENTENCES, Quantity, number_of
from nlmt.papers.results import Measurement, mean_over

if TYPE_CHECKING:
    from nlmt.experiment import Experiment

COSINE = "cosine similarity"
TEXTS = ("train", "dev", "test")
_KEY = "source_cosine"


def cosine_of_text(model: str, text: str = "test") -> Quantity:
    """The mean cosine over the sentences of a text, one of `TEXTS`.

    The claims compare it with those of the other texts, which have other sentences but the same
    runs.
    """

    def read(paths: Sequence[Path]) -> Measurement:
        of_texts = {
            name: [_mean_and_error(run, name) for run in zip(paths[::2], paths[1::2], strict=True)]
            for name in TEXTS
        }
        measured = mean_over([mean for mean, _ in of_texts[text]])
        others = {
            f"{model}:{name}": _of_two_texts(of_texts[text], of_texts[name])
            for name in TEXTS
            if name != text
        }
        return replace(measured, differences=others)

    return Quantity(
        f"{model}:{text}",
        COSINE,
        lambda experiment: experiment.models.paths(model, "metrics.json", "perplexity.json"),
        read,
    )


def cosine_beside(model: str, other: str) -> Quantity:
    """The mean cosine on test, compared with that of another model over the same sentences.

    A configuration may leave out either model.
    """

    def files(experiment: "Experiment") -> list[str]:
        own, others = (experiment.models.paths(name, SENTENCES) for name in (model, other))
        return [*own, *others] if own else []

    def read(paths: Sequence[Path]) -> Measurement:
        runs: dict[str, list[NDArray[np.float64]]] = {model: [], other: []}
        for path in paths:
            cosines = np.array(read_json(path)["test"][_KEY], np.float64)  # null becomes NaN
            runs[name_of_model(path)].append(cosines)
        measured = mean_over([float(np.nanmean(run)) for run in runs[model]])
        if not runs[other]:
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


def _mean_and_error(run: tuple[Path, Path], text: str) -> tuple[float, float]:
    """The mean cosine of a run on a text, and its standard error over sentences."""
    metrics, perplexity = run
    if text == "train":
        return number_of(metrics, f"train_{_KEY}"), number_of(metrics, f"train_{_KEY}_error")
    measured = read_json(perplexity)[text]
    return measured[_KEY], measured[f"{_KEY}_error"]


def _of_two_texts(
    one: Sequence[tuple[float, float]], other: Sequence[tuple[float, float]]
) -> Difference:
    """The difference of the runs' means; the sentences of two texts are independent."""
    of_runs = compare_values(*([mean for mean, _ in runs] for runs in (one, other)), paired=True)
    of_sentences = [
        Difference(0.0, fmean(error for _, error in runs), np.inf) for runs in (one, other)
    ]
    return sum_of(of_runs.difference, [of_runs, *of_sentences])
