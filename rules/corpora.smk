"""From official packages or the user's own files to train, dev and test."""


rule download_corpus:
    output:
        package="data/raw/{corpus}/{lang}.deb",
        record="data/raw/{corpus}/{lang}.json",
    log:
        "results/logs/download_corpus/{corpus}.{lang}.log",
    conda:
        "../envs/nlmt.yaml"
    params:
        name="{corpus}",
        language="{lang}",
        corpus=lookup("corpora/{corpus}", within=config),
    script:
        "../workflow/scripts/download_corpus.py"


rule extract_bitext:
    input:
        source=lambda w: corpus_files(w.src),
        target=lambda w: corpus_files(w.tgt),
    output:
        train_source="results/{task}/{src}-{tgt}/raw/train.{src}.gz",
        train_target="results/{task}/{src}-{tgt}/raw/train.{tgt}.gz",
        dev_source="results/{task}/{src}-{tgt}/raw/dev.{src}.gz",
        dev_target="results/{task}/{src}-{tgt}/raw/dev.{tgt}.gz",
        test_source="results/{task}/{src}-{tgt}/raw/test.{src}.gz",
        test_target="results/{task}/{src}-{tgt}/raw/test.{tgt}.gz",
        counts="results/{task}/{src}-{tgt}/raw/counts.json",
    log:
        "results/logs/extract_bitext/{task}.{src}-{tgt}.log",
    conda:
        "../envs/nlmt.yaml"
    threads: 2
    params:
        name=config["corpus"],
        corpus=CORPUS,
        split=config["split"],
        seed=config["seed"],
    script:
        "../workflow/scripts/extract_bitext.py"
