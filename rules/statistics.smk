"""Sizes of the prepared texts of each pair, and of all pairs of a task."""


rule count_texts:
    input:
        prepared=lambda w: [
            in_pair(w, f"text/{part}.{language}.gz")
            for part in PARTS
            for language in (w.src, w.tgt)
        ],
        trained=["results/{task}/{src}-{tgt}/texts/default.gz"],
    output:
        sizes="results/{task}/{src}-{tgt}/text/corpus_statistics.tsv",
    log:
        "results/logs/count_texts/{task}.{src}-{tgt}.log",
    benchmark:
        "results/benchmarks/count_texts/{task}.{src}-{tgt}.tsv"
    conda:
        "../envs/nlmt.yaml"
    resources:
        **requests("count_texts"),
    params:
        parts=[part for part in PARTS for _ in ("source", "target")],
        languages=lambda w: [w.src, w.tgt] * len(PARTS),
        texts=["default"],
    script:
        "../workflow/scripts/count_texts.py"


use rule count_texts as count_training_text with:
    input:
        prepared=[],
        trained=["results/{task}/{src}-{tgt}/texts/{text}.gz"],
    output:
        sizes="results/{task}/{src}-{tgt}/texts/{text}.sizes.tsv",
    log:
        "results/logs/count_training_text/{task}.{src}-{tgt}.{text}.log",
    benchmark:
        "results/benchmarks/count_training_text/{task}.{src}-{tgt}.{text}.tsv"
    wildcard_constraints:
        text="|".join(EXPERIMENT.texts()),
    params:
        parts=[],
        languages=[],
        texts=lambda w: [w.text],


rule write_corpus_statistics:
    input:
        sizes=lambda w: [
            f"results/{w.task}/{pair}/text/corpus_statistics.tsv"
            for pair in TASKS[w.task].pairs
        ],
    output:
        table=report(
            "results/{task}/corpus_statistics.tsv",
            caption="../workflow/report/statistics.rst",
            category="{task}",
            labels={"pair": "all", "what": "sizes of texts"},
        ),
    log:
        "results/logs/write_corpus_statistics/{task}.log",
    benchmark:
        "results/benchmarks/write_corpus_statistics/{task}.tsv"
    localrule: True
    conda:
        "../envs/nlmt.yaml"
    resources:
        **requests("write_corpus_statistics"),
    params:
        pairs=lambda w: list(TASKS[w.task].pairs),
    script:
        "../workflow/scripts/write_corpus_statistics.py"
