"""Interpolations of language models, as a kind of language model.

Its folder has the weights and the places of the models, which are not copied: models of different
kinds, or neural ones, cannot be merged into one (Schwenk 2010, section 2).
"""

import os
from collections.abc import Mapping
from pathlib import Path
from typing import Any, Literal

from typing_extensions import override

from nlmt.errors import InputError
from nlmt.io.files import read_lines
from nlmt.io.json_files import read_json, write_json
from nlmt.kinds.registry import load_language_model
from nlmt.lm.interpolation import Interpolation, as_word_model
from nlmt.lm.kinds import ModelKind, ModelSettings, TrainingData, find_file
from nlmt.lm.plan import ModelPlan, TrainingResources
from nlmt.lm.protocol import WordModel
from nlmt.settings import REQUIRED, setting

MODELS = "models.json"


class InterpolationSettings(ModelSettings):
    """The weighted mean of several models' probabilities of each word, on the fly.

    The weights maximise the probability of the dev text.
    """

    kind: Literal["interpolation"] = setting(REQUIRED, "The kind of model.")
    models: tuple[str, ...] = setting(
        REQUIRED,
        "The models to interpolate, over words and without a source.",
        min_length=2,
        source="Schwenk 2010, section 2",
    )


class InterpolationKind(ModelKind[InterpolationSettings]):
    """Interpolations of models of any kind that gives the probability of each word."""

    settings = InterpolationSettings
    feature = "NLM"
    form = f"a folder with {MODELS}"

    @override
    def plan(self, settings: InterpolationSettings) -> ModelPlan:
        _check(settings)
        return ModelPlan(
            files=(MODELS,),
            parts=settings.models,
            resources=TrainingResources(mem_mb=2000, mem_per_mb=3, runtime=60, runtime_per_mb=0.1),
            unfit="interpolated models rescore, they do not decode",
        )

    @override
    def train(
        self, settings: InterpolationSettings, data: TrainingData, folder: Path, *, threads: int
    ) -> None:
        models = [_word_model(path, threads) for path in data.parts]
        tuned = Interpolation(models, [1.0] * len(models)).tuned(read_lines(data.dev))
        # The last digits of logarithms differ between processors.
        found = {
            "models": {
                os.path.relpath(path, folder): {
                    "weight": round(weight, 9),
                    "perplexity": round(alone, 9),
                }
                for path, weight, alone in zip(
                    data.parts, tuned.model.weights, tuned.alone, strict=True
                )
            },
            "perplexity": round(tuned.perplexity, 9),
        }
        write_json(folder / MODELS, found)

    @override
    def find(self, path: Path) -> Path | None:
        return find_file(path, MODELS)

    @override
    def load(self, path: Path, *, threads: int = 1) -> Interpolation:
        weights = _weights(path)
        models = [_word_model(path.parent / name, threads) for name in weights]
        return Interpolation(models, list(weights.values()))


def _check(settings: InterpolationSettings) -> None:
    if settings.units != "words":
        what = f"units: {settings.units} are not interpolated"
        raise InputError(what, hint="give models of words")
    if "texts" in settings.model_fields_set:
        what = "texts has no effect: its models have texts of their own"
        raise InputError(what, hint="leave texts out")
    if len(set(settings.models)) < len(settings.models):
        raise InputError("models: one of them is named twice", hint="name each once")


def _word_model(path: Path, threads: int) -> WordModel:
    """Load one of the models to interpolate, which is no interpolation itself."""
    if find_file(path, MODELS) is not None:
        raise InputError("an interpolation within another one", path=path, hint="name its models")
    return as_word_model(load_language_model(path, threads=threads), path)


def _weights(path: Path) -> dict[str, float]:
    """The weight of each model, by its path relative to the folder of the interpolation."""
    models: Any = read_json(path).get("models")
    if not isinstance(models, Mapping) or not models:
        raise InputError("no models and their weights", path=path, hint="make it again")
    weights: dict[str, float] = {}
    for name, facts in models.items():
        weight = facts.get("weight") if isinstance(facts, Mapping) else None
        if not isinstance(weight, int | float) or not 0 <= weight <= 1:
            raise InputError(f"no weight of {name} from 0 to 1", path=path, hint="make it again")
        weights[name] = float(weight)
    return weights


INTERPOLATION = InterpolationKind()
