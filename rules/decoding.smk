"""Translation with tuned weights, of a whole split or of its shards one by one."""


scattergather:
    shards=config["decoder"]["shards"],


rule decode:
    input:
        ini="results/{task}/{src}-{tgt}/tm/{system}/moses.ini",
        tables=TABLES.values(),
        models=decoder_model_files,
        weights="results/{task}/{src}-{tgt}/tune/{system}/run{run}/weights.json",
        source="results/{task}/{src}-{tgt}/text/{split}.{src}.gz",
    output:
        hypotheses="results/{task}/{src}-{tgt}/decode/{system}/run{run}/{split}.hyp",
        nbest="results/{task}/{src}-{tgt}/decode/{system}/run{run}/{split}.nbest.gz",
        metrics="results/{task}/{src}-{tgt}/decode/{system}/run{run}/{split}.metrics.json",
    log:
        "results/logs/decode/{task}.{src}-{tgt}.{system}.run{run}.{split}.log",
    benchmark:
        "results/benchmarks/decode/{task}.{src}-{tgt}.{system}.run{run}.{split}.tsv"
    conda:
        "../envs/nlmt.yaml"
    threads: 8
    resources:
        mem_mb=grows(1000, 15),
        runtime=grows(120, 1),
    params:
        decoder=DECODER,
        nbest=config["rescoring"]["nbest"],
        alignment=lambda w: EXPERIMENT.needs_alignment(w.system),
    script:
        "../workflow/scripts/decode.py"


use rule filter_tables as filter_shard with:
    input:
        **TEXT_TABLES,
        texts=["results/{task}/{src}-{tgt}/text/{split}.{src}.gz"],
    output:
        phrase_table=temp(f"{SHARD}.phrase-table.gz"),
        reordering_table=temp(f"{SHARD}.reordering-table.gz"),
    log:
        "results/logs/filter_shard/{task}.{src}-{tgt}.{split}.{scatteritem}.log",


use rule write_moses_ini as write_shard_ini with:
    input:
        **SHARD_TABLES,
        models=decoder_model_files,
    output:
        ini=temp(
            "results/{task}/{src}-{tgt}/tm/{system}/shards/{split}.{scatteritem}.ini"
        ),
    log:
        "results/logs/write_shard_ini/{task}.{src}-{tgt}.{system}.{split}.{scatteritem}.log",


use rule decode as decode_shard with:
    input:
        ini="results/{task}/{src}-{tgt}/tm/{system}/shards/{split}.{scatteritem}.ini",
        tables=SHARD_TABLES.values(),
        models=decoder_model_files,
        weights="results/{task}/{src}-{tgt}/tune/{system}/run{run}/weights.json",
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
    conda:
        "../envs/nlmt.yaml"
    script:
        "../workflow/scripts/gather_shards.py"


if config["decoder"]["shards"] == 1:

    ruleorder: decode > gather_shards

else:

    ruleorder: gather_shards > decode
