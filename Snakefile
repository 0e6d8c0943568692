"""nlmt: machine-translation experiments with neural language models, from the corpus to BLEU."""

from snakemake.utils import min_version

min_version("9.0")


configfile: "config.yaml"
configfile: "config/corpora.yaml"


# On a cluster these run where Snakemake does: small, or in need of the network.
localrules:
    download_corpus,
    write_moses_ini,
    write_shard_ini,
    write_report,
    write_joint_tables,
    write_cslm_tables,
    write_deep_tables,


include: "rules/common.smk"
include: "rules/corpora.smk"
include: "rules/text.smk"
include: "rules/language_models.smk"
include: "rules/translation_model.smk"
include: "rules/tuples.smk"
include: "rules/tuning.smk"
include: "rules/decoding.smk"
include: "rules/rescoring.smk"
include: "rules/lattices.smk"
include: "rules/evaluation.smk"
include: "rules/papers.smk"


rule all:
    default_target: True
    input:
        expand("results/{task}/{pair}/report/index.html", task=TASK, pair=PAIRS),


rule demo:
    input:
        demo_pages,
