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
    params:
        max_length=config["text"]["max_length"],
    script:
        "../workflow/scripts/prepare_text.py"
