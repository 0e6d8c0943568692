"""Translation with tuned weights, and lists of other programs."""


rule decode:
    input:
        ini=decoder_ini,
        tables=lambda w: filtered_tables(w).values(),
        models=decoder_model_files,
        weights=tuned,
        source="results/{task}/{src}-{tgt}/text/{split}.{src}.gz",
    output:
        hypotheses="results/{task}/{src}-{tgt}/decode/{system}/run{run}/{split}.hyp",
        nbest="results/{task}/{src}-{tgt}/decode/{system}/run{run}/{split}.nbest.gz",
        metrics="results/{task}/{src}-{tgt}/decode/{system}/run{run}/{split}.metrics.json",
    log:
        "results/logs/decode/{task}.{src}-{tgt}.{system}.run{run}.{split}.log",
    benchmark:
        "results/benchmarks/decode/{task}.{src}-{tgt}.{system}.run{run}.{split}.tsv"
    wildcard_constraints:
        # With several shards, gather_shards writes these files.
        system=DECODING if config["decoder"]["shards"] == 1 else NOTHING,
    conda:
        "../envs/nlmt.yaml"
    threads: threads("decode")
    resources:
        **requests("decode"),
    params:
        decoder=DECODER,
        nbest=lambda w: SYSTEMS[w.system].decoded_list_size,
        alignment=lambda w: SYSTEMS[w.system].writes_alignment,
    script:
        "../workflow/scripts/decode.py"


rule import_list:
    input:
        nbest=lambda w: SYSTEMS[w.system].settings.lists.format(**w),
        source="results/{task}/{src}-{tgt}/text/{split}.{src}.gz",
    output:
        hypotheses="results/{task}/{src}-{tgt}/decode/{system}/run{run}/{split}.hyp",
        nbest="results/{task}/{src}-{tgt}/decode/{system}/run{run}/{split}.nbest.gz",
        metrics="results/{task}/{src}-{tgt}/decode/{system}/run{run}/{split}.metrics.json",
    log:
        "results/logs/import_list/{task}.{src}-{tgt}.{system}.run{run}.{split}.log",
    benchmark:
        "results/benchmarks/import_list/{task}.{src}-{tgt}.{system}.run{run}.{split}.tsv"
    wildcard_constraints:
        system=WITH_LISTS,
    conda:
        "../envs/nlmt.yaml"
    resources:
        **requests("import_list"),
    script:
        "../workflow/scripts/import_list.py"
