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
        **{
            f"{part}_{side}": f"results/{{task}}/{{src}}-{{tgt}}/raw/{part}.{{{language}}}.gz"
            for part in PARTS
            for side, language in (("source", "src"), ("target", "tgt"))
        },
        counts="results/{task}/{src}-{tgt}/raw/counts.json",
    log:
        "results/logs/extract_bitext/{task}.{src}-{tgt}.log",
    conda:
        "../envs/nlmt.yaml"
    threads: 2
    params:
        name=config["corpus"],
        corpus=CORPUS,
        parts=PARTS,
        split={
            key: value
            for key, value in config["split"].items()
            if key != "dev2" or "dev2" in PARTS
        },
        seed=config["seed"],
    script:
        "../workflow/scripts/extract_bitext.py"
