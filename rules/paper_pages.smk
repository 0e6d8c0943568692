"""The page of each paper and the pages over all of them; the papers' targets."""


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
        **requests("write_paper_page"),
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
        **requests("write_papers_overview"),
    params:
        entries=lambda w: [asdict(entry) for entry in all_systems()],
        mixed_code=EXPERIMENT.config.evaluation.mixed_code,
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
        **requests("write_papers_page"),
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
