"""Shared by all other files: the checked configuration, wildcards, who depends on whom."""

from pathlib import Path

from snakemake.exceptions import WorkflowError

from nlmt import corpora
from nlmt.classes import METHODS
from nlmt.configuration import check_configuration
from nlmt.decoder import DecoderSettings, translation_settings
from nlmt.errors import InputError
from nlmt.experiment import Experiment, known
from nlmt.settings import read_settings

try:
    check_configuration(
        config, workflow.source_path("../workflow/schemas/config.schema.yaml")
    )
    EXPERIMENT = Experiment.from_config(config)
    CORPUS = known(config["corpora"], config["corpus"], "corpus")
    CORPORA = corpora.read_corpora(
        config["corpora"], [Path(path) for path in workflow.configfiles]
    )
    DOWNLOADS = corpora.downloads(CORPORA)
except InputError as error:
    raise WorkflowError(str(error))
try:
    DECODER = translation_settings(read_settings(DecoderSettings, config["decoder"]))
except InputError as error:
    raise WorkflowError(f"config: decoder: {error}")


TASK = config["task"]
PAIRS = config["pairs"]
BASELINE = EXPERIMENT.baseline
# A second set to tune on is held out only where reranking asks for it.
TUNING_SET = config["rescoring"]["tuning_set"]
PARTS = ["train", "dev", "test"] + (["dev2"] if TUNING_SET == "dev2" else [])

FILTERED = "results/{task}/{src}-{tgt}/tm/filtered"
TEXT_TABLES = {
    "phrase_table": f"{FILTERED}/phrase-table.gz",
    "reordering_table": f"{FILTERED}/reordering-table.wbe-msd-bidirectional-fe.gz",
}
SHARD = "results/{task}/{src}-{tgt}/tm/shards/{split}.{scatteritem}"
TABLES, SHARD_TABLES = TEXT_TABLES, {
    "phrase_table": f"{SHARD}.phrase-table.gz",
    "reordering_table": f"{SHARD}.reordering-table.gz",
}
if config["decoder"]["tables"] == "binary":  # mapped, so that shards may share it
    TABLES = SHARD_TABLES = dict.fromkeys(TEXT_TABLES, f"{FILTERED}/tables.bin")
ON_LATTICES = "|".join(EXPERIMENT.on_lattices()) or "(?!)"  # which matches nothing
ON_LISTS = rf"(?!({ON_LATTICES})\b)\w+"
WITH_SOURCE = "|".join(EXPERIMENT.seeing_source()) or "(?!)"
WITHOUT_SOURCE = rf"(?!({WITH_SOURCE})\b)\w+"


wildcard_constraints:
    task="[A-Za-z0-9_-]+",
    src="|".join(CORPUS["languages"]),
    tgt="|".join(CORPUS["languages"]),
    lang="[a-z]{2,3}",
    split="|".join(PARTS),
    run="|".join(map(str, EXPERIMENT.seeds)),
    system="|".join(EXPERIMENT.systems),
    lm="|".join(EXPERIMENT.models),


def languages_of(pair, key="pairs"):
    """Source and target language of a pair such as fr-en; an error names what the corpus has."""
    source, _, target = pair.partition("-")
    for language in (source, target):
        if language not in CORPUS["languages"]:
            raise WorkflowError(
                f"config: {key}: {pair}: the corpus {config['corpus']} has no language {language!r} "
                f"(it has {', '.join(CORPUS['languages'])})"
            )
    if source == target:
        raise WorkflowError(
            f"config: {key}: {pair}: source and target are the same language"
        )
    return source, target


def corpus_files(wildcards):
    """The files that the parts of a pair are read from, downloaded or the user's own."""
    try:
        name, languages = config["corpus"], (wildcards.src, wildcards.tgt)
        return corpora.inputs(name, CORPORA[name], languages, PARTS)
    except InputError as error:
        raise WorkflowError(str(error))


def demo_pages(wildcards):
    """What the demo makes; its pair matters to nobody who runs another corpus without it."""
    pair = config["demo_pair"]
    languages_of(pair, "demo_pair")
    return f"results/{TASK}/{pair}/report/index.html"


def in_pair(wildcards, paths):
    """A path, or each of a list or mapping of them, below the folder of the pair at hand."""
    folder = f"results/{wildcards.task}/{wildcards.src}-{wildcards.tgt}"
    if isinstance(paths, dict):
        return {name: f"{folder}/{path}" for name, path in paths.items()}
    if isinstance(paths, list):
        return [f"{folder}/{path}" for path in paths]
    return f"{folder}/{paths}"


def decoder_model_files(wildcards):
    """All files of the language models that a system decodes with."""
    return in_pair(wildcards, EXPERIMENT.decoder_files(wildcards.system))


def decoder_features(wildcards):
    """Path and order or kind of scores of each language model in a system's moses.ini."""
    return [
        feature | {"path": in_pair(wildcards, feature["path"])}
        for feature in EXPERIMENT.decoder_features(wildcards.system)
    ]


def decoded(wildcards, path):
    """A file of the decoder's for the translations that a system works on."""
    system = EXPERIMENT.decoded_by(wildcards.system)
    return in_pair(wildcards, path.format(system=system))


def paper(name):
    """What the configuration says of a paper; an error names the overlay that does."""
    found = config.get("papers", {}).get(name)
    if found is None:
        raise WorkflowError(
            f"config: papers: no {name} (add --configfile config/papers/{name}.yaml)"
        )
    return found


def joint_inputs(wildcards):
    """Scores of the systems that the joint paper's table compares, and its searches."""
    joint = paper("joint")
    for system in [*joint["systems"], joint["search"]]:
        known(EXPERIMENT.systems, system, "system")
    if joint["search"] not in EXPERIMENT.on_lattices():
        raise WorkflowError(
            "config: papers: joint: search: a system with the key lattice"
        )
    pair = f"results/{TASK}/{PAIRS[0]}"
    searches = f"{pair}/rescore/{joint['search']}/run{{run}}/searches.json"
    return {
        "scores": [f"{pair}/eval/{system}.json" for system in joint["systems"]],
        "searches": expand(searches, run=EXPERIMENT.seeds),
    }


def cslm_inputs(wildcards):
    """Scores of the systems of Schwenk's Table 2 that are configured, perplexities of their models."""
    systems = [
        system for system in paper("cslm")["systems"] if system in EXPERIMENT.systems
    ]
    pair = f"results/{TASK}/{PAIRS[0]}"
    return {
        "scores": [f"{pair}/eval/{system}.json" for system in systems],
        "perplexities": [
            f"{pair}/lm/{lm}/perplexity.json" for lm in EXPERIMENT.models_of(systems)
        ],
    }


def deep_inputs(wildcards):
    """Scores of the systems in the table of the deep paper, figures of the models they rescore with."""
    systems = paper("deep")["systems"]
    for system in systems:
        known(EXPERIMENT.systems, system, "system")
    pair = f"results/{TASK}/{PAIRS[0]}"
    models = [
        f"{pair}/lm/{name}"
        for name in EXPERIMENT.models_of(systems)
        if EXPERIMENT.models[name]["kind"] == "neural"
    ]
    return {
        "scores": [f"{pair}/eval/{system}.json" for system in systems],
        "perplexities": [f"{model}/perplexity.json" for model in models],
        "metrics": [f"{model}/metrics.json" for model in models],
        "configs": [f"{model}/config.json" for model in models],
    }


def grows(base, per_mb, most=float("inf"), also=lambda wildcards: 0):
    """A resource of that size, more for each MB of input files, and more at each new attempt."""
    return lambda wildcards, input, attempt: int(
        attempt * (min(base + per_mb * input.size_mb, most) + also(wildcards))
    )


for pair in PAIRS:
    languages_of(pair)
