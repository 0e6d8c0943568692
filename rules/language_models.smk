"""Language models: of the target side, of tuples, of the source."""

# Models whose training writes the same files share a rule.
TRAINED = {}
for lm in MODELS.names():
    outputs = (*MODELS.files(lm), *MODELS.curve(lm))
    files = tuple(Path(path).name for path in outputs)
    TRAINED.setdefault((MODELS.settings(lm).kind, files), []).append(lm)


for number, ((kind, files), names) in enumerate(TRAINED.items()):
    place = [key for key, _ in list(TRAINED)[:number]].count(kind) + 1

    rule:
        name:
            training_rule(kind) + (f"_{place}" if place > 1 else "")
        input:
            texts=lambda w: in_pair(w, MODELS.training_texts(w.lm, w.src, w.tgt)),
            dev=lambda w: in_pair(w, MODELS.held_out_text(w.lm, "dev", w.src, w.tgt)),
            classes=lambda w: in_pair(w, MODELS.classes(w.lm)),
            source=lambda w: in_pair(
                w, MODELS.source_side(w.lm, "train", w.src, w.tgt)[:1]
            ),
            alignment=lambda w: in_pair(
                w, MODELS.source_side(w.lm, "train", w.src, w.tgt)[1:]
            ),
            dev_source=lambda w: in_pair(
                w, MODELS.source_side(w.lm, "dev", w.src, w.tgt)
            ),
            test=lambda w: in_pair(w, MODELS.watched(w.lm, w.src, w.tgt)),
            test_source=lambda w: in_pair(w, MODELS.watched_source(w.lm, w.src, w.tgt)),
            source_embeddings=lambda w: in_pair(w, MODELS.source_embeddings(w.lm)),
            start=lambda w: in_pair(w, MODELS.start(w.lm)),
            models=lambda w: in_pair(w, MODELS.part_files(w.lm)),
            others=lambda w: given(MODELS.inputs(w.lm)),
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
        threads: lambda w: min(MODELS.resources(w.lm).threads, most_threads())
        resources:
            mem_mb=lambda w, input, attempt: attempt
            * MODELS.resources(w.lm).memory(input.size_mb),
            runtime=training_minutes,
            gpu=lambda w: MODELS.resources(w.lm).gpus,
        params:
            model=lambda w: MODELS.parameters(w.lm),
        script:
            "../workflow/scripts/train_language_model.py"


rule measure_perplexity:
    input:
        model=lambda w: in_pair(w, MODELS.read_files(w.lm)[0]),
        parts=lambda w: in_pair(w, MODELS.read_files(w.lm)[1:]),
        dev=lambda w: in_pair(w, MODELS.held_out_text(w.lm, "dev", w.src, w.tgt)),
        test=lambda w: in_pair(w, MODELS.held_out_text(w.lm, "test", w.src, w.tgt)),
        dev_source=lambda w: in_pair(w, MODELS.source_side(w.lm, "dev", w.src, w.tgt)),
        test_source=lambda w: in_pair(w, MODELS.source_side(w.lm, "test", w.src, w.tgt)),
    output:
        perplexity="results/{task}/{src}-{tgt}/lm/{lm}/perplexity.json",
        sentences="results/{task}/{src}-{tgt}/lm/{lm}/log-probabilities.json",
    log:
        "results/logs/measure_perplexity/{task}.{src}-{tgt}.{lm}.log",
    benchmark:
        "results/benchmarks/measure_perplexity/{task}.{src}-{tgt}.{lm}.tsv"
    conda:
        "../envs/nlmt.yaml"
    resources:
        mem_mb=memory("measure_perplexity"),
        runtime=minutes("measure_perplexity"),
    script:
        "../workflow/scripts/measure_perplexity.py"
