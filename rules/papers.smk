"""The papers, each a target of its own: their tables and figures, of the first language pair."""


rule measure_search:
    input:
        lattices=lambda w: decoded(w, f"decode/{{system}}/run{w.run}/test.lattices"),
        models=lambda w: in_pair(w, EXPERIMENT.rescoring_files(w.system)),
        weights="results/{task}/{src}-{tgt}/rescore/{system}/run{run}/weights.json",
        reference="results/{task}/{src}-{tgt}/text/test.{tgt}.gz",
    output:
        searches="results/{task}/{src}-{tgt}/rescore/{system}/run{run}/searches.json",
    log:
        "results/logs/measure_search/{task}.{src}-{tgt}.{system}.run{run}.log",
    benchmark:
        "results/benchmarks/measure_search/{task}.{src}-{tgt}.{system}.run{run}.tsv"
    wildcard_constraints:
        system=ON_LATTICES,
    conda:
        "../envs/nlmt.yaml"
    resources:
        mem_mb=grows(3000, 10),
        runtime=grows(240, 1),
    params:
        models=lambda w: in_pair(w, EXPERIMENT.rescoring_features(w.system)),
        sizes=lookup("papers/joint", within=config, default={}),
    script:
        "../workflow/scripts/measure_search.py"


rule write_joint_tables:
    input:
        unpack(joint_inputs),
    output:
        table="results/papers/joint/table1.tsv",
        points="results/papers/joint/figure3.tsv",
        figure=report("results/papers/joint/figure3.svg", category="papers"),
        page=report("results/papers/joint/index.html", category="papers"),
    log:
        "results/logs/write_joint_tables.log",
    conda:
        "../envs/nlmt.yaml"
    params:
        title=f"Joint: lattices and lists, {TASK}",
    script:
        "../workflow/scripts/write_joint_tables.py"


rule write_cslm_tables:
    input:
        unpack(cslm_inputs),
    output:
        table="results/papers/cslm/table2.tsv",
        models="results/papers/cslm/models.tsv",
        page=report("results/papers/cslm/index.html", category="papers"),
    log:
        "results/logs/write_cslm_tables.log",
    conda:
        "../envs/nlmt.yaml"
    params:
        pair=PAIRS[0],
        systems=lambda w: paper("cslm")["systems"],
        over_tuples=lambda w: list(filter(EXPERIMENT.over_tuples, EXPERIMENT.models)),
    script:
        "../workflow/scripts/write_cslm_tables.py"


rule write_deep_tables:
    input:
        unpack(deep_inputs),
    output:
        table="results/papers/deep/systems.tsv",
        models="results/papers/deep/models.tsv",
        page=report("results/papers/deep/index.html", category="papers"),
    log:
        "results/logs/write_deep_tables.log",
    conda:
        "../envs/nlmt.yaml"
    params:
        pair=PAIRS[0],
    script:
        "../workflow/scripts/write_deep_tables.py"


rule joint:
    input:
        rules.write_joint_tables.output,


rule cslm:
    input:
        rules.write_cslm_tables.output,


rule deep:
    input:
        rules.write_deep_tables.output,
