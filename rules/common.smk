"""Shared by all other files: the checked configuration, wildcards, who depends on whom."""

from snakemake.exceptions import WorkflowError

from nlmt.configuration import check_configuration
from nlmt.corpora import read_corpus
from nlmt.decoder import check_engine
from nlmt.errors import InputError

try:
    check_configuration(
        config, workflow.source_path("../workflow/schemas/config.schema.yaml")
    )
except InputError as error:
    raise WorkflowError(str(error))

config["systems"] = {
    name: system for name, system in config["systems"].items() if system is not None
}
if not config["systems"]:
    raise WorkflowError("config: systems: all are left out")


def known(entries, name, what):
    """The entry of that name; an error names those that there are."""
    if name not in entries:
        raise WorkflowError(
            f"config: unknown {what} {name!r} (allowed: {', '.join(entries)})"
        )
    return entries[name]


TASK = config["task"]
PAIRS = config["pairs"]
CORPUS = known(config["corpora"], config["corpus"], "corpus")
BASELINE = next(iter(config["systems"]))


try:
    DECODER = check_engine(config["decoder"])
except InputError as error:
    raise WorkflowError(f"config: decoder: {error}")
if DECODER["engine"] == "moses" and config["decoder"]["tables"] == "binary":
    raise WorkflowError("config: decoder.tables: Moses reads tables as text only")


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


wildcard_constraints:
    task="[A-Za-z0-9_-]+",
    src="|".join(CORPUS["languages"]),
    tgt="|".join(CORPUS["languages"]),
    lang="[a-z]{2,3}",
    corpus="|".join(config["corpora"]),
    split="train|dev|test",
    run="|".join(map(str, config["tuning"]["seeds"])),
    system="|".join(config["systems"]),
    lm="|".join(config["language_models"]),


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


def corpus_files(language):
    """The files of one language of the corpus, downloaded or the user's own."""
    try:
        return [
            str(path) for path in read_corpus(config["corpus"], CORPUS).inputs(language)
        ]
    except InputError as error:
        raise WorkflowError(str(error))


def demo_pages(wildcards):
    """What the demo makes; its pair matters to nobody who runs another corpus without it."""
    pair = config["demo_pair"]
    languages_of(pair, "demo_pair")
    return f"results/{TASK}/{pair}/report/index.html"


def models_of_kind(kind):
    """Names of the language models of one kind."""
    return [
        name for name, lm in config["language_models"].items() if lm["kind"] == kind
    ]


def model_files(lm):
    """The files of a trained language model below a pair's folder; the first stands for it."""
    if config["language_models"][lm]["kind"] == "ngram":
        return [f"lm/{lm}/model.binary"]
    parts = ["model.safetensors", "config.json", "vocabulary.txt", "classes.tsv"]
    return [f"lm/{lm}/{part}" for part in parts]


def decoder_models(system):
    """The language models inside the decoder of a system, each a mapping with its name."""
    models = config["systems"][system]["language_models"]
    return [{"name": model} if isinstance(model, str) else model for model in models]


def decoder_model_files(wildcards):
    """All files of the language models that a system decodes with."""
    names = [model["name"] for model in decoder_models(wildcards.system)]
    return [in_pair(wildcards, path) for lm in names for path in model_files(lm)]


def decoder_features(wildcards):
    """Path and order or kind of scores of each language model in a system's moses.ini."""
    features = []
    for model in decoder_models(wildcards.system):
        name = model["name"]
        lm = config["language_models"][name]
        if lm["kind"] == "ngram":
            file = in_pair(wildcards, model_files(name)[0])
            features.append({"path": file, "order": lm["order"]})
        else:
            folder = in_pair(wildcards, f"lm/{name}")
            features.append(
                {"path": folder, "scores": model.get("scores", "normalised")}
            )
    return features


def decoding_system(system):
    """The system whose n-best lists `system` works on: itself, where it decodes."""
    return config["systems"][system].get("decoded_by", system)


def rescoring_model_files(wildcards):
    """All files of the language models that a system rescores with."""
    names = config["systems"][wildcards.system]["rescored_with"]
    return [in_pair(wildcards, path) for lm in names for path in model_files(lm)]


def rescoring_features(wildcards):
    """File of each model that rescores, by its feature: LM<i> or NLM<i>, on from the decoder's."""
    inside = [
        model["name"] for model in decoder_models(decoding_system(wildcards.system))
    ]
    names = [*inside, *config["systems"][wildcards.system]["rescored_with"]]
    kinds = ["NLM" if name in models_of_kind("neural") else "LM" for name in names]
    return {
        f"{kinds[place]}{kinds[:place].count(kinds[place])}": in_pair(
            wildcards, model_files(names[place])[0]
        )
        for place in range(len(inside), len(names))
    }


def hypotheses_of(system):
    """Paths of the test translations of all runs of a system, below a pair's folder."""
    stage = "rescore" if "rescored_with" in config["systems"][system] else "decode"
    return [f"{stage}/{system}/run{run}/test.hyp" for run in config["tuning"]["seeds"]]


def grows(base, per_mb, most=float("inf")):
    """A resource of that size, more for each MB of input files, and more at each new attempt."""
    return lambda wildcards, input, attempt: int(
        attempt * min(base + per_mb * input.size_mb, most)
    )


def in_pair(wildcards, path):
    """A path below the folder of the pair at hand."""
    return f"results/{wildcards.task}/{wildcards.src}-{wildcards.tgt}/{path}"


def check_system(name, system):
    """Every model and system that a system names is there, and its engine can take them."""
    for lm in system.get("rescored_with", []):
        known(config["language_models"], lm, "language model")
    if "language_models" not in known(
        config["systems"], decoding_system(name), "system"
    ):
        raise WorkflowError(
            f"config: systems.{name}.decoded_by: {decoding_system(name)} does not decode"
        )
    for model in decoder_models(decoding_system(name)):
        lm = known(config["language_models"], model["name"], "language model")
        where = (
            f"config: systems.{decoding_system(name)}.language_models: {model['name']}"
        )
        if lm["kind"] == "ngram" and "scores" in model:
            raise WorkflowError(f"{where}: only neural models have a choice of scores")
        if lm["kind"] != "ngram" and DECODER["engine"] == "moses":
            raise WorkflowError(
                f"{where}: Moses has no neural models (decoder.engine: nlmt has them)"
            )


for pair in PAIRS:
    languages_of(pair)
for name, system in config["systems"].items():
    check_system(name, system)
