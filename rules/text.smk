"""Normalised, tokenised and lower-cased text."""


rule prepare_text:
    input:
        source="results/{task}/{src}-{tgt}/raw/{split}.{src}.gz",
        target="results/{task}/{src}-{tgt}/raw/{split}.{tgt}.gz",
    output:
        source="results/{task}/{src}-{tgt}/text/{split}.{src}.gz",
        target="results/{task}/{src}-{tgt}/text/{split}.{tgt}.gz",
        counts="results/{task}/{src}-{tgt}/text/{split}.counts.json",
    log:
        "results/logs/prepare_text/{task}.{src}-{tgt}.{split}.log",
    conda:
        "../envs/nlmt.yaml"
    threads: 8
    resources:
        mem_mb=grows(500, 40),
        runtime=grows(30, 1),
    params:
        max_length=config["text"]["max_length"],
    script:
        "../workflow/scripts/prepare_text.py"


rule prepare_reference:
    input:
        raw="results/{task}/{src}-{tgt}/raw/{split}.ref{number}.{tgt}.gz",
    output:
        text="results/{task}/{src}-{tgt}/text/{split}.ref{number}.{tgt}.gz",
    log:
        "results/logs/prepare_reference/{task}.{src}-{tgt}.{split}.{number}.log",
    wildcard_constraints:
        number="[2-9][0-9]*",
    conda:
        "../envs/nlmt.yaml"
    script:
        "../workflow/scripts/prepare_reference.py"


rule prepare_monolingual:
    input:
        files=monolingual_files,
    output:
        text="results/{task}/{src}-{tgt}/text/mono.{corpus}.{tgt}.gz",
    log:
        "results/logs/prepare_monolingual/{task}.{src}-{tgt}.{corpus}.log",
    conda:
        "../envs/nlmt.yaml"
    threads: 8
    resources:
        mem_mb=grows(500, 40),
        runtime=grows(30, 1),
    params:
        corpora=lambda w: entries_of(w.corpus),
        max_length=config["text"]["max_length"],
    script:
        "../workflow/scripts/prepare_monolingual.py"
