"""Tables, figures, claims and the page of each paper; its module names the inputs of tables."""

from dataclasses import asdict


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
        mem_mb=memory("write_paper_table"),
        runtime=minutes("write_paper_table"),
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
        mem_mb=memory("draw_paper_figure"),
        runtime=minutes("draw_paper_figure"),
    script:
        "../workflow/scripts/draw_paper_figure.py"


rule judge_claims:
    input:
        tables=lambda w: [
            f"results/papers/{w.paper}/{name}.tsv" for name in paper_tables(w.paper)
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
        mem_mb=memory("judge_claims"),
        runtime=minutes("judge_claims"),
    params:
        pairs=lambda w: EXPERIMENT.paper_pairs(w.paper),
        networks=lambda w: networks_of(w.paper),
    script:
        "../workflow/scripts/judge_claims.py"


rule write_paper_page:
    input:
        results=lambda w: results_of(w.paper),
        figures=lambda w: figures_of(w.paper),
        changes=lambda w: changes_of(w.paper),
    output:
        page=report(
            "results/papers/{paper}/index.html",
            caption="../workflow/report/paper.rst",
            category="{paper}",
            labels={"of": "all", "what": "page"},
        ),
    log:
        "results/logs/write_paper_page/{paper}.log",
    benchmark:
        "results/benchmarks/write_paper_page/{paper}.tsv"
    localrule: True
    conda:
        "../envs/nlmt.yaml"
    resources:
        mem_mb=memory("write_paper_page"),
        runtime=minutes("write_paper_page"),
    params:
        pairs=lambda w: EXPERIMENT.paper_pairs(w.paper),
        task=lambda w: EXPERIMENT.paper_task(w.paper),
        parts=lambda w: parts_of(w.paper),
        configuration=lambda w: configuration_of(w.paper),
        mixed_code=EXPERIMENT.config.evaluation.mixed_code,
    script:
        "../workflow/scripts/write_paper_page.py"


rule write_papers_overview:
    input:
        lambda w: [path for entry in all_systems() for path in entry.files()],
    output:
        table=report(
            "results/papers/overview.tsv",
            caption="../workflow/report/papers.rst",
            category="papers",
            labels={"of": "all systems", "what": "table"},
        ),
    log:
        "results/logs/write_papers_overview.log",
    benchmark:
        "results/benchmarks/write_papers_overview.tsv"
    localrule: True
    conda:
        "../envs/nlmt.yaml"
    resources:
        mem_mb=memory("write_papers_overview"),
        runtime=minutes("write_papers_overview"),
    params:
        entries=lambda w: [asdict(entry) for entry in all_systems()],
    script:
        "../workflow/scripts/write_papers_overview.py"


rule write_papers_page:
    input:
        overview="results/papers/overview.tsv",
        results=[path for key in PAPERS.names() for path in results_of(key)],
    output:
        page=report(
            "results/papers/index.html",
            caption="../workflow/report/papers.rst",
            category="papers",
            labels={"of": "all papers", "what": "page"},
        ),
    log:
        "results/logs/write_papers_page.log",
    benchmark:
        "results/benchmarks/write_papers_page.tsv"
    localrule: True
    conda:
        "../envs/nlmt.yaml"
    resources:
        mem_mb=memory("write_papers_page"),
        runtime=minutes("write_papers_page"),
    params:
        pairs={key: EXPERIMENT.paper_pairs(key) for key in PAPERS.names()},
        mixed_code=EXPERIMENT.config.evaluation.mixed_code,
    script:
        "../workflow/scripts/write_papers_page.py"


# Pages, and the sizes of texts over which published findings are drawn.
PAPER_FILES = {
    key: [
        f"results/papers/{key}/index.html",
        *(of_pair(key, pair, SIZES) for pair in EXPERIMENT.paper_pairs(key)),
    ]
    for key in PAPERS.names()
}

for key, files in PAPER_FILES.items():

    rule:
        name:
            key
        input:
            files,


rule papers:
    input:
        PAPER_FILES.values(),
        "results/papers/index.html",
