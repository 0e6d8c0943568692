"""nlmt: machine-translation experiments with neural language models, from the corpus to BLEU."""

import os

from snakemake.utils import min_version

min_version("9.19")  # reads profile.yaml

# Set in many container images: every job would compile each module that it imports again.
os.environ.pop("PYTHONDONTWRITEBYTECODE", None)


include: "rules/project.smk"


# Made by `make nlmt.sif`, for --software-deployment-method apptainer (docs/containers.md).
container: str(PROJECT / "nlmt.sif")


for path in DEFAULT_FILES:

    configfile: str(path)


include: "rules/scale.smk"
include: "rules/common.smk"
include: "rules/resources.smk"
include: "rules/corpus_files.smk"
include: "rules/text_inputs.smk"
include: "rules/inputs.smk"
include: "rules/papers/inputs.smk"
include: "rules/corpora.smk"
include: "rules/text.smk"
include: "rules/statistics.smk"
include: "rules/training_texts.smk"
include: "rules/language_models.smk"
include: "rules/translation_model.smk"
include: "rules/tuples.smk"
include: "rules/tuning.smk"
include: "rules/decoding.smk"


if config["decoder"]["shards"] > 1:

    include: "rules/shards.smk"


include: "rules/rescoring.smk"
include: "rules/lattices.smk"
include: "rules/evaluation.smk"
include: "rules/translation.smk"
include: "rules/papers.smk"
include: "rules/paper_pages.smk"
include: "rules/papers/auli2013.smk"
include: "rules/papers/baltescu2015.smk"
include: "rules/papers/schwenk2010.smk"
include: "rules/handlers.smk"


rule all:
    default_target: workflow.modifier.is_main_snakefile()
    input:
        rules.reports.input,
        rules.papers.input,
