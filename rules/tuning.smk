"""Weights of the decoder."""


rule tune_weights:
    input:
        ini=decoder_ini,
        tables=lambda w: filtered_tables(w).values(),
        models=decoder_model_files,
        source="results/{task}/{src}-{tgt}/text/dev.{src}.gz",
        references=lambda w: references(w, "text", ["dev"]),
        former=former_weights,
    output:
        weights="results/{task}/{src}-{tgt}/tune/{system}/run{run}/weights.json",
        log="results/{task}/{src}-{tgt}/tune/{system}/run{run}/log.tsv",
    log:
        "results/logs/tune_weights/{task}.{src}-{tgt}.{system}.run{run}.log",
    benchmark:
        "results/benchmarks/tune_weights/{task}.{src}-{tgt}.{system}.run{run}.tsv"
    conda:
        "../envs/nlmt.yaml"
    threads: threads("tune_weights")
    resources:
        **requests("tune_weights"),
    params:
        seed=lambda w: int(w.run),
        decoder=DECODER,
        options=lambda w: SYSTEMS[w.system].tuning,
    script:
        "../workflow/scripts/tune_weights.py"
