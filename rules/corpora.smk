"""From official files or the user's own to train, dev and test of a pair."""

import re


rule download_corpus:
    output:
        file="data/raw/{folder}/{file}",
        record="data/raw/{folder}/{file}.json",
    log:
        "results/logs/download_corpus/{folder}.{file}.log",
    wildcard_constraints:
        **{
            name: "|".join(
                sorted({re.escape(part(path)) for path in map(Path, DOWNLOADS)})
            )
            or "(?!)"
            for name, part in (
                ("folder", lambda p: p.parent.name),
                ("file", lambda p: p.name),
            )
        },
    conda:
        "../envs/nlmt.yaml"
    params:
        download=lambda w: DOWNLOADS[f"data/raw/{w.folder}/{w.file}"],
    script:
        "../workflow/scripts/download_corpus.py"


rule extract_bitext:
    input:
        files=corpus_files,
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
