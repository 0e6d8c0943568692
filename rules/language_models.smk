"""Language models: of the target side, of tuples, of the source."""

# Models whose training writes the same files share a rule.
TRAINED = {}
for lm in MODELS.ids():
    outputs = (*MODELS[lm].files, *MODELS[lm].curve)
    files = tuple(Path(path).name for path in outputs)
    TRAINED.setdefault((MODELS[lm].settings.kind, files), []).append(lm)


for number, ((kind, files), names) in enumerate(TRAINED.items()):
    place = [key for key, _ in list(TRAINED)[:number]].count(kind) + 1

    rule:
        name:
            f"train_{kind.replace('-', '_')}_lm" + (f"_{place}" if place > 1 else "")
        input:
            unpack(training_inputs),
            others=lambda w: given(MODELS[w.lm].plan.inputs),
        output:
            [f"results/{{task}}/{{src}}-{{tgt}}/lm/{{lm}}/{file}" for file in files],
        log:
            f"results/logs/train_{kind}_lm/{{task}}.{{src}}-{{tgt}}.{{lm}}.log",
        benchmark:
            f"results/benchmarks/train_{kind}_lm/{{task}}.{{src}}-{{tgt}}.{{lm}}.tsv"
        wildcard_constraints:
            lm="|".join(names),
        conda:
            "../envs/nlmt.yaml"
        threads: lambda w: min(MODELS[w.lm].resources.threads, most_threads())
        resources:
            mem_mb=lambda w, input, attempt: attempt
            * MODELS[w.lm].resources.memory(input.size_mb),
            runtime=training_minutes,
            disk_mb=lambda w, input: MODELS[w.lm].resources.scratch(input.size_mb),
            gpu=lambda w: MODELS[w.lm].resources.gpus,
        params:
            model=lambda w: MODELS[w.lm].parameters,
        script:
            "../workflow/scripts/train_language_model.py"


rule measure_perplexity:
    input:
        model=lambda w: in_pair(w, MODELS[w.lm].files[0]),
        parts=lambda w: in_pair(w, MODELS[w.lm].read_files[1:]),
        dev=lambda w: in_pair(w, MODELS[w.lm].held_out_text("dev", w.src, w.tgt)),
        test=lambda w: in_pair(w, MODELS[w.lm].held_out_text("test", w.src, w.tgt)),
        dev_source=lambda w: in_pair(w, MODELS[w.lm].source_side("dev", w.src, w.tgt)),
        test_source=lambda w: in_pair(w, MODELS[w.lm].source_side("test", w.src, w.tgt)),
    output:
        perplexity="results/{task}/{src}-{tgt}/lm/{lm}/perplexity.json",
        sentences="results/{task}/{src}-{tgt}/lm/{lm}/sentences.json",
    log:
        "results/logs/measure_perplexity/{task}.{src}-{tgt}.{lm}.log",
    benchmark:
        "results/benchmarks/measure_perplexity/{task}.{src}-{tgt}.{lm}.tsv"
    conda:
        "../envs/nlmt.yaml"
    resources:
        **requests("measure_perplexity"),
    script:
        "../workflow/scripts/measure_perplexity.py"
