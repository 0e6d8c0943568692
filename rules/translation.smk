"""What `nlmt translate` needs beside a trained system, and text as users read it."""


rule train_truecaser:
    input:
        text="results/{task}/{src}-{tgt}/raw/train.{lang}.gz",
    output:
        words="results/{task}/{src}-{tgt}/casing/{lang}.gz",
    log:
        "results/logs/train_truecaser/{task}.{src}-{tgt}.{lang}.log",
    benchmark:
        "results/benchmarks/train_truecaser/{task}.{src}-{tgt}.{lang}.tsv"
    conda:
        "../envs/nlmt.yaml"
    threads: threads("train_truecaser")
    resources:
        **requests("train_truecaser"),
    params:
        tokenisation=cased_tokenisation,
    script:
        "../workflow/scripts/train_truecaser.py"


rule train_pieces:
    input:
        text="results/{task}/{src}-{tgt}/raw/train.{lang}.gz",
        truecasers=truecasers,
    output:
        model="results/{task}/{src}-{tgt}/pieces/{lang}.model",
    log:
        "results/logs/train_pieces/{task}.{src}-{tgt}.{lang}.log",
    benchmark:
        "results/benchmarks/train_pieces/{task}.{src}-{tgt}.{lang}.tsv"
    conda:
        "../envs/nlmt.yaml"
    threads: threads("train_pieces")
    resources:
        **requests("train_pieces"),
    params:
        tokenisation=lambda w: {**prepared_as(w), "pieces": {}},
        size=EXPERIMENT.config.text.pieces,
    script:
        "../workflow/scripts/train_pieces.py"


rule train_recaser:
    input:
        text="results/{task}/{src}-{tgt}/raw/train.{tgt}.gz",
    output:
        forms="results/{task}/{src}-{tgt}/recaser/forms.gz",
        model="results/{task}/{src}-{tgt}/recaser/model.binary",
    log:
        "results/logs/train_recaser/{task}.{src}-{tgt}.log",
    benchmark:
        "results/benchmarks/train_recaser/{task}.{src}-{tgt}.tsv"
    conda:
        "../envs/nlmt.yaml"
    threads: threads("train_recaser")
    resources:
        **requests("train_recaser"),
    params:
        tokenisation=cased_tokenisation,
    script:
        "../workflow/scripts/train_recaser.py"


rule write_systems:
    input:
        recaser=recaser,
    output:
        systems="results/{task}/{src}-{tgt}/systems.json",
    log:
        "results/logs/write_systems/{task}.{src}-{tgt}.log",
    benchmark:
        "results/benchmarks/write_systems/{task}.{src}-{tgt}.tsv"
    localrule: True
    conda:
        "../envs/nlmt.yaml"
    resources:
        **requests("write_systems"),
    params:
        systems=lambda w: describe_systems(EXPERIMENT, w.src, w.tgt).content(),
    script:
        "../workflow/scripts/write_systems.py"


rule finish_translations:
    input:
        hypotheses="results/{task}/{src}-{tgt}/{stage}/{system}/run{run}/{split}.hyp",
        source="results/{task}/{src}-{tgt}/raw/{split}.{src}.gz",
        recaser=recaser,
    output:
        text="results/{task}/{src}-{tgt}/{stage}/{system}/run{run}/{split}.detok.{tgt}",
    log:
        "results/logs/finish_translations/{task}.{src}-{tgt}.{stage}.{system}.run{run}.{split}.log",
    benchmark:
        "results/benchmarks/finish_translations/{task}.{src}-{tgt}.{stage}.{system}.run{run}.{split}.tsv"
    wildcard_constraints:
        stage="decode|rescore",
    conda:
        "../envs/nlmt.yaml"
    resources:
        **requests("finish_translations"),
    params:
        tokenisation=cased_tokenisation,
        casing=EXPERIMENT.config.text.casing,
        pieces=lambda w: in_pieces(w.tgt),
    script:
        "../workflow/scripts/finish_translations.py"


rule translations:
    input:
        [
            f"results/{name}/{pair}/{hypotheses.removesuffix('hyp')}detok.{pair.split('-')[1]}"
            for name, task in TASKS.items()
            for pair in task.pairs
            for system in SYSTEMS.of_report()
            for test_set in SYSTEMS[system].test_sets
            for hypotheses in SYSTEMS[system].hypotheses(test_set)
        ],
