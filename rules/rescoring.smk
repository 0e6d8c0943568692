"""Scores of language models on n-best lists, in the manner of CSLM."""


rule rescore_nbest:
    input:
        nbest=lambda w: decoded(w, w.run, f"{w.split}.nbest.gz"),
        models=rescoring_model_files,
        source="results/{task}/{src}-{tgt}/text/{split}.{src}.gz",
        known_list=lambda w: of_first_run(w, rescored_list),
        known_scores=lambda w: of_first_run(w, rescored_scores),
    output:
        scores="results/{task}/{src}-{tgt}/rescore/{system}/run{run}/{split}.scores.tsv.gz",
        statistics="results/{task}/{src}-{tgt}/rescore/{system}/run{run}/{split}.requests.json",
    log:
        "results/logs/rescore_nbest/{task}.{src}-{tgt}.{system}.run{run}.{split}.log",
    benchmark:
        "results/benchmarks/rescore_nbest/{task}.{src}-{tgt}.{system}.run{run}.{split}.tsv"
    wildcard_constraints:
        system=ON_LISTS,
    conda:
        "../envs/nlmt.yaml"
    resources:
        **requests("rescore_nbest"),
    params:
        models=rescoring_features,
        tuples=lambda w: SYSTEMS[w.system].tuple_features,
        nbest=lambda w: SYSTEMS[w.system].list_size,
    script:
        "../workflow/scripts/rescore_nbest.py"


rule tune_reranking:
    input:
        nbest=lambda w: rescored_list(w, w.run, SYSTEMS[w.system].tuning_set),
        scores=lambda w: rescored_scores(w, w.run, SYSTEMS[w.system].tuning_set),
        references=lambda w: references(w, "text", [SYSTEMS[w.system].tuning_set]),
        initial=tuned,
    output:
        weights="results/{task}/{src}-{tgt}/rescore/{system}/run{run}/weights.json",
    log:
        "results/logs/tune_reranking/{task}.{src}-{tgt}.{system}.run{run}.log",
    benchmark:
        "results/benchmarks/tune_reranking/{task}.{src}-{tgt}.{system}.run{run}.tsv"
    conda:
        "../envs/nlmt.yaml"
    resources:
        **requests("tune_reranking"),
    params:
        seed=lambda w: int(w.run),
        options=reranking_options,
    script:
        "../workflow/scripts/tune_reranking.py"


rule rerank_nbest:
    input:
        nbest=lambda w: rescored_list(w, w.run, w.split),
        scores=lambda w: rescored_scores(w, w.run, w.split),
        weights="results/{task}/{src}-{tgt}/rescore/{system}/run{run}/weights.json",
        source="results/{task}/{src}-{tgt}/text/{split}.{src}.gz",
    output:
        hypotheses="results/{task}/{src}-{tgt}/rescore/{system}/run{run}/{split}.hyp",
    log:
        "results/logs/rerank_nbest/{task}.{src}-{tgt}.{system}.run{run}.{split}.log",
    benchmark:
        "results/benchmarks/rerank_nbest/{task}.{src}-{tgt}.{system}.run{run}.{split}.tsv"
    wildcard_constraints:
        system=ON_LISTS,
    conda:
        "../envs/nlmt.yaml"
    resources:
        **requests("rerank_nbest"),
    script:
        "../workflow/scripts/rerank_nbest.py"
