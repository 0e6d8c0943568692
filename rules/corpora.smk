"""From official files or the user's own to train, dev and test of a pair."""

import re

from nlmt.corpora import downloads, entries_for, inputs

DOWNLOADS = downloads(EXPERIMENT.config.corpora)


def names_of(parts):
    """A pattern of these parts of the paths of downloads."""
    return "|".join(sorted(map(re.escape, parts))) or NOTHING


def entries_of(name):
    """The entries of the configuration that a corpus is read by."""
    names = entries_for(name, EXPERIMENT.config.corpora)
    return {entry: config["corpora"][entry] for entry in names}


def corpus_files(wildcards, name, wanted):
    """The files that these parts of a corpus are read or drawn from."""
    languages = [wildcards.src, wildcards.tgt]
    try:
        found = inputs(name, EXPERIMENT.config.corpora[name], languages, wanted)
    except InputError as error:
        raise WorkflowError(str(error))
    return [str(path) for path in found]


rule download_corpus:
    output:
        file="data/raw/{folder}/{file}",
        record="data/raw/{folder}/{file}.json",
    log:
        "results/logs/download_corpus/{folder}.{file}.log",
    wildcard_constraints:
        folder=names_of({Path(path).parent.name for path in DOWNLOADS}),
        file=names_of({Path(path).name for path in DOWNLOADS}),
    params:
        download=lambda w: DOWNLOADS[f"data/raw/{w.folder}/{w.file}"],
    script:
        "../workflow/scripts/download_corpus.py"


rule extract_bitext:
    input:
        files=lambda w: corpus_files(w, config["corpus"], PARTS),
    output:
        **{
            f"{part}_{side}": f"results/{{task}}/{{src}}-{{tgt}}/raw/{part}.{{{language}}}.gz"
            for part in PARTS
            for side, language in (("source", "src"), ("target", "tgt"))
        },
        counts="results/{task}/{src}-{tgt}/raw/counts.json",
    log:
        "results/logs/extract_bitext/{task}.{src}-{tgt}.log",
    threads: 2
    resources:
        mem_mb=grows(1000, 20),
        runtime=grows(30, 1),
    params:
        name=config["corpus"],
        corpora=entries_of(config["corpus"]),
        parts=PARTS,
        split=EXPERIMENT.config.split.model_dump(mode="json"),
        seed=config["seed"],
    script:
        "../workflow/scripts/extract_bitext.py"


def origin_files(wildcards):
    """The files that a set comes from."""
    corpus, part = EXPERIMENT.origin(wildcards.split)
    return corpus_files(wildcards, corpus, [part])


rule extract_held_out:
    input:
        files=origin_files,
        training=[
            "results/{task}/{src}-{tgt}/raw/train.{src}.gz",
            "results/{task}/{src}-{tgt}/raw/train.{tgt}.gz",
        ],
    output:
        source="results/{task}/{src}-{tgt}/raw/{split}.{src}.gz",
        target="results/{task}/{src}-{tgt}/raw/{split}.{tgt}.gz",
        counts="results/{task}/{src}-{tgt}/raw/{split}.counts.json",
    log:
        "results/logs/extract_held_out/{task}.{src}-{tgt}.{split}.log",
    wildcard_constraints:
        split="|".join(SETS) or NOTHING,
    threads: 2
    resources:
        mem_mb=grows(1000, 20),
        runtime=grows(30, 1),
    params:
        origin=lambda w: EXPERIMENT.origin(w.split),
        corpora=lambda w: entries_of(EXPERIMENT.origin(w.split)[0]),
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
    wildcard_constraints:
        number="[2-9][0-9]*",
    resources:
        mem_mb=grows(1000, 20),
    params:
        origin=lambda w: EXPERIMENT.origin(w.split),
        corpora=lambda w: entries_of(EXPERIMENT.origin(w.split)[0]),
    script:
        "../workflow/scripts/extract_reference.py"
