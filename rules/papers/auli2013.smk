"""Further measurements of Auli et al. (2013): searches of several sizes (figure 3)."""


rule measure_search:
    input:
        lattices=lambda w: decoded(w, w.run, f"{w.split}.lattices"),
        models=rescoring_model_files,
        weights="results/{task}/{src}-{tgt}/rescore/{system}/run{run}/weights.json",
        reference="results/{task}/{src}-{tgt}/text/{split}.{tgt}.gz",
    output:
        searches="results/{task}/{src}-{tgt}/rescore/{system}/run{run}/{split}.searches.json",
    log:
        "results/logs/measure_search/{task}.{src}-{tgt}.{system}.run{run}.{split}.log",
    benchmark:
        "results/benchmarks/measure_search/{task}.{src}-{tgt}.{system}.run{run}.{split}.tsv"
    wildcard_constraints:
        system=ON_LATTICES,
    conda:
        "../../envs/nlmt.yaml"
    threads: ALL_CORES  # it times one thread, with nothing else running
    resources:
        **requests("measure_search"),
    params:
        models=rescoring_features,
        sizes=EXPERIMENT.paper("auli2013").model_dump(include={"lists", "states"}),
        repetitions=lambda w: -(
            -EXPERIMENT.paper("auli2013").repetitions
            // len(EXPERIMENT.systems[w.system].runs)
        ),
    script:
        "../../workflow/scripts/measure_search.py"
