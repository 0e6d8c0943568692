"""Tables, figures and claims of each paper; its module names the inputs of tables."""


rule write_paper_table:
    input:
        files=lambda w: [
            path
            for part in table_parts(w)
            for paths in part.files.values()
            for path in paths
        ],
        published=lambda w: published(w, f"{w.table}.tsv"),
    output:
        table=report(
            "results/papers/{paper}/{table}.tsv",
            caption="../workflow/report/table.rst",
            category="{paper}",
            labels={"of": "{table}", "what": "table"},
        ),
    log:
        "results/logs/write_paper_table/{paper}.{table}.log",
    benchmark:
        "results/benchmarks/write_paper_table/{paper}.{table}.tsv"
    localrule: True
    conda:
        "../envs/nlmt.yaml"
    resources:
        **requests("write_paper_table"),
    params:
        parts=lambda w: [asdict(part) for part in table_parts(w)],
        mixed_code=EXPERIMENT.config.evaluation.mixed_code,
    script:
        "../workflow/scripts/write_paper_table.py"


rule draw_paper_figure:
    input:
        table="results/papers/{paper}/{table}.tsv",
    output:
        svg=report(
            "results/papers/{paper}/{table}.svg",
            caption="../workflow/report/figure.rst",
            category="{paper}",
            labels={"of": "{table}", "what": "figure, SVG"},
        ),
        png=report(
            "results/papers/{paper}/{table}.png",
            caption="../workflow/report/figure.rst",
            category="{paper}",
            labels={"of": "{table}", "what": "figure, PNG"},
        ),
    log:
        "results/logs/draw_paper_figure/{paper}.{table}.log",
    benchmark:
        "results/benchmarks/draw_paper_figure/{paper}.{table}.tsv"
    localrule: True
    conda:
        "../envs/nlmt.yaml"
    resources:
        **requests("draw_paper_figure"),
    script:
        "../workflow/scripts/draw_paper_figure.py"


rule judge_claims:
    input:
        tables=lambda w: [
            f"results/papers/{w.paper}/{name}.tsv"
            for name in PAPERS.get(w.paper).tables
        ],
        claims=lambda w: published(w, "claims.yaml"),
        published=lambda w: given(sorted((PUBLISHED / w.paper).glob("*.tsv"))),
        trained=lambda w: [
            of_pair(w.paper, pair, f"{MODELS[name].folder}/metrics.json")
            for pair, networks in networks_of(w.paper).items()
            for name in sorted({name for names in networks.values() for name in names})
        ],
    output:
        verdicts=report(
            "results/papers/{paper}/claims.tsv",
            caption="../workflow/report/verdicts.rst",
            category="{paper}",
            labels={"of": "findings", "what": "verdicts"},
        ),
        comparisons=report(
            "results/papers/{paper}/comparisons.tsv",
            caption="../workflow/report/comparisons.rst",
            category="{paper}",
            labels={"of": "findings", "what": "comparisons"},
        ),
    log:
        "results/logs/judge_claims/{paper}.log",
    benchmark:
        "results/benchmarks/judge_claims/{paper}.tsv"
    localrule: True
    conda:
        "../envs/nlmt.yaml"
    resources:
        **requests("judge_claims"),
    params:
        pairs=lambda w: EXPERIMENT.paper_pairs(w.paper),
        networks=lambda w: networks_of(w.paper),
        mixed_code=EXPERIMENT.config.evaluation.mixed_code,
    script:
        "../workflow/scripts/judge_claims.py"
