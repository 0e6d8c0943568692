"""What every rule file shares: the checked configuration, wildcards, and who depends on whom."""

from snakemake.exceptions import WorkflowError

from nlmt.configuration import check_configuration
from nlmt.errors import InputError

try:
    check_configuration(config, workflow.source_path("../workflow/schemas/config.schema.yaml"))
except InputError as error:
    raise WorkflowError(str(error))

TASK = config["task"]
PAIRS = config["pairs"]
CORPUS = config["corpora"][config["corpus"]]
BASELINE = next(iter(config["systems"]))


wildcard_constraints:
    task="[A-Za-z0-9_-]+",
    src="|".join(CORPUS["languages"]),
    tgt="|".join(CORPUS["languages"]),
    lang="|".join(CORPUS["languages"]),
    split="train|dev|test",
    run="|".join(map(str, config["tuning"]["seeds"])),
    system="|".join(config["systems"]),
    lm="|".join(config["language_models"]),


def languages_of(pair):
    """Source and target language of a pair such as fr-en; an error names what the corpus has."""
    source, _, target = pair.partition("-")
    for language in (source, target):
        if language not in CORPUS["languages"]:
            raise WorkflowError(
                f"config: pairs: {pair}: the corpus {config['corpus']} has no language {language!r} "
                f"(it has {', '.join(CORPUS['languages'])})"
            )
    if source == target:
        raise WorkflowError(f"config: pairs: {pair}: source and target are the same language")
    return source, target


def models_of_kind(kind):
    """Names of the language models of one kind."""
    return [name for name, lm in config["language_models"].items() if lm["kind"] == kind]


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


def in_pair(paths):
    """Put relative paths into the folder of the pair at hand."""
    paths = [paths] if isinstance(paths, str) else paths
    return [f"results/{{task}}/{{src}}-{{tgt}}/{path}" for path in paths]


for pair in [*PAIRS, config["demo_pair"]]:
    languages_of(pair)
for name, system in config["systems"].items():
    wanted = [system.get("language_model"), *system.get("rescored_with", [])]
    for lm in filter(None, wanted):
        if lm not in config["language_models"]:
            raise WorkflowError(
                f"config: systems.{name}: unknown language model {lm!r} "
                f"(allowed: {', '.join(config['language_models'])})"
            )
    if "language_model" not in config["systems"].get(decoding_system(name), {}):
        raise WorkflowError(
            f"config: systems.{name}.decoded_by: {system.get('decoded_by')!r} is no system that decodes"
        )
