"""Checks of a configuration's systems, before any job runs."""

from collections.abc import Collection

from nlmt.decoder import ENGINES
from nlmt.errors import InputError
from nlmt.experiment.models import Models
from nlmt.experiment.systems import Systems
from nlmt.registry import nearest
from nlmt.settings import to_plain

# Keys of `systems` for systems that decode only.
_OF_DECODERS = (
    "language_models",
    "units",
    "recombination_context",
    "weights_of",
    "start_from",
)


def check_systems(systems: Systems, models: Models, sets: Collection[str], engine: str) -> None:
    """Check every system against the models, the sets and the decoder.

    Args:
        systems: all systems.
        models: the language models.
        sets: names of the sets to tune and test on.
        engine: name of the decoder's engine.

    Raises:
        InputError: names the system and the key, and says what is allowed.
    """
    for name in systems.names():
        _check_form(systems, name)
        _check_start(systems, name)
        _check_rescoring(systems, models, name)
        _check_decoding(systems, models, name)
        _check_lattice(systems, models, name)
        # Moses cannot run every system of the papers; those are refused where they are asked for.
        if systems.paper(name) is None:
            check_engine(systems, models, name, engine)
        for key, chosen in (
            ("rescoring.tuning_set", [systems.tuning_set(name)]),
            ("test_sets", systems.test_sets(name)),
        ):
            for one in chosen:
                if one not in sets:
                    hint = nearest(one, tuple(sets))
                    raise InputError(f"systems.{name}.{key}: unknown set {one!r}", hint=hint)
        for other in systems.compared_with(name):
            if len(systems.seeds(other)) != len(systems.seeds(name)):
                what = f"systems.{name}: {len(systems.seeds(name))} runs, but {other}, which it is "
                what += f"compared with, has {len(systems.seeds(other))}"
                raise InputError(what, hint="give both as many tuning.seeds")


def check_engine(systems: Systems, models: Models, name: str, engine: str) -> None:
    """Check that an engine can take a system's models and write what it rescores.

    Raises:
        InputError: names the system and the key.
    """
    has = ENGINES.get(engine)
    where = f"systems.{systems.decoded_by(name)}"
    if systems.recombination_context(name) and not has.extensions:
        _refuse(f"{where}.recombination_context", engine, "has no such setting")
    for inside in systems.inside(name):
        model, key = models[inside.name], f"{where}.language_models: {inside.name}"
        feature = model.plan.decoder
        if feature is not None and feature.kind not in has.language_models:
            _refuse(key, engine, f"has no {feature.kind}")
        if model.units == "tuples" and not has.extensions:
            _refuse(key, engine, "has no models of tuples")
    if systems.settings(name).lattice is not None and not has.lattices:
        _refuse(f"systems.{name}.lattice", engine, "writes no lattices")


def _refuse(where: str, engine: str, lacks: str) -> None:
    raise InputError(f"{where}: the engine {engine} {lacks}", hint="decoder.engine: nlmt")


def _check_form(systems: Systems, name: str) -> None:
    settings, where = systems.settings(name), f"systems.{name}"
    if settings.rescored_with is None:
        if settings.language_models is None:
            hint = "give language_models if it decodes, otherwise decoded_by and rescored_with"
            raise InputError(f"{where}: it has no language models", hint=hint)
        for key in ("decoded_by", "lattice"):
            if getattr(settings, key) is not None:
                what = f"{where}.{key} has no effect without rescored_with"
                raise InputError(what, hint=f"leave {key} out, or give rescored_with")
    else:
        if settings.decoded_by is None:
            raise InputError(f"{where}.decoded_by is missing", hint="name the system that decodes")
        for key in _OF_DECODERS:
            if getattr(settings, key) is not None:
                what = f"{where}.{key} is for systems that decode"
                raise InputError(what, hint=f"leave {key} out, or decoded_by and rescored_with")
        if to_plain(settings.tuning):
            what = f"{where}.tuning has no effect: {settings.decoded_by} decodes"
            raise InputError(what, hint=f"systems.{settings.decoded_by}.tuning, or rescoring")
        if systems.settings(settings.decoded_by).rescored_with is not None:
            raise InputError(f"{where}.decoded_by: {settings.decoded_by} does not decode")
    if settings.weights_of is not None:
        other = systems.settings(settings.weights_of)
        same = _features(systems, name) == _features(systems, settings.weights_of)
        if not same or other.weights_of:
            what = f"{where}.weights_of: {settings.weights_of} has other language models"
            raise InputError(what, hint="name a system with the same ones that is tuned itself")


def _features(systems: Systems, name: str) -> list[tuple[str, str | None]]:
    """The features of a decoder's language models on which tuned weights depend."""
    return [(model.name, model.scores) for model in systems.inside(name)]


def _check_start(systems: Systems, name: str) -> None:
    former = systems.settings(name).start_from
    if former is None:
        return
    where = f"systems.{name}.start_from"
    if systems.settings(name).weights_of is not None:
        hint = f"leave {name}.start_from or {name}.weights_of out"
        raise InputError(f"{where} has no effect: its weights are those of another", hint=hint)
    if systems.rescores(former):
        raise InputError(f"{where}: {former} does not decode", hint="name a system that decodes")
    seen, before = [name], systems.start_from(name)
    while before is not None:
        if before in seen:
            raise InputError(f"{where}: a circle, {' -> '.join([*seen, before])}")
        seen.append(before)
        before = systems.start_from(before)
    missing = sorted({*systems.seeds(name)} - {*systems.seeds(former)})
    if missing:
        what = f"{where}: {former} has no run of seed {missing[0]}"
        raise InputError(what, hint="give both the same tuning.seeds")


def _check_rescoring(systems: Systems, models: Models, name: str) -> None:
    for model in systems.settings(name).rescored_with or ():
        if models[model].units == "source":
            where = f"systems.{name}.rescored_with: {model}"
            raise InputError(f"{where}: models of the source language score no translations")
        of_reference = models[model].plan.source == "reference"
        if of_reference and systems.settings(name).lattice is None:
            what = f"systems.{name}.rescored_with: {model} sees references and rescores lattices"
            raise InputError(what, hint=f"systems.{name}.lattice")


def _check_decoding(systems: Systems, models: Models, name: str) -> None:
    for inside in systems.inside(name):
        model = models[inside.name]
        where = f"systems.{systems.decoded_by(name)}.language_models: {model.name}"
        if model.units == "source":
            raise InputError(f"{where}: models of the source language score no translations")
        if model.plan.decoder is None:
            raise InputError(f"{where}: {model.plan.unfit}")
        neural = "scores" in model.plan.decoder.arguments
        if inside.scores is not None and not neural:
            raise InputError(f"{where}: only neural models have a choice of scores")
        if inside.quantise is not None and not neural:
            what = f"{where}: quantise is for neural models"
            raise InputError(what, hint="set the key quantise of the n-gram model itself")


def _check_lattice(systems: Systems, models: Models, name: str) -> None:
    if systems.settings(name).lattice is None:
        return
    where = f"systems.{name}.lattice"
    for model in systems.settings(name).rescored_with or ():
        if models[model].units == "tuples":
            raise InputError(f"{where}: {model}: models of tuples rescore lists")
        if systems.lattice_states(name) is None and models[model].plan.remembers is None:
            raise InputError(f"{where}: states: {model} remembers all words and needs a bound")
