"""Training data of language models: texts, their words as numbers, and word classes."""

from nlmt.classes import METHODS

TEXTS = "|".join(EXPERIMENT.texts())
JOINED_TEXTS = f"({TEXTS})([+]({TEXTS}))*"
ENCODED_SETS = "|".join(["train", *SETS])


rule gather_text:
    input:
        bitext="results/{task}/{src}-{tgt}/text/train.{tgt}.gz",
        texts=text_sources,
        monolingual=own_text,
        held_out=lambda w: held_out_texts(w) if own_text(w) else [],
        text_models=text_models,
    output:
        text="results/{task}/{src}-{tgt}/texts/{text}.gz",
    log:
        "results/logs/gather_text/{task}.{src}-{tgt}.{text}.log",
    benchmark:
        "results/benchmarks/gather_text/{task}.{src}-{tgt}.{text}.tsv"
    wildcard_constraints:
        text=TEXTS,
    conda:
        "../envs/nlmt.yaml"
    threads: lambda w, input: threads("gather_text")(w, input) if own_text(w) else 1
    resources:
        **requests("gather_text"),
    params:
        **SAMPLE,
        text=lambda w: EXPERIMENT.texts(w.task)[w.text].model_dump(mode="json"),
        max_length=config["text"]["max_length"],
        tokenisation=prepared_as,
        seed=config["seed"],
    script:
        "../workflow/scripts/gather_text.py"


rule cluster_words:
    input:
        texts=joined_texts,
    output:
        classes="results/{task}/{src}-{tgt}/classes/{texts}/{method}.tsv",
        metrics="results/{task}/{src}-{tgt}/classes/{texts}/{method}.metrics.json",
    log:
        "results/logs/cluster_words/{task}.{src}-{tgt}.{texts}.{method}.log",
    benchmark:
        "results/benchmarks/cluster_words/{task}.{src}-{tgt}.{texts}.{method}.tsv"
    wildcard_constraints:
        method=f"({'|'.join(METHODS.names())})([.][1-9][0-9]*)?",
        texts=JOINED_TEXTS,
    conda:
        "../envs/nlmt.yaml"
    resources:
        **requests("cluster_words"),
    params:
        classes=config["classes"]["count"],
        options=lambda w: EXPERIMENT.config.classes.options.get(
            w.method.split(".")[0], {}
        ),
    script:
        "../workflow/scripts/cluster_words.py"


use rule cluster_words as cluster_source_words with:
    input:
        texts=["results/{task}/{src}-{tgt}/text/train.{src}.gz"],
    output:
        classes="results/{task}/{src}-{tgt}/source-classes/{method}.tsv",
        metrics="results/{task}/{src}-{tgt}/source-classes/{method}.metrics.json",
    log:
        "results/logs/cluster_source_words/{task}.{src}-{tgt}.{method}.log",
    benchmark:
        "results/benchmarks/cluster_source_words/{task}.{src}-{tgt}.{method}.tsv"


rule encode_text:
    input:
        texts=["results/{task}/{src}-{tgt}/{text}.gz"],
    output:
        ids="results/{task}/{src}-{tgt}/{text}.min{least}.ids",
    log:
        "results/logs/encode_text/{task}.{src}-{tgt}/{text}.{least}.log",
    benchmark:
        "results/benchmarks/encode_text/{task}.{src}-{tgt}/{text}.{least}.tsv"
    wildcard_constraints:
        text=f"texts/({TEXTS})|text/({ENCODED_SETS})[.][a-z]+",
        least="[1-9][0-9]*",
    conda:
        "../envs/nlmt.yaml"
    resources:
        **requests("encode_text"),
    script:
        "../workflow/scripts/encode_text.py"


use rule encode_text as encode_texts with:
    input:
        texts=joined_texts,
    output:
        ids="results/{task}/{src}-{tgt}/texts/{texts}.min{least}/{text}.ids",
    log:
        "results/logs/encode_texts/{task}.{src}-{tgt}.{texts}.{least}.{text}.log",
    benchmark:
        "results/benchmarks/encode_texts/{task}.{src}-{tgt}.{texts}.{least}.{text}.tsv"
    wildcard_constraints:
        texts=f"({TEXTS})([+]({TEXTS}))+",
        text=TEXTS,
        least="[1-9][0-9]*",
