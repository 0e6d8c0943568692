"""Normalised, tokenised and lower-cased text."""

TEXT_SHARDS = EXPERIMENT.config.text.shards
# A parameter only where it is set, so that results without it stay as they are.
TEXT_SHARE = EXPERIMENT.config.text.share
SAMPLE = (
    {"sample": {"share": TEXT_SHARE, "seed": config["seed"]}} if TEXT_SHARE < 1 else {}
)
TEXT_SHARD = "results/{task}/{src}-{tgt}/text/shards/{split}.{scatteritem}"


rule prepare_text:
    input:
        source="results/{task}/{src}-{tgt}/raw/{split}.{src}.gz",
        target="results/{task}/{src}-{tgt}/raw/{split}.{tgt}.gz",
        text_models=text_models,
    output:
        source="results/{task}/{src}-{tgt}/text/{split}.{src}.gz",
        target="results/{task}/{src}-{tgt}/text/{split}.{tgt}.gz",
        counts="results/{task}/{src}-{tgt}/text/{split}.counts.json",
    log:
        "results/logs/prepare_text/{task}.{src}-{tgt}.{split}.log",
    benchmark:
        "results/benchmarks/prepare_text/{task}.{src}-{tgt}.{split}.tsv"
    wildcard_constraints:
        split="|".join(
            split for split in [*PARTS, *SETS] if split != "train" or TEXT_SHARDS == 1
        ),
    conda:
        "../envs/nlmt.yaml"
    threads: threads("prepare_text")
    resources:
        **requests("prepare_text"),
    params:
        **SAMPLE,
        max_length=longest,
        tokenisation=prepared_as,
    script:
        "../workflow/scripts/prepare_text.py"


rule prepare_monolingual:
    input:
        files=monolingual_files,
        held_out=kept_apart,
        text_models=text_models,
        bitext=filtering_bitext,
    output:
        text="results/{task}/{src}-{tgt}/text/mono.{corpus}.{tgt}.gz",
        counts="results/{task}/{src}-{tgt}/text/mono.{corpus}.{tgt}.counts.json",
    log:
        "results/logs/prepare_monolingual/{task}.{src}-{tgt}.{corpus}.log",
    benchmark:
        "results/benchmarks/prepare_monolingual/{task}.{src}-{tgt}.{corpus}.tsv"
    conda:
        "../envs/nlmt.yaml"
    threads: threads("prepare_monolingual")
    resources:
        **requests("prepare_monolingual"),
    params:
        **SAMPLE,
        corpora=lambda w: entries_of(w.corpus),
        max_length=config["text"]["max_length"],
        tokenisation=prepared_as,
    script:
        "../workflow/scripts/prepare_monolingual.py"


rule prepare_reference:
    input:
        raw="results/{task}/{src}-{tgt}/raw/{split}.ref{number}.{tgt}.gz",
        text_models=text_models,
    output:
        text="results/{task}/{src}-{tgt}/text/{split}.ref{number}.{tgt}.gz",
    log:
        "results/logs/prepare_reference/{task}.{src}-{tgt}.{split}.{number}.log",
    benchmark:
        "results/benchmarks/prepare_reference/{task}.{src}-{tgt}.{split}.{number}.tsv"
    wildcard_constraints:
        number="[2-9][0-9]*",
    conda:
        "../envs/nlmt.yaml"
    resources:
        **requests("prepare_reference"),
    params:
        tokenisation=prepared_as,
    script:
        "../workflow/scripts/prepare_reference.py"


if TEXT_SHARDS > 1:  # the training text, in separate jobs

    use rule prepare_text as prepare_shard with:
        output:
            source=temp(f"{TEXT_SHARD}.{{src}}.gz"),
            target=temp(f"{TEXT_SHARD}.{{tgt}}.gz"),
            counts=temp(f"{TEXT_SHARD}.counts.json"),
        log:
            "results/logs/prepare_shard/{task}.{src}-{tgt}.{split}.{scatteritem}.log",
        benchmark:
            "results/benchmarks/prepare_shard/{task}.{src}-{tgt}.{split}.{scatteritem}.tsv"
        wildcard_constraints:
            split="train",

    rule gather_text_shards:
        input:
            source=gather.text_shards(
                "results/{{task}}/{{src}}-{{tgt}}/text/shards/{{split}}.{scatteritem}.{{src}}.gz"
            ),
            target=gather.text_shards(
                "results/{{task}}/{{src}}-{{tgt}}/text/shards/{{split}}.{scatteritem}.{{tgt}}.gz"
            ),
            counts=gather.text_shards(
                "results/{{task}}/{{src}}-{{tgt}}/text/shards/{{split}}.{scatteritem}.counts.json"
            ),
        output:
            source="results/{task}/{src}-{tgt}/text/{split}.{src}.gz",
            target="results/{task}/{src}-{tgt}/text/{split}.{tgt}.gz",
            counts="results/{task}/{src}-{tgt}/text/{split}.counts.json",
        log:
            "results/logs/gather_text_shards/{task}.{src}-{tgt}.{split}.log",
        benchmark:
            "results/benchmarks/gather_text_shards/{task}.{src}-{tgt}.{split}.tsv"
        wildcard_constraints:
            split="train",
        conda:
            "../envs/nlmt.yaml"
        resources:
            **requests("gather_text_shards"),
        script:
            "../workflow/scripts/gather_text_shards.py"
