"""From official files or the user's own to train, dev and test of a pair."""

from nlmt.corpora import downloads

DOWNLOADS = downloads(EXPERIMENT.config.corpora)


rule download_corpus:
    output:
        file="data/raw/{folder}/{file}",
        record="data/raw/{folder}/{file}.json",
    log:
        "results/logs/download_corpus/{folder}.{file}.log",
    benchmark:
        "results/benchmarks/download_corpus/{folder}.{file}.tsv"
    wildcard_constraints:
        folder=names_of({Path(path).parent.name for path in DOWNLOADS}),
        file=names_of({Path(path).name for path in DOWNLOADS}),
    localrule: True
    conda:
        "../envs/nlmt.yaml"
    resources:
        **requests("download_corpus"),
    params:
        download=lambda w: DOWNLOADS[f"data/raw/{w.folder}/{w.file}"],
    script:
        "../workflow/scripts/download_corpus.py"


rule download:
    input:
        lambda w: needed_downloads(),
    log:
        "results/logs/download.log",
    benchmark:
        "results/benchmarks/download.tsv"
    localrule: True
    conda:
        "../envs/nlmt.yaml"
    resources:
        **requests("download"),
    script:
        "../workflow/scripts/download.py"


rule extract_bitext:
    input:
        files=lambda w: corpus_files(EXPERIMENT.corpus(w.task), [w.src, w.tgt], PARTS),
        sets=sets_first,
    output:
        **{
            f"{part}_{side}": f"results/{{task}}/{{src}}-{{tgt}}/raw/{part}.{{{language}}}.gz"
            for part in PARTS
            for side, language in (("source", "src"), ("target", "tgt"))
        },
        counts="results/{task}/{src}-{tgt}/raw/counts.json",
    log:
        "results/logs/extract_bitext/{task}.{src}-{tgt}.log",
    benchmark:
        "results/benchmarks/extract_bitext/{task}.{src}-{tgt}.tsv"
    conda:
        "../envs/nlmt.yaml"
    threads: lambda w: min(2, most_threads())
    resources:
        **requests("extract_bitext"),
    params:
        name=lambda w: EXPERIMENT.corpus(w.task),
        corpora=lambda w: entries_of(EXPERIMENT.corpus(w.task)),
        parts=PARTS,
        split=EXPERIMENT.config.split.model_dump(mode="json"),
        seed=config["seed"],
    script:
        "../workflow/scripts/extract_bitext.py"


rule extract_held_out:
    input:
        files=drawn_files,
        training=training_first,
    output:
        source="results/{task}/{src}-{tgt}/raw/{split}.{src}.gz",
        target="results/{task}/{src}-{tgt}/raw/{split}.{tgt}.gz",
        counts="results/{task}/{src}-{tgt}/raw/{split}.counts.json",
    log:
        "results/logs/extract_held_out/{task}.{src}-{tgt}.{split}.log",
    benchmark:
        "results/benchmarks/extract_held_out/{task}.{src}-{tgt}.{split}.tsv"
    wildcard_constraints:
        split="|".join(SETS) or NOTHING,
    conda:
        "../envs/nlmt.yaml"
    threads: lambda w: min(2, most_threads())
    resources:
        **requests("extract_held_out"),
    params:
        origin=lambda w: EXPERIMENT.origin(w.task, w.split),
        parts=lambda w: EXPERIMENT.drawn_with(w.task, w.split),
        corpora=lambda w: entries_of(EXPERIMENT.origin(w.task, w.split)[0]),
        split=EXPERIMENT.config.split.model_dump(mode="json"),
        seed=config["seed"],
    script:
        "../workflow/scripts/extract_held_out.py"


rule extract_reference:
    input:
        files=origin_files,
    output:
        reference="results/{task}/{src}-{tgt}/raw/{split}.ref{number}.{tgt}.gz",
    log:
        "results/logs/extract_reference/{task}.{src}-{tgt}.{split}.{number}.log",
    benchmark:
        "results/benchmarks/extract_reference/{task}.{src}-{tgt}.{split}.{number}.tsv"
    wildcard_constraints:
        number="[2-9][0-9]*",
    conda:
        "../envs/nlmt.yaml"
    resources:
        **requests("extract_reference"),
    params:
        origin=lambda w: EXPERIMENT.origin(w.task, w.split),
        corpora=lambda w: entries_of(EXPERIMENT.origin(w.task, w.split)[0]),
    script:
        "../workflow/scripts/extract_reference.py"
