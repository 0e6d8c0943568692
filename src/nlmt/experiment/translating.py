"""The systems of an experiment as `nlmt translate` needs them."""

from pathlib import Path

from nlmt.experiment.experiment import Experiment
from nlmt.experiment.systems import System
from nlmt.text import SENTENCEPIECE, Tokenisation
from nlmt.translation import Rescoring, SystemFiles, SystemsFolder
from nlmt.translation.folder import SEARCH

TRUECASER = "casing/{language}.gz"
PIECES = "pieces/{language}.model"


def tokenisation(
    experiment: Experiment, source: str, target: str, folder: str = ""
) -> Tokenisation:
    """The settings of tokenisation of a pair; files of truecasers and pieces are below `folder`."""
    text = experiment.config.text
    pair = sorted({source, target})
    segmenters = {name: text.segmenter[name] for name in pair if name in text.segmenter}
    divided = [name for name in segmenters if segmenters[name] == SENTENCEPIECE]
    pieces = {name: folder + PIECES.format(language=name) for name in divided}
    segmenters = {name: segmenters[name] for name in segmenters if name not in pieces}
    cased = pair if text.casing == "truecase" else ()
    truecasers = {name: folder + TRUECASER.format(language=name) for name in cased}
    return Tokenisation(text.tokeniser, segmenters, text.casing, truecasers, pieces)


def describe_systems(experiment: Experiment, source: str, target: str) -> SystemsFolder:
    """The systems of a language pair that translate, in all runs."""
    decoder = experiment.config.decoder
    systems = experiment.systems
    names = [name for name in systems.names() if not systems[name].given_lists]
    return SystemsFolder(
        folder=Path(),
        source=source,
        target=target,
        tokenisation=tokenisation(experiment, source, target),
        search={key: getattr(decoder, key) for key in SEARCH},
        systems={
            name: {run: _files(systems[name], run) for run in systems[name].runs} for name in names
        },
        compared=tuple(name for name in systems.of_report() if name in names),
    )


def _files(system: System, run: int) -> SystemFiles:
    """A run of a system."""
    tables = "tm/tuples" if system.units == "tuples" else "tm"
    tuning = system.rescoring if system.rescores else system.systems[system.tuned_by].tuning
    return SystemFiles(
        phrase_table=f"{tables}/phrase-table.gz",
        reordering_table=f"{tables}/reordering-table.wbe-msd-bidirectional-fe.gz",
        language_models=tuple(feature.line() for feature in system.decoder_features("", run)),
        recombination_context=system.recombination_context,
        weights=f"tune/{system.tuned_by}/run{run}/weights.json",
        model_files=tuple(
            dict.fromkeys([*system.decoder_files(run), *system.rescoring_files(run)])
        ),
        rescoring=_rescoring(system, run) if system.rescores else None,
        objective=tuning["objective"],
    )


def _rescoring(system: System, run: int) -> Rescoring:
    """The rescoring of a run of a system."""
    of_decoder = system.systems[system.decoded_by].rescoring  # which writes the lattices
    return Rescoring(
        models=system.rescoring_features(run),
        tuples=tuple(system.tuple_features),
        size=system.list_size,
        weights=f"rescore/{system.name}/run{run}/weights.json",
        density=of_decoder["lattice_density"] if system.on_lattices else None,
        states=system.lattice_states if system.on_lattices else None,
        sees_reference=bool(system.reference_features),
    )
