"""Auli, Galley, Quirk and Zweig (2013): table 1 and figure 3."""

JOINT = "results/{task}/{src}-{tgt}/rescore/{system}/run{run}"


rule measure_search:
    input:
        lattices=lambda w: decoded(w, f"decode/{{system}}/run{w.run}/test.lattices"),
        models=lambda w: in_pair(w, EXPERIMENT.rescoring_files(w.system)),
        weights=f"{JOINT}/weights.json",
        reference="results/{task}/{src}-{tgt}/text/test.{tgt}.gz",
    output:
        searches=f"{JOINT}/searches.json",
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


rule joint_table:
    input:
        unpack(joint_inputs),
    output:
        table="results/papers/joint/table1.tsv",
        points="results/papers/joint/figure3.tsv",
        figure=report("results/papers/joint/figure3.svg", category="joint"),
        page=report("results/papers/joint/index.html", category="joint"),
    log:
        "results/logs/joint_table/joint_table.log",
    conda:
        "../envs/nlmt.yaml"
    params:
        title=f"Joint: lattices and lists, {TASK}",
    script:
        "../workflow/scripts/joint_table.py"
