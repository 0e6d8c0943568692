"""The tables of the papers, of the first language pair."""

PAPERS = config.get("papers", {})
CSLM_SYSTEMS = PAPERS.get("cslm", {}).get("table2", [])


def cslm_scores(wildcards):
    """Scores of the systems of Schwenk's Table 2 that are configured; an error where none is named."""
    if not CSLM_SYSTEMS:
        raise WorkflowError(
            "config: papers: no table2 of cslm (add --configfile config/papers/cslm.yaml)"
        )
    return [
        f"results/{TASK}/{PAIRS[0]}/eval/{system}.json"
        for system in CSLM_SYSTEMS
        if system in EXPERIMENT.systems
    ]


def cslm_perplexities(wildcards):
    """Perplexities of the models of these systems."""
    models = EXPERIMENT.models_of(filter(EXPERIMENT.systems.get, CSLM_SYSTEMS))
    return [f"results/{TASK}/{PAIRS[0]}/lm/{lm}/perplexity.json" for lm in models]


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
