"""Further measurements of Schwenk (2010): requests of rescoring."""


rule measure_rescoring:
    input:
        nbest=first_list,
        model=rescoring_model_files,
    output:
        speed="results/{task}/{src}-{tgt}/rescore/{system}/speed.json",
    log:
        "results/logs/measure_rescoring/{task}.{src}-{tgt}.{system}.log",
    benchmark:
        "results/benchmarks/measure_rescoring/{task}.{src}-{tgt}.{system}.tsv"
    wildcard_constraints:
        system=ON_LISTS,
    conda:
        "../../envs/nlmt.yaml"
    threads: ALL_CORES  # it times one thread, with nothing else running
    resources:
        **requests("measure_rescoring"),
    params:
        settings=EXPERIMENT.paper("schwenk2010").model_dump(
            include={"timed_lists", "repetitions"}
        ),
    script:
        "../../workflow/scripts/measure_rescoring.py"


# The share of requests that a short-list covers, also for models with which nothing is rescored.
rule count_requests:
    input:
        nbest=lambda w: first_list(w, MODELS[w.lm].run),
        model=lambda w: in_pair(w, MODELS[w.lm].files),
    output:
        counts="results/{task}/{src}-{tgt}/rescore/{system}/requests/{lm}.json",
    log:
        "results/logs/count_requests/{task}.{src}-{tgt}.{system}.{lm}.log",
    benchmark:
        "results/benchmarks/count_requests/{task}.{src}-{tgt}.{system}.{lm}.tsv"
    wildcard_constraints:
        system=ON_LISTS,
    conda:
        "../../envs/nlmt.yaml"
    resources:
        **requests("count_requests"),
    script:
        "../../workflow/scripts/count_requests.py"
