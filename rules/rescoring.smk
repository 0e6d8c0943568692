"""Neural scores on n-best lists, in the manner of CSLM."""


rule rescore_nbest:
    input:
        nbest=lambda w: decoded(w, f"decode/{{system}}/run{w.run}/{w.split}.nbest.gz"),
        models=lambda w: in_pair(w, EXPERIMENT.rescoring_files(w.system)),
        source="results/{task}/{src}-{tgt}/text/{split}.{src}.gz",
    output:
        nbest="results/{task}/{src}-{tgt}/rescore/{system}/run{run}/{split}.nbest.gz",
        statistics="results/{task}/{src}-{tgt}/rescore/{system}/run{run}/{split}.requests.json",
    log:
        "results/logs/rescore_nbest/{task}.{src}-{tgt}.{system}.run{run}.{split}.log",
    benchmark:
        "results/benchmarks/rescore_nbest/{task}.{src}-{tgt}.{system}.run{run}.{split}.tsv"
    wildcard_constraints:
        system=ON_LISTS,
    conda:
        "../envs/nlmt.yaml"
    threads: 2
    resources:
        mem_mb=grows(2000, 5),
        runtime=grows(60, 1),
    params:
        models=lambda w: in_pair(w, EXPERIMENT.rescoring_features(w.system)),
        tuples=lambda w: EXPERIMENT.tuple_features(w.system),
    script:
        "../workflow/scripts/rescore_nbest.py"


rule tune_reranking:
    input:
        nbest=f"results/{{task}}/{{src}}-{{tgt}}/rescore/{{system}}/run{{run}}/{TUNING_SET}.nbest.gz",
        reference=f"results/{{task}}/{{src}}-{{tgt}}/text/{TUNING_SET}.{{tgt}}.gz",
        initial=lambda w: decoded(w, f"tune/{{system}}/run{w.run}/weights.json"),
    output:
        weights="results/{task}/{src}-{tgt}/rescore/{system}/run{run}/weights.json",
    log:
        "results/logs/tune_reranking/{task}.{src}-{tgt}.{system}.run{run}.log",
    benchmark:
        "results/benchmarks/tune_reranking/{task}.{src}-{tgt}.{system}.run{run}.tsv"
    conda:
        "../envs/nlmt.yaml"
    threads: 2
    resources:
        mem_mb=grows(1000, 60),
        runtime=grows(60, 1),
    params:
        seed=lambda w: int(w.run),
        options={
            key: config["rescoring"][key]
            for key in config["rescoring"]
            if key not in ("nbest", "lattice_density", "tuning_set")
        },
    script:
        "../workflow/scripts/tune_reranking.py"


rule rerank_nbest:
    input:
        nbest="results/{task}/{src}-{tgt}/rescore/{system}/run{run}/test.nbest.gz",
        weights="results/{task}/{src}-{tgt}/rescore/{system}/run{run}/weights.json",
        source="results/{task}/{src}-{tgt}/text/test.{src}.gz",
    output:
        hypotheses="results/{task}/{src}-{tgt}/rescore/{system}/run{run}/test.hyp",
    log:
        "results/logs/rerank_nbest/{task}.{src}-{tgt}.{system}.run{run}.log",
    wildcard_constraints:
        system=ON_LISTS,
    conda:
        "../envs/nlmt.yaml"
    script:
        "../workflow/scripts/rerank_nbest.py"
