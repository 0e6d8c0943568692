"""Further measurements of Baltescu and Blunsom (2015): time (tables 1 and 8 to 11), memory.

Rules that measure time ask for all cores, so that nothing else runs on the machine, and measure
one thread.
"""

NEURAL = "|".join(
    name
    for name in MODELS.ids()
    if MODELS[name].curve and not MODELS[name].plan.sees_source
)


rule measure_complexity:
    output:
        times="results/papers/baltescu2015/complexity.json",
    log:
        "results/logs/measure_complexity/baltescu2015.log",
    benchmark:
        "results/benchmarks/measure_complexity/baltescu2015.tsv"
    conda:
        "../../envs/nlmt.yaml"
    threads: ALL_CORES
    resources:
        **requests("measure_complexity"),
    params:
        settings=EXPERIMENT.paper("baltescu2015").model_dump(
            include={
                "vocabularies",
                "complexity_dim",
                "complexity_tokens",
                "repetitions",
            }
        ),
    script:
        "../../workflow/scripts/measure_complexity.py"


rule measure_training:
    input:
        texts=lambda w: in_pair(w, MODELS[w.lm].training_texts(w.src, w.tgt)),
        dev=lambda w: in_pair(w, MODELS[w.lm].held_out_text("dev", w.src, w.tgt)),
        classes=lambda w: in_pair(w, MODELS[w.lm].classes),
    output:
        speed="results/{task}/{src}-{tgt}/lm/{lm}/speed.json",
    log:
        "results/logs/measure_training/{task}.{src}-{tgt}.{lm}.log",
    benchmark:
        "results/benchmarks/measure_training/{task}.{src}-{tgt}.{lm}.tsv"
    wildcard_constraints:
        lm=NEURAL or NOTHING,
    conda:
        "../../envs/nlmt.yaml"
    threads: ALL_CORES
    resources:
        mem_mb=lambda w, input, attempt: attempt
        * MODELS[w.lm].resources.memory(input.size_mb),
        runtime=measuring_minutes,
    params:
        model=lambda w: MODELS[w.lm].parameters,
        repetitions=EXPERIMENT.paper("baltescu2015").repetitions,
    script:
        "../../workflow/scripts/measure_training.py"


rule measure_decoding:
    input:
        ini=decoder_ini,
        tables=lambda w: filtered_tables(w).values(),
        models=decoder_model_files,
        weights=tuned,
        source="results/{task}/{src}-{tgt}/text/test.{src}.gz",
    output:
        speed="results/{task}/{src}-{tgt}/decode/{system}/{speed}.json",
    log:
        "results/logs/measure_decoding/{task}.{src}-{tgt}.{system}.{speed}.log",
    benchmark:
        "results/benchmarks/measure_decoding/{task}.{src}-{tgt}.{system}.{speed}.tsv"
    wildcard_constraints:
        speed="speed|speed_again",
    conda:
        "../../envs/nlmt.yaml"
    threads: ALL_CORES
    resources:
        **requests("measure_decoding"),
    params:
        decoder=DECODER,
        sentences=lambda w: timed_sentences(w.system),
        again=lambda w: w.speed == "speed_again",
        repetitions=EXPERIMENT.paper("baltescu2015").repetitions,
    script:
        "../../workflow/scripts/measure_decoding.py"


rule measure_memory:
    input:
        ini=decoder_ini,
        models=decoder_model_files,
    output:
        memory="results/{task}/{src}-{tgt}/decode/{system}/memory.json",
    log:
        "results/logs/measure_memory/{task}.{src}-{tgt}.{system}.log",
    benchmark:
        "results/benchmarks/measure_memory/{task}.{src}-{tgt}.{system}.tsv"
    conda:
        "../../envs/nlmt.yaml"
    resources:
        **requests("measure_memory"),
    script:
        "../../workflow/scripts/measure_memory.py"
