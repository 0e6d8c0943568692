"""The tables of the papers, of the first language pair."""


rule write_cslm_tables:
    input:
        scores=cslm_scores,
        perplexities=cslm_perplexities,
    output:
        table="results/papers/cslm/table2.tsv",
        models="results/papers/cslm/models.tsv",
        page=report("results/papers/cslm/index.html", category="papers"),
    log:
        "results/logs/write_cslm_tables.log",
    conda:
        "../envs/nlmt.yaml"
    params:
        pair=PAIRS[0],
        systems=CSLM_SYSTEMS,
        over_tuples=lambda w: list(filter(EXPERIMENT.over_tuples, EXPERIMENT.models)),
    script:
        "../workflow/scripts/write_cslm_tables.py"


rule cslm_table:
    input:
        rules.write_cslm_tables.output,


rule deep_table:
    input:
        unpack(deep_inputs),
    output:
        table="results/papers/deep/systems.tsv",
        models="results/papers/deep/models.tsv",
        page=report("results/papers/deep/index.html", category="papers"),
    log:
        "results/logs/deep_table.log",
    conda:
        "../envs/nlmt.yaml"
    params:
        pair=PAIRS[0],
    script:
        "../workflow/scripts/deep_table.py"
