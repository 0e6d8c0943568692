"""Tables, figures, claims and the page of each paper; its module says what a table is made from."""

from dataclasses import asdict, replace

from nlmt.settings import to_plain

PUBLISHED = Path("config/papers")  # values and claims of the papers


def paper_tables(key):
    """The tables of a paper, by name."""
    return PAPERS.get(key).tables


def table_parts(wildcards):
    """What a table is made from, pair by pair."""
    table = paper_tables(wildcards.paper)[wildcards.table]
    settings = EXPERIMENT.paper(wildcards.paper)
    parts = [
        table.needs(EXPERIMENT, settings, pair)
        for pair in EXPERIMENT.paper_pairs(wildcards.paper)
    ]
    return [
        replace(
            part,
            files={
                name: [f"results/{TASK}/{part.pair}/{path}" for path in paths]
                for name, paths in part.files.items()
            },
        )
        for part in parts
    ]


def published(wildcards, name):
    """A file of a paper's published values or claims, if there is one."""
    path = PUBLISHED / wildcards.paper / name
    return [str(path)] if path.exists() else []


def results_of(key):
    """All tables of a paper, with the verdicts on its claims."""
    names = list(paper_tables(key))
    if (PUBLISHED / key / "claims.yaml").exists():
        names += ["claims", "comparisons"]
    return [f"results/papers/{key}/{name}.tsv" for name in names]


def figures_of(key):
    """The figures of a paper."""
    tables = paper_tables(key).items()
    return [
        f"results/papers/{key}/{name}.svg"
        for name, table in tables
        if table.draw is not None
    ]


def changes_of(key):
    """The sentences that each system of a paper changed most, pair by pair."""
    return [
        f"results/{TASK}/{pair}/report/side-by-side/{system}.html"
        for pair in EXPERIMENT.paper_pairs(key)
        for system in EXPERIMENT.paper_systems(key)
        if SYSTEMS.baseline(system) != system
    ]


def configuration_of(key):
    """The entries of the configuration that belong to a paper."""
    models, systems = EXPERIMENT.paper_models(key), EXPERIMENT.paper_systems(key)
    return {
        "papers": {key: EXPERIMENT.paper(key).model_dump(mode="json")},
        "language_models": {name: MODELS.parameters(name) for name in models},
        "systems": {name: to_plain(SYSTEMS.settings(name)) for name in systems},
    }


TABLES_OF_PAPERS = {name for key in PAPERS.names() for name in paper_tables(key)}


wildcard_constraints:
    table="|".join(sorted(TABLES_OF_PAPERS)),


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
        table=report("results/papers/{paper}/{table}.tsv", category="{paper}"),
    log:
        "results/logs/write_paper_table/{paper}.{table}.log",
    params:
        parts=lambda w: [asdict(part) for part in table_parts(w)],
    script:
        "../workflow/scripts/write_paper_table.py"


rule draw_paper_figure:
    input:
        table="results/papers/{paper}/{table}.tsv",
    output:
        svg=report("results/papers/{paper}/{table}.svg", category="{paper}"),
        png="results/papers/{paper}/{table}.png",
    log:
        "results/logs/draw_paper_figure/{paper}.{table}.log",
    script:
        "../workflow/scripts/draw_paper_figure.py"


rule judge_claims:
    input:
        tables=lambda w: [
            f"results/papers/{w.paper}/{name}.tsv" for name in paper_tables(w.paper)
        ],
        claims=lambda w: published(w, "claims.yaml"),
        published=lambda w: sorted(map(str, (PUBLISHED / w.paper).glob("*.tsv"))),
    output:
        verdicts=report("results/papers/{paper}/claims.tsv", category="{paper}"),
        comparisons="results/papers/{paper}/comparisons.tsv",
    log:
        "results/logs/judge_claims/{paper}.log",
    params:
        pairs=lambda w: EXPERIMENT.paper_pairs(w.paper),
    script:
        "../workflow/scripts/judge_claims.py"


rule write_paper_page:
    input:
        results=lambda w: results_of(w.paper),
        figures=lambda w: figures_of(w.paper),
        changes=lambda w: changes_of(w.paper),
    output:
        page=report("results/papers/{paper}/index.html", category="{paper}"),
    log:
        "results/logs/write_paper_page/{paper}.log",
    params:
        pairs=lambda w: EXPERIMENT.paper_pairs(w.paper),
        seeds=lambda w: {
            name: SYSTEMS.seeds(name) for name in EXPERIMENT.paper_systems(w.paper)
        },
        configuration=lambda w: configuration_of(w.paper),
    script:
        "../workflow/scripts/write_paper_page.py"


rule write_papers_page:
    input:
        results=[path for key in PAPERS.names() for path in results_of(key)],
    output:
        page=report("results/papers/index.html", category="papers"),
    log:
        "results/logs/write_papers_page.log",
    params:
        pairs={key: EXPERIMENT.paper_pairs(key) for key in PAPERS.names()},
    script:
        "../workflow/scripts/write_papers_page.py"


for key in PAPERS.names():

    rule:
        name:
            key
        input:
            f"results/papers/{key}/index.html",


rule papers:
    input:
        expand("results/papers/{paper}/index.html", paper=PAPERS.names()),
        "results/papers/index.html",
