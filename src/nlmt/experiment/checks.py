"""Checks of a configuration's systems, before any job runs."""

from collections.abc import Collection

from nlmt.decoder import ENGINES
from nlmt.errors import InputError
from nlmt.experiment.systems import System, Systems, named_models, named_systems
from nlmt.kinds import KINDS
from nlmt.paper_settings import fitting
from nlmt.registry import check_name, nearest
from nlmt.settings import to_plain
from nlmt.tuning.feature_names import divide

# Keys of `systems` for systems that decode only.
_OF_DECODERS = (
    "language_models",
    "units",
    "recombination_context",
    "weights_of",
    "start_from",
)


def check_systems(systems: Systems, sets: Collection[str], engine: str) -> None:
    """Check every system against the models, the sets to tune and test on, and the engine.

    Raises:
        InputError: names the system and the key, and says what is allowed.
    """
    for name in systems.names():
        _check_names(systems[name])
    for name in systems.names():
        system = systems[name]
        _check_form(system)
        _check_start(system)
        _check_rescoring(system)
        _check_decoding(system)
        _check_lattice(system)
        # Moses cannot run every system of the papers; those are refused where they are asked for.
        if system.paper is None:
            check_engine(system, engine)
            _check_features(system)
        check_name(system.tuning_set, sets, f"systems.{name}.rescoring.tuning_set: unknown set")
        for one in system.test_sets:
            check_name(one, sets, f"systems.{name}.test_sets: unknown set")
        for other in system.compared_with:
            if len(systems[other].runs) != len(system.runs):
                what = f"systems.{name}: {len(system.runs)} runs, but {other}, which it is "
                what += f"compared with, has {len(systems[other].runs)}"
                raise InputError(what, hint="give both as many runs")


def check_engine(system: System, engine: str) -> None:
    """Check that an engine can use a system's models and write its lists or lattices.

    Raises:
        InputError: names the system and the key.
    """
    has = ENGINES.get(engine)
    where = f"systems.{system.decoded_by}"
    if system.recombination_context and not has.extensions:
        _refuse(f"{where}.recombination_context", engine, "has no such setting")
    for inside in system.inside:
        model, key = system.systems.models[inside.name], f"{where}.language_models: {inside.name}"
        feature = model.plan.decoder
        if feature is not None and feature.kind not in has.language_models:
            _refuse(key, engine, f"has no {feature.kind}")
        if model.units == "tuples" and not has.extensions:
            _refuse(key, engine, "has no models of tuples")
    if system.on_lattices and not has.lattices:
        _refuse(f"systems.{system.name}.lattice", engine, "writes no lattices")


def _refuse(where: str, engine: str, lacks: str) -> None:
    hint = "decoder.engine: nlmt, or leave the system out by null"
    raise InputError(f"{where}: the engine {engine} {lacks}", hint=hint)


def _check_names(system: System) -> None:
    """Check that the systems and models exist that an entry names."""
    systems, settings = system.systems, system.settings
    for kind, named, known in (
        ("system", named_systems(settings), systems.names()),
        ("language model", named_models(settings), systems.models.names()),
    ):
        for key, name in named:
            if name not in known:
                what = f"systems.{system.name}.{key}: unknown {kind} {name!r}"
                raise InputError(what, hint=nearest(name, fitting(name, known, systems.papers)))


def _check_form(system: System) -> None:
    settings, where = system.settings, f"systems.{system.name}"
    if settings.lists is not None:
        _check_lists(system)
    elif settings.rescored_with is None:
        if settings.language_models is None:
            hint = "give language_models if it decodes, lists, or decoded_by and rescored_with"
            raise InputError(f"{where}: it has no language models", hint=hint)
        for key in ("decoded_by", "lattice"):
            if getattr(settings, key) is not None:
                what = f"{where}.{key} has no effect without rescored_with"
                raise InputError(what, hint=f"leave {key} out, or give rescored_with")
        given = to_plain(settings.rescoring).items()
        of_lists = ("nbest", "lattice_density")  # of what another system rescores
        unused = [key for key, value in given if value is not None and key not in of_lists]
        if unused and system.paper is None:  # entries of papers share keys
            what = f"{where}.rescoring.{unused[0]} has no effect without rescored_with"
            raise InputError(what, hint="its weights are tuned by the keys of tuning")
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
        if to_plain(settings.rescoring).get("lattice_density") is not None:
            what = f"{where}.rescoring.lattice_density has no effect: {settings.decoded_by} decodes"
            raise InputError(what, hint=f"systems.{settings.decoded_by}.rescoring")
        if system.systems[settings.decoded_by].rescores:
            raise InputError(f"{where}.decoded_by: {settings.decoded_by} does not decode")
    if settings.weights_of is not None:
        other = system.systems[settings.weights_of]
        if _features(system) != _features(other) or other.settings.weights_of:
            what = f"{where}.weights_of: {settings.weights_of} has other language models"
            raise InputError(what, hint="name a system with the same ones that is tuned itself")
        if to_plain(settings.tuning):
            what = f"{where}.tuning has no effect: its weights are those of {settings.weights_of}"
            raise InputError(what, hint="leave tuning or weights_of out")
    if settings.runs is not None and system.tuned_by != system.name:
        what = f"{where}.runs has no effect: they are those of {system.tuned_by}"
        raise InputError(what, hint=f"systems.{system.tuned_by}.runs")


def _check_lists(system: System) -> None:
    settings, where = system.settings, f"systems.{system.name}"
    for key in (*_OF_DECODERS, "decoded_by", "rescored_with", "lattice"):
        if getattr(settings, key) is not None:
            what = f"{where}.{key} has no effect with lists"
            raise InputError(what, hint=f"leave {key} out; another system may rescore the lists")
    if to_plain(settings.tuning):
        raise InputError(f"{where}.tuning has no effect with lists", hint="rescoring")
    given = settings.lists or ""
    known = ("split", "src", "tgt", "task", "run")
    try:
        given.format(**dict.fromkeys(known, ""))
    except (AttributeError, LookupError, ValueError) as error:
        hint = "it may have " + ", ".join(f"{{{name}}}" for name in known)
        raise InputError(f"{where}.lists: {given}: no such name", hint=hint) from error
    if "{split}" not in given:
        what = f"{where}.lists: one list for all sets"
        raise InputError(what, hint="write {split} in the path where the name of the set is")


def _features(system: System) -> list[tuple[str, str | None]]:
    """The features of a decoder's language models on which tuned weights depend."""
    return [(model.name, model.scores) for model in system.inside]


def _check_start(system: System) -> None:
    name, former = system.name, system.settings.start_from
    if former is None:
        return
    where, systems = f"systems.{name}.start_from", system.systems
    if system.settings.weights_of is not None:
        hint = f"leave {name}.start_from or {name}.weights_of out"
        raise InputError(f"{where} has no effect: its weights are those of another", hint=hint)
    if systems[former].rescores or systems[former].given_lists:
        raise InputError(f"{where}: {former} does not decode", hint="name a system that decodes")
    seen, before = [name], system.start_from
    while before is not None:
        if before in seen:
            raise InputError(f"{where}: a circle, {' -> '.join([*seen, before])}")
        seen.append(before)
        before = systems[before].start_from
    missing = sorted({*system.runs} - {*systems[former].runs})
    if missing:
        what = f"{where}: {former} has no run of seed {missing[0]}"
        raise InputError(what, hint="give both the same runs")


def _check_rescoring(system: System) -> None:
    for model in system.rescoring_models:
        where = f"systems.{system.name}.rescored_with: {model.name}"
        if model.units == "source":
            raise InputError(f"{where}: models of the source language score no translations")
        if model.plan.source == "reference" and not system.on_lattices:
            what = f"{where} sees references and rescores lattices"
            raise InputError(what, hint=f"systems.{system.name}.lattice")


def _check_decoding(system: System) -> None:
    for inside in system.inside:
        model = system.systems.models[inside.name]
        where = f"systems.{system.decoded_by}.language_models: {model.name}"
        if model.units == "source":
            raise InputError(f"{where}: models of the source language score no translations")
        if model.plan.decoder is None:
            raise InputError(f"{where}: {model.plan.unfit}")
        neural = "scores" in model.plan.decoder.arguments
        if inside.scores is not None and not neural:
            raise InputError(f"{where}: only neural models have a choice of scores")
        if inside.products is not None and not neural:
            raise InputError(f"{where}: only neural models have products with context matrices")
        if inside.quantise is not None and not neural:
            what = f"{where}: quantise is for neural models"
            raise InputError(what, hint="set the key quantise of the n-gram model itself")


def _check_features(system: System) -> None:
    """Check the names of features that are tuned or left out, unless another program names them."""
    key = "rescoring" if system.rescores else "tuning"
    if system.given_lists or (not system.rescores and system.tuned_by != system.name):
        return
    settings = system.rescoring if system.rescores else system.tuning
    where = f"systems.{system.name}.{key}" if to_plain(getattr(system.settings, key)) else key
    names, tuned = system.feature_names, settings["tuned"]
    known = {label.rstrip("0123456789") for label, _ in names}
    for _, kind in KINDS.items():
        known |= {kind.feature, kind.feature.replace("LM", "TM")}
    for wanted in tuned:  # a system may lack models of a kind
        if not wanted[-1:].isdigit() and wanted not in known:
            hint = nearest(wanted, tuple(sorted(known)))
            raise InputError(f"{where}.tuned: unknown feature {wanted!r}", hint=hint)
    new = system.rescoring_features(system.runs[0])
    try:
        divide(names, [*tuned, *new] if tuned else [], settings["left_out"])
    except InputError as error:
        raise InputError(f"{where}: {error.what}", hint=error.hint) from error


def _check_lattice(system: System) -> None:
    if not system.on_lattices:
        return
    where = f"systems.{system.name}.lattice"
    if system.given_lists:
        raise InputError(f"{where}: {system.decoded_by} has lists only", hint="leave lattice out")
    for model in system.rescoring_models:
        if model.units == "tuples":
            raise InputError(f"{where}: {model.name}: models of tuples rescore lists")
        if system.lattice_states is None and model.plan.remembers is None:
            what = f"{where}: states: {model.name} remembers all words and needs a bound"
            raise InputError(what)
