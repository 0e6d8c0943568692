"""Training texts, word classes and language models: of the target side, of tuples, of the source."""

from nlmt.classes import METHODS

TEXTS = "|".join(EXPERIMENT.texts())
JOINED_TEXTS = f"({TEXTS})([+]({TEXTS}))*"
# Models whose training writes the same files share a rule.
TRAINED = {}
for lm in MODELS.names():
    outputs = (*MODELS.files(lm), *MODELS.curve(lm))
    files = tuple(Path(path).name for path in outputs)
    TRAINED.setdefault((MODELS.settings(lm).kind, files), []).append(lm)


rule gather_text:
    input:
        bitext="results/{task}/{src}-{tgt}/text/train.{tgt}.gz",
        texts=text_sources,
        monolingual=lambda w: (
            config["monolingual"].get(w.tgt, [])
            if "monolingual" in EXPERIMENT.texts(w.task)[w.text].corpora
            else []
        ),
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
    threads: threads("gather_text")
    resources:
        mem_mb=memory("gather_text"),
        runtime=minutes("gather_text"),
    params:
        text=lambda w: EXPERIMENT.texts(w.task)[w.text].model_dump(mode="json"),
        max_length=config["text"]["max_length"],
        tokenisation=tokenisation,
        seed=config["seed"],
    script:
        "../workflow/scripts/gather_text.py"


rule cluster_words:
    input:
        texts=lambda w: expand(
            "results/{task}/{src}-{tgt}/texts/{text}.gz",
            task=w.task,
            src=w.src,
            tgt=w.tgt,
            text=w.texts.split("+"),
        ),
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
        mem_mb=memory("cluster_words"),
        runtime=minutes("cluster_words"),
    params:
        classes=config["classes"]["count"],
        options=lambda w: EXPERIMENT.class_options(w.method.split(".")[0]),
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
        text=f"texts/({TEXTS})|text/({'|'.join(['train', *SETS])})[.][a-z]+",
        least="[1-9][0-9]*",
    conda:
        "../envs/nlmt.yaml"
    resources:
        mem_mb=memory("encode_text"),
        runtime=minutes("encode_text"),
    script:
        "../workflow/scripts/encode_text.py"


use rule encode_text as encode_texts with:
    input:
        texts=lambda w: expand(
            "results/{task}/{src}-{tgt}/texts/{text}.gz",
            task=w.task,
            src=w.src,
            tgt=w.tgt,
            text=w.texts.split("+"),
        ),
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


for number, ((kind, files), names) in enumerate(TRAINED.items()):
    others = [key for key, _ in list(TRAINED)[:number]].count(kind)

    rule:
        name:
            f"train_{kind.replace('-', '_')}_lm" + (f"_{others + 1}" if others else "")
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
            models=lambda w: in_pair(w, MODELS.parts(w.lm)),
            others=lambda w: MODELS.inputs(w.lm),
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
        threads: lambda w: MODELS.resources(w.lm).threads
        resources:
            mem_mb=lambda w, input, attempt: attempt
            * MODELS.resources(w.lm).memory(input.size_mb),
            runtime=lambda w, input, attempt: attempt
            * MODELS.resources(w.lm).minutes(input.size_mb),
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
