"""Translation in shards, each a job with its own tables; only with `decoder.shards` above 1."""


use rule filter_tables as filter_shard with:
    input:
        **TEXT_TABLES,
        texts=["results/{task}/{src}-{tgt}/text/{split}.{src}.gz"],
    output:
        phrase_table=temp(f"{SHARD}.phrase-table.gz"),
        reordering_table=temp(f"{SHARD}.reordering-table.gz"),
    log:
        "results/logs/filter_shard/{task}.{src}-{tgt}.{filtered}.{split}.{scatteritem}.log",
    benchmark:
        "results/benchmarks/filter_shard/{task}.{src}-{tgt}.{filtered}.{split}.{scatteritem}.tsv"


use rule write_moses_ini as write_shard_ini with:
    input:
        unpack(shard_tables),
        models=decoder_model_files,
    output:
        ini=temp(
            "results/{task}/{src}-{tgt}/tm/{system}{of_run}/shards/{split}.{scatteritem}.ini"
        ),
    log:
        "results/logs/write_shard_ini/{task}.{src}-{tgt}.{system}{of_run}.{split}.{scatteritem}.log",
    benchmark:
        "results/benchmarks/write_shard_ini/{task}.{src}-{tgt}.{system}{of_run}.{split}.{scatteritem}.tsv"
    localrule: True


use rule decode as decode_shard with:
    input:
        ini=lambda w: in_pair(
            w,
            SYSTEMS[w.system].ini(run_of(w), f"shards/{w.split}.{w.scatteritem}.ini"),
        ),
        tables=lambda w: list(shard_tables(w).values()),
        models=decoder_model_files,
        weights=tuned,
        source="results/{task}/{src}-{tgt}/text/{split}.{src}.gz",
    output:
        hypotheses=temp(
            "results/{task}/{src}-{tgt}/decode/{system}/run{run}/shards/{split}.{scatteritem}.hyp"
        ),
        nbest=temp(
            "results/{task}/{src}-{tgt}/decode/{system}/run{run}/shards/{split}.{scatteritem}.nbest.gz"
        ),
        metrics=temp(
            "results/{task}/{src}-{tgt}/decode/{system}/run{run}/shards/{split}.{scatteritem}.metrics.json"
        ),
    log:
        "results/logs/decode_shard/{task}.{src}-{tgt}.{system}.run{run}.{split}.{scatteritem}.log",
    benchmark:
        "results/benchmarks/decode_shard/{task}.{src}-{tgt}.{system}.run{run}.{split}.{scatteritem}.tsv"
    wildcard_constraints:
        system=ANY_SYSTEM,


rule gather_shards:
    input:
        hypotheses=gather.shards(
            "results/{{task}}/{{src}}-{{tgt}}/decode/{{system}}/run{{run}}/shards/{{split}}.{scatteritem}.hyp"
        ),
        nbest=gather.shards(
            "results/{{task}}/{{src}}-{{tgt}}/decode/{{system}}/run{{run}}/shards/{{split}}.{scatteritem}.nbest.gz"
        ),
        metrics=gather.shards(
            "results/{{task}}/{{src}}-{{tgt}}/decode/{{system}}/run{{run}}/shards/{{split}}.{scatteritem}.metrics.json"
        ),
    output:
        hypotheses="results/{task}/{src}-{tgt}/decode/{system}/run{run}/{split}.hyp",
        nbest="results/{task}/{src}-{tgt}/decode/{system}/run{run}/{split}.nbest.gz",
        metrics="results/{task}/{src}-{tgt}/decode/{system}/run{run}/{split}.metrics.json",
    log:
        "results/logs/gather_shards/{task}.{src}-{tgt}.{system}.run{run}.{split}.log",
    benchmark:
        "results/benchmarks/gather_shards/{task}.{src}-{tgt}.{system}.run{run}.{split}.tsv"
    wildcard_constraints:
        system=DECODING,
    conda:
        "../envs/nlmt.yaml"
    resources:
        **requests("gather_shards"),
    script:
        "../workflow/scripts/gather_shards.py"
