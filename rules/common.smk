"""Shared by all other files: the checked configuration, wildcards, who depends on whom."""

from snakemake.exceptions import WorkflowError

from nlmt.configuration import check_configuration
from nlmt.corpora import read_corpus
from nlmt.errors import InputError

try:
    check_configuration(
        config, workflow.source_path("../workflow/schemas/config.schema.yaml")
    )
except InputError as error:
    raise WorkflowError(str(error))


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


def model_file(lm):
    """The file that stands for a trained language model, below a pair's folder."""
    ngram = config["language_models"][lm]["kind"] == "ngram"
    return f"lm/{lm}/{'model.binary' if ngram else 'model.safetensors'}"


def decoding_system(system):
    """The system whose n-best lists `system` works on: itself, where it decodes."""
    return config["systems"][system].get("decoded_by", system)


def hypotheses_of(system):
    """Paths of the test translations of all runs of a system, below a pair's folder."""
    stage = "rescore" if "rescored_with" in config["systems"][system] else "decode"
    return [f"{stage}/{system}/run{run}/test.hyp" for run in config["tuning"]["seeds"]]


def in_pair(wildcards, path):
    """A path below the folder of the pair at hand."""
    return f"results/{wildcards.task}/{wildcards.src}-{wildcards.tgt}/{path}"


for pair in PAIRS:
    languages_of(pair)
for name, system in config["systems"].items():
    for lm in [system.get("language_model"), *system.get("rescored_with", [])]:
        if lm is not None:
            known(config["language_models"], lm, "language model")
    if "language_model" not in known(
        config["systems"], decoding_system(name), "system"
    ):
        raise WorkflowError(
            f"config: systems.{name}.decoded_by: {decoding_system(name)} does not decode"
        )
