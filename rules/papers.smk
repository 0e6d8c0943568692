"""Tables, figures and the page of each paper; its module says what a table is made from."""

from dataclasses import asdict


def paper_tables(key):
    """The tables of a paper, by name."""
    return PAPERS.get(key).tables


def table_parts(wildcards):
    """What a table is made from, pair by pair."""
    table = paper_tables(wildcards.paper)[wildcards.table]
    settings = EXPERIMENT.paper(wildcards.paper)
    return [
        table.needs(EXPERIMENT, settings, pair)
        for pair in EXPERIMENT.paper_pairs(wildcards.paper)
    ]


def table_inputs(wildcards):
    """The files among them."""
    return [
        f"results/{TASK}/{part.pair}/{path}"
        for part in table_parts(wildcards)
        for paths in part.files.values()
        for path in paths
    ]


rule write_paper_table:
    input:
        table_inputs,
    output:
        table="results/papers/{paper}/{table}.tsv",
    log:
        "results/logs/write_paper_table/{paper}.{table}.log",
    params:
        task=TASK,
        parts=lambda w: [asdict(part) for part in table_parts(w)],
    script:
        "../workflow/scripts/write_paper_table.py"


rule draw_paper_figure:
    input:
        table="results/papers/{paper}/{table}.tsv",
    output:
        figure=report("results/papers/{paper}/{table}.svg", category="{paper}"),
    log:
        "results/logs/draw_paper_figure/{paper}.{table}.log",
    script:
        "../workflow/scripts/draw_paper_figure.py"


rule write_paper_page:
    input:
        tables=lambda w: [
            f"results/papers/{w.paper}/{name}.tsv" for name in paper_tables(w.paper)
        ],
        figures=lambda w: [
            f"results/papers/{w.paper}/{name}.svg"
            for name, table in paper_tables(w.paper).items()
            if table.draw is not None
        ],
    output:
        page=report("results/papers/{paper}/index.html", category="{paper}"),
    log:
        "results/logs/write_paper_page/{paper}.log",
    script:
        "../workflow/scripts/write_paper_page.py"


for key in PAPERS.names():

    rule:
        name:
            key
        input:
            f"results/papers/{key}/index.html",


rule papers:
    input:
        expand("results/papers/{paper}/index.html", paper=PAPERS.names()),
