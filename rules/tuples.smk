"""Bilingual tuples, the units of n-gram-based translation models."""


rule align_held_out_text:
    input:
        source="results/{task}/{src}-{tgt}/text/{split}.{src}.gz",
        target="results/{task}/{src}-{tgt}/text/{split}.{tgt}.gz",
        like=[
            "results/{task}/{src}-{tgt}/text/train.{src}.gz",
            "results/{task}/{src}-{tgt}/text/train.{tgt}.gz",
            "results/{task}/{src}-{tgt}/tm/forward.gz",
            "results/{task}/{src}-{tgt}/tm/reverse.gz",
        ],
    output:
        aligned="results/{task}/{src}-{tgt}/tm/{split}.aligned.gz",
    log:
        "results/logs/align_held_out_text/{task}.{src}-{tgt}.{split}.log",
    benchmark:
        "results/benchmarks/align_held_out_text/{task}.{src}-{tgt}.{split}.tsv"
    wildcard_constraints:
        split="|".join(["dev", "test", *SETS]),
    conda:
        "../envs/nlmt.yaml"
    threads: lambda w: min(2, most_threads())
    resources:
        **requests("align_held_out_text"),
    params:
        seed=config["seed"],
        method=config["translation_model"]["symmetrisation"],
    script:
        "../workflow/scripts/align_held_out_text.py"


rule attach_unlinked_words:
    input:
        source="results/{task}/{src}-{tgt}/text/{split}.{src}.gz",
        target="results/{task}/{src}-{tgt}/text/{split}.{tgt}.gz",
        aligned=lambda w: in_pair(
            w, "tm/aligned.gz" if w.split == "train" else f"tm/{w.split}.aligned.gz"
        ),
        lexicon="results/{task}/{src}-{tgt}/tm/lex.f2e",
    output:
        aligned="results/{task}/{src}-{tgt}/tuples/{split}.aligned.gz",
    log:
        "results/logs/attach_unlinked_words/{task}.{src}-{tgt}.{split}.log",
    benchmark:
        "results/benchmarks/attach_unlinked_words/{task}.{src}-{tgt}.{split}.tsv"
    conda:
        "../envs/nlmt.yaml"
    resources:
        **requests("attach_unlinked_words"),
    script:
        "../workflow/scripts/attach_unlinked_words.py"


rule extract_tuples:
    input:
        source="results/{task}/{src}-{tgt}/text/{split}.{src}.gz",
        target="results/{task}/{src}-{tgt}/text/{split}.{tgt}.gz",
        aligned="results/{task}/{src}-{tgt}/tuples/{split}.aligned.gz",
    output:
        tuples="results/{task}/{src}-{tgt}/tuples/{split}.gz",
    log:
        "results/logs/extract_tuples/{task}.{src}-{tgt}.{split}.log",
    benchmark:
        "results/benchmarks/extract_tuples/{task}.{src}-{tgt}.{split}.tsv"
    conda:
        "../envs/nlmt.yaml"
    resources:
        **requests("extract_tuples"),
    script:
        "../workflow/scripts/extract_tuples.py"


use rule cluster_words as cluster_tuples with:
    input:
        texts=["results/{task}/{src}-{tgt}/tuples/train.gz"],
    output:
        classes="results/{task}/{src}-{tgt}/tuples/classes/{method}.tsv",
        metrics="results/{task}/{src}-{tgt}/tuples/classes/{method}.metrics.json",
    log:
        "results/logs/cluster_tuples/{task}.{src}-{tgt}.{method}.log",
    benchmark:
        "results/benchmarks/cluster_tuples/{task}.{src}-{tgt}.{method}.tsv"
