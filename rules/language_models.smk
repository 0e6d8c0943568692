"""Word classes and language models, of the target side, of tuples or of the source."""

NEURAL_LM = {
    "model": "results/{task}/{src}-{tgt}/lm/{lm}/model.safetensors",
    "config": "results/{task}/{src}-{tgt}/lm/{lm}/config.json",
    "vocabulary": "results/{task}/{src}-{tgt}/lm/{lm}/vocabulary.txt",
    "classes": "results/{task}/{src}-{tgt}/lm/{lm}/classes.tsv",
    "metrics": "results/{task}/{src}-{tgt}/lm/{lm}/metrics.json",
    "log": "results/{task}/{src}-{tgt}/lm/{lm}/log.tsv",
}


rule restrict_vocabulary:
    input:
        bitext="results/{task}/{src}-{tgt}/text/train.{tgt}.gz",
        monolingual=lambda w: config["monolingual"].get(w.tgt, []),
    output:
        text="results/{task}/{src}-{tgt}/lm/text.gz",
    log:
        "results/logs/restrict_vocabulary/{task}.{src}-{tgt}.log",
    conda:
        "../envs/nlmt.yaml"
    threads: 8
    params:
        max_length=config["text"]["max_length"],
    script:
        "../workflow/scripts/restrict_vocabulary.py"


rule cluster_words:
    input:
        text="results/{task}/{src}-{tgt}/lm/text.gz",
    output:
        classes="results/{task}/{src}-{tgt}/classes/{method}.tsv",
    log:
        "results/logs/cluster_words/{task}.{src}-{tgt}.{method}.log",
    benchmark:
        "results/benchmarks/cluster_words/{task}.{src}-{tgt}.{method}.tsv"
    wildcard_constraints:
        method="|".join(METHODS.names()),
    conda:
        "../envs/nlmt.yaml"
    resources:
        mem_mb=grows(500, 100),
        runtime=grows(60, 5),
    params:
        classes=config["classes"]["count"],
    script:
        "../workflow/scripts/cluster_words.py"


use rule cluster_words as cluster_source_words with:
    input:
        text="results/{task}/{src}-{tgt}/text/train.{src}.gz",
    output:
        classes="results/{task}/{src}-{tgt}/source-classes/{method}.tsv",
    log:
        "results/logs/cluster_source_words/{task}.{src}-{tgt}.{method}.log",
    benchmark:
        "results/benchmarks/cluster_source_words/{task}.{src}-{tgt}.{method}.tsv"


rule train_ngram_lm:
    input:
        text=lambda w: in_pair(w, EXPERIMENT.training_text(w.lm, w.src, w.tgt)),
    output:
        model="results/{task}/{src}-{tgt}/lm/{lm}/model.binary",
    log:
        "results/logs/train_ngram_lm/{task}.{src}-{tgt}.{lm}.log",
    benchmark:
        "results/benchmarks/train_ngram_lm/{task}.{src}-{tgt}.{lm}.tsv"
    conda:
        "../envs/nlmt.yaml"
    resources:
        mem_mb=grows(2000, 40),
        runtime=grows(30, 1),
    params:
        order=lookup("language_models/{lm}/order", within=config),
    script:
        "../workflow/scripts/train_ngram_lm.py"


rule encode_text:
    input:
        text="results/{task}/{src}-{tgt}/{text}.gz",
    output:
        ids="results/{task}/{src}-{tgt}/{text}.min{least}.ids",
    log:
        "results/logs/encode_text/{task}.{src}-{tgt}/{text}.{least}.log",
    wildcard_constraints:
        text="lm/text|text/train[.][a-z]+",
        least="[1-9][0-9]*",
    conda:
        "../envs/nlmt.yaml"
    resources:
        runtime=grows(30, 1),
    script:
        "../workflow/scripts/encode_text.py"


rule train_neural_lm:
    input:
        text=lambda w: in_pair(w, EXPERIMENT.training_text(w.lm, w.src, w.tgt)),
        dev=lambda w: in_pair(w, EXPERIMENT.held_out_text(w.lm, "dev", w.src, w.tgt)),
        classes=lambda w: in_pair(w, EXPERIMENT.classes_file(w.lm)),
        source=lambda w: in_pair(w, EXPERIMENT.source_side(w.lm, "train", w.src)),
        dev_source=lambda w: in_pair(w, EXPERIMENT.source_side(w.lm, "dev", w.src)),
        embeddings=lambda w: in_pair(w, EXPERIMENT.embeddings(w.lm)),
    output:
        **NEURAL_LM,
    log:
        "results/logs/train_neural_lm/{task}.{src}-{tgt}.{lm}.log",
    benchmark:
        "results/benchmarks/train_neural_lm/{task}.{src}-{tgt}.{lm}.tsv"
    wildcard_constraints:
        lm=WITHOUT_SOURCE,
    conda:
        "../envs/nlmt.yaml"
    threads: 8
    resources:
        mem_mb=grows(1000, 60, most=32000, also=lambda w: EXPERIMENT.table_mb(w.lm)),
        runtime=grows(60, 5),
        gpu=lambda w: EXPERIMENT.gpus(w.lm),
    params:
        lm=lookup("language_models/{lm}", within=config),
        seed=config["seed"],
    script:
        "../workflow/scripts/train_neural_lm.py"


use rule train_neural_lm as train_joint_lm with:
    output:
        **NEURAL_LM,
        source_vocabulary="results/{task}/{src}-{tgt}/lm/{lm}/source-vocabulary.txt",
    log:
        "results/logs/train_joint_lm/{task}.{src}-{tgt}.{lm}.log",
    benchmark:
        "results/benchmarks/train_joint_lm/{task}.{src}-{tgt}.{lm}.tsv"
    wildcard_constraints:
        lm=WITH_SOURCE,


rule measure_perplexity:
    input:
        model=lambda w: in_pair(w, EXPERIMENT.model_files(w.lm)[0]),
        parts=lambda w: in_pair(w, EXPERIMENT.model_files(w.lm)[1:]),
        dev=lambda w: in_pair(w, EXPERIMENT.held_out_text(w.lm, "dev", w.src, w.tgt)),
        test=lambda w: in_pair(w, EXPERIMENT.held_out_text(w.lm, "test", w.src, w.tgt)),
        dev_source=lambda w: in_pair(w, EXPERIMENT.source_side(w.lm, "dev", w.src)),
        test_source=lambda w: in_pair(w, EXPERIMENT.source_side(w.lm, "test", w.src)),
    output:
        perplexity="results/{task}/{src}-{tgt}/lm/{lm}/perplexity.json",
    log:
        "results/logs/measure_perplexity/{task}.{src}-{tgt}.{lm}.log",
    conda:
        "../envs/nlmt.yaml"
    resources:
        mem_mb=grows(2000, 3),
    script:
        "../workflow/scripts/measure_perplexity.py"
