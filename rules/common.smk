"""Shared by all other files: the checked configuration, wildcards, who depends on whom."""

from dataclasses import asdict
from pathlib import Path

from snakemake.exceptions import WorkflowError

from nlmt.decoder import translation_settings
from nlmt.errors import InputError
from nlmt.experiment import Experiment, describe_systems, tokenisation
from nlmt.papers import PAPERS
from nlmt.registry import use_plugins

CONFIG_FILES = [*workflow.configfiles, *workflow.config_settings.configfiles]
try:
    use_plugins(config.get("plugins"))
    EXPERIMENT = Experiment.read(
        config, [Path(path) for path in CONFIG_FILES], papers=dict(PAPERS.items())
    )
except InputError as error:
    raise WorkflowError(str(error))
MODELS, SYSTEMS = EXPERIMENT.models, EXPERIMENT.systems
try:
    DECODER = translation_settings(EXPERIMENT.config.decoder)
except InputError as error:
    raise WorkflowError(f"decoder: {error}")

TASKS = EXPERIMENT.tasks()
PARTS = EXPERIMENT.parts()  # of the corpus of each task
SETS = list(config.get("held_out", {}))  # of other corpora
LANGUAGES = "|".join(EXPERIMENT.languages())
ANY_SYSTEM = "|".join(SYSTEMS.names())
NOTHING = "(?!)"  # a pattern that matches no name

# Tables of phrases or, below a folder of their own, of tuples, filtered to the held-out parts of the
# experiment's corpus or to one further set.
FILTERED = "results/{task}/{src}-{tgt}/tm/{filtered}"
TEXT_TABLES = {
    "phrase_table": f"{FILTERED}/phrase-table.gz",
    "reordering_table": f"{FILTERED}/reordering-table.wbe-msd-bidirectional-fe.gz",
}
SHARD = f"{FILTERED}/shards/{{split}}.{{scatteritem}}"
TABLES, SHARD_TABLES = TEXT_TABLES, {
    "phrase_table": f"{SHARD}.phrase-table.gz",
    "reordering_table": f"{SHARD}.reordering-table.gz",
}
if config["decoder"]["tables"] == "binary":  # mapped, so that shards may share it
    TABLES = dict.fromkeys(TEXT_TABLES, f"{FILTERED}/tables.bin")


def names_where(fits):
    """A pattern for the names of some systems."""
    return "|".join(name for name in SYSTEMS.names() if fits(SYSTEMS[name])) or NOTHING


DECODING = names_where(lambda system: not system.given_lists)
WITH_LISTS = names_where(lambda system: system.given_lists)  # of other programs
ON_LATTICES = names_where(lambda system: system.on_lattices)
ON_LISTS = names_where(lambda system: system.rescores and not system.on_lattices)


# This and all other global constraints stand before the first rule: at one after it, Snakemake 9.27
# forgets those of outputs in a storage.
wildcard_constraints:
    task="|".join(TASKS),
    src=LANGUAGES,
    tgt=LANGUAGES,
    lang="[a-z]{2,3}",
    corpus="|".join(config["corpora"]),
    split="|".join([*PARTS, *SETS]),
    filtered=f"(tuples/)?filtered(/({'|'.join(SETS) or NOTHING}))?",
    run="|".join({str(run) for name in SYSTEMS.names() for run in SYSTEMS[name].runs}),
    of_run="(/run[0-9]+)?",  # of files that each run has where its models are its own
    system=ANY_SYSTEM,
    lm="|".join(MODELS.ids()),
    paper="|".join(PAPERS.names()),


scattergather:
    shards=config["decoder"]["shards"],
    text_shards=EXPERIMENT.config.text.shards,


def in_pair(wildcards, paths):
    """A path, or those in lists and mappings, below the folder of the pair at hand."""
    if isinstance(paths, dict):
        return {name: in_pair(wildcards, path) for name, path in paths.items()}
    if isinstance(paths, list):
        return [in_pair(wildcards, path) for path in paths]
    return f"results/{wildcards.task}/{wildcards.src}-{wildcards.tgt}/{paths}"


def filtered_tables(wildcards, tables=TABLES):
    """The tables that a system translates a set with, by their names in the rules."""
    split = wildcards.get("split", "test")
    filtered = f"filtered/{split}" if split in SETS else "filtered"
    if SYSTEMS[wildcards.system].units == "tuples":
        filtered = f"tuples/{filtered}"
    return {
        name: path.format(**{**wildcards, "filtered": filtered})
        for name, path in tables.items()
    }


def run_of(wildcards):
    """The run of a job; the first one of a system where runs share the file."""
    run = wildcards.get("run") or wildcards.get("of_run", "").rpartition("run")[2]
    return int(run) if run else SYSTEMS[wildcards.system].runs[0]


def decoder_model_files(wildcards):
    """All files of the language models that a system decodes with."""
    try:
        EXPERIMENT.check_engine(wildcards.system)
    except InputError as error:
        raise WorkflowError(str(error))
    return in_pair(
        wildcards, SYSTEMS[wildcards.system].decoder_files(run_of(wildcards))
    )


def decoder_features(wildcards):
    """The line of each language model in a system's moses.ini."""
    system, folder = SYSTEMS[wildcards.system], in_pair(wildcards, "")
    return [
        feature.line() for feature in system.decoder_features(folder, run_of(wildcards))
    ]


def rescoring_model_files(wildcards):
    """All files of the language models that a system rescores with."""
    system = SYSTEMS[wildcards.system]
    return in_pair(wildcards, system.rescoring_files(run_of(wildcards)))


def rescoring_features(wildcards):
    """The file of each model that a system rescores with, by its feature."""
    system = SYSTEMS[wildcards.system]
    return in_pair(wildcards, system.rescoring_features(run_of(wildcards)))


def decoded(wildcards, run, file):
    """A file of the system whose translations a system uses, in one of its runs."""
    system = SYSTEMS[wildcards.system].decoded_by
    return in_pair(wildcards, f"decode/{system}/run{run}/{file}")


def first_list(wildcards, run=None):
    """The decoder's list of a system's first test set, in a run; in the first run, if None."""
    system = SYSTEMS[wildcards.system]
    run = system.runs[0] if run is None else run
    return decoded(wildcards, run, f"{system.test_sets[0]}.nbest.gz")


def rescored_list(wildcards, run, split):
    """The list that a system reranks: the decoder's, or that of rescored lattices."""
    if not SYSTEMS[wildcards.system].on_lattices:
        return decoded(wildcards, run, f"{split}.nbest.gz")
    system = SYSTEMS[wildcards.system].scored_by
    return in_pair(wildcards, f"rescore/{system}/run{run}/{split}.nbest.gz")


def rescored_scores(wildcards, run, split):
    """The new scores of that list; none for rescored lattices, whose lists have them.

    Systems with the same translations and models share them.
    """
    system = SYSTEMS[wildcards.system]
    if system.on_lattices:
        return []
    path = f"rescore/{system.scored_by}/run{run}/{split}.scores.tsv.gz"
    return in_pair(wildcards, path)


def tuned(wildcards):
    """The weights that a system's translations were decoded with; given lists have none."""
    if SYSTEMS[wildcards.system].given_lists:
        return []
    system = SYSTEMS[wildcards.system].tuned_by
    return in_pair(wildcards, f"tune/{system}/run{run_of(wildcards)}/weights.json")
