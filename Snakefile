"""nlmt: machine-translation experiments with neural language models, from the corpus to BLEU."""

import sys
from pathlib import Path

from snakemake.exceptions import WorkflowError
from snakemake.utils import min_version

from nlmt.errors import InputError
from nlmt.jobs import check_writable, failure_hint

min_version("9.0")


configfile: "config.yaml"
configfile: "config/corpora.yaml"


for paper in sorted(Path("config/papers").glob("*.yaml")):

    configfile: str(paper)


include: "rules/scale.smk"


# On a cluster these run where Snakemake does: small, or in need of the network.
localrules:
    download,
    download_corpus,
    write_corpus_statistics,
    write_moses_ini,
    write_set_ini,
    write_report,
    write_paper_table,
    draw_paper_figure,
    write_paper_page,
    write_papers_overview,
    write_papers_page,
    judge_claims,


include: "rules/common.smk"
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
include: "rules/papers.smk"
include: "rules/papers/auli2013.smk"
include: "rules/papers/baltescu2015.smk"
include: "rules/papers/schwenk2010.smk"


onstart:
    try:
        check_writable(Path("results"))
    except InputError as error:
        raise WorkflowError(str(error))
    # Snakemake 9.27 chooses jobs again a second after each choice, in one more timer each time (its pull
    # request 3744): after hundreds of jobs that is a core's work. The timers serve the limit of jobs
    # started a second, which stays where the user sets one lower than the default.
    limit = workflow.scheduling_settings.max_jobs_per_timespan
    if limit and limit.max_jobs >= 100:
        workflow.scheduler.job_rate_limiter = None


onerror:
    hint = failure_hint(Path(log[0]))
    if hint:
        print(hint, file=sys.stderr)


rule all:
    default_target: True
    input:
        rules.reports.input,
        rules.papers.input,
