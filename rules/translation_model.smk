"""From the bitext to phrase table, reordering table and moses.ini."""


rule align_words:
    input:
        source="results/{task}/{src}-{tgt}/text/train.{src}.gz",
        target="results/{task}/{src}-{tgt}/text/train.{tgt}.gz",
    output:
        forward="results/{task}/{src}-{tgt}/tm/forward.gz",
        backward="results/{task}/{src}-{tgt}/tm/reverse.gz",
    log:
        "results/logs/align_words/{task}.{src}-{tgt}.log",
    benchmark:
        "results/benchmarks/align_words/{task}.{src}-{tgt}.tsv"
    conda:
        "../envs/nlmt.yaml"
    threads: lambda w: min(2, most_threads())
    resources:
        **requests("align_words"),
    params:
        seed=config["seed"],
    script:
        "../workflow/scripts/align_words.py"


rule symmetrise_alignments:
    input:
        forward="results/{task}/{src}-{tgt}/tm/forward.gz",
        backward="results/{task}/{src}-{tgt}/tm/reverse.gz",
    output:
        aligned="results/{task}/{src}-{tgt}/tm/aligned.gz",
    log:
        "results/logs/symmetrise_alignments/{task}.{src}-{tgt}.log",
    benchmark:
        "results/benchmarks/symmetrise_alignments/{task}.{src}-{tgt}.tsv"
    conda:
        "../envs/nlmt.yaml"
    resources:
        **requests("symmetrise_alignments"),
    params:
        method=config["translation_model"]["symmetrisation"],
    script:
        "../workflow/scripts/symmetrise_alignments.py"


rule extract_phrases:
    input:
        source="results/{task}/{src}-{tgt}/text/train.{src}.gz",
        target="results/{task}/{src}-{tgt}/text/train.{tgt}.gz",
        aligned="results/{task}/{src}-{tgt}/tm/aligned.gz",
    output:
        phrase_table="results/{task}/{src}-{tgt}/tm/phrase-table.gz",
        reordering_table="results/{task}/{src}-{tgt}/tm/reordering-table.wbe-msd-bidirectional-fe.gz",
        f2e="results/{task}/{src}-{tgt}/tm/lex.f2e",
        e2f="results/{task}/{src}-{tgt}/tm/lex.e2f",
    log:
        "results/logs/extract_phrases/{task}.{src}-{tgt}.log",
    benchmark:
        "results/benchmarks/extract_phrases/{task}.{src}-{tgt}.tsv"
    conda:
        "../envs/nlmt.yaml"
    threads: threads("extract_phrases")
    resources:
        **requests("extract_phrases"),
        disk_mb=scratch("extract_phrases"),
    params:
        units="phrases",
        max_length=config["translation_model"]["max_phrase_length"],
    script:
        "../workflow/scripts/extract_phrases.py"


use rule extract_phrases as extract_tuple_tables with:
    input:
        source="results/{task}/{src}-{tgt}/text/train.{src}.gz",
        target="results/{task}/{src}-{tgt}/text/train.{tgt}.gz",
        aligned="results/{task}/{src}-{tgt}/tuples/train.aligned.gz",
    output:
        phrase_table="results/{task}/{src}-{tgt}/tm/tuples/phrase-table.gz",
        reordering_table="results/{task}/{src}-{tgt}/tm/tuples/reordering-table.wbe-msd-bidirectional-fe.gz",
        f2e="results/{task}/{src}-{tgt}/tm/tuples/lex.f2e",
        e2f="results/{task}/{src}-{tgt}/tm/tuples/lex.e2f",
    log:
        "results/logs/extract_tuple_tables/{task}.{src}-{tgt}.log",
    benchmark:
        "results/benchmarks/extract_tuple_tables/{task}.{src}-{tgt}.tsv"
    resources:
        **requests("extract_tuple_tables"),
        disk_mb=scratch("extract_tuple_tables"),
    params:
        units="tuples",
        max_length=config["translation_model"]["max_phrase_length"],


rule filter_tables:
    input:
        unpack(extracted_tables),
        texts=translated_texts,
    output:
        **TEXT_TABLES,
    log:
        "results/logs/filter_tables/{task}.{src}-{tgt}.{filtered}.log",
    benchmark:
        "results/benchmarks/filter_tables/{task}.{src}-{tgt}.{filtered}.tsv"
    conda:
        "../envs/nlmt.yaml"
    resources:
        **requests("filter_tables"),
    script:
        "../workflow/scripts/filter_tables.py"


rule binarise_tables:
    input:
        **TEXT_TABLES,
    output:
        tables=f"{FILTERED}/tables.bin",
    log:
        "results/logs/binarise_tables/{task}.{src}-{tgt}.{filtered}.log",
    benchmark:
        "results/benchmarks/binarise_tables/{task}.{src}-{tgt}.{filtered}.tsv"
    conda:
        "../envs/nlmt.yaml"
    threads: lambda w: min(2, most_threads())
    resources:
        **requests("binarise_tables"),
        disk_mb=scratch("binarise_tables"),
    script:
        "../workflow/scripts/binarise_tables.py"


rule write_moses_ini:
    input:
        unpack(filtered_tables),
        models=decoder_model_files,
    output:
        ini="results/{task}/{src}-{tgt}/tm/{system}{of_run}/moses.ini",
    log:
        "results/logs/write_moses_ini/{task}.{src}-{tgt}.{system}{of_run}.log",
    benchmark:
        "results/benchmarks/write_moses_ini/{task}.{src}-{tgt}.{system}{of_run}.tsv"
    localrule: True
    conda:
        "../envs/nlmt.yaml"
    resources:
        **requests("write_moses_ini"),
    params:
        distortion_limit=config["decoder"]["distortion_limit"],
        table_limit=config["decoder"]["table_limit"],
        recombination_context=lambda w: SYSTEMS[w.system].recombination_context,
        language_models=decoder_features,
    script:
        "../workflow/scripts/write_moses_ini.py"


use rule write_moses_ini as write_set_ini with:
    output:
        ini="results/{task}/{src}-{tgt}/tm/{system}{of_run}/{split}.ini",
    log:
        "results/logs/write_set_ini/{task}.{src}-{tgt}.{system}{of_run}.{split}.log",
    benchmark:
        "results/benchmarks/write_set_ini/{task}.{src}-{tgt}.{system}{of_run}.{split}.tsv"
    wildcard_constraints:
        split="|".join(SETS) or NOTHING,
    localrule: True
