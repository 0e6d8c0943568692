"""Weights of the decoder by MERT, and translation with them."""


rule tune_weights:
    input:
        ini="results/{task}/{src}-{tgt}/tm/{system}/moses.ini",
        source="results/{task}/{src}-{tgt}/text/dev.{src}.gz",
        reference="results/{task}/{src}-{tgt}/text/dev.{tgt}.gz",
    output:
        weights="results/{task}/{src}-{tgt}/tune/{system}/run{run}/weights.json",
        log="results/{task}/{src}-{tgt}/tune/{system}/run{run}/log.tsv",
    log:
        "results/logs/tune_weights/{task}.{src}-{tgt}.{system}.run{run}.log",
    benchmark:
        "results/benchmarks/tune_weights/{task}.{src}-{tgt}.{system}.run{run}.tsv"
    conda:
        "../envs/nlmt.yaml"
    threads: 8
    params:
        seed=lambda w: int(w.run),
        decoder=config["decoder"],
        nbest=config["tuning"]["nbest"],
        restarts=config["tuning"]["restarts"],
        max_iterations=config["tuning"]["max_iterations"],
    script:
        "../workflow/scripts/tune_weights.py"


rule decode:
    input:
        ini="results/{task}/{src}-{tgt}/tm/{system}/moses.ini",
        weights="results/{task}/{src}-{tgt}/tune/{system}/run{run}/weights.json",
        source="results/{task}/{src}-{tgt}/text/{split}.{src}.gz",
    output:
        hypotheses="results/{task}/{src}-{tgt}/decode/{system}/run{run}/{split}.hyp",
        nbest="results/{task}/{src}-{tgt}/decode/{system}/run{run}/{split}.nbest.gz",
    log:
        "results/logs/decode/{task}.{src}-{tgt}.{system}.run{run}.{split}.log",
    benchmark:
        "results/benchmarks/decode/{task}.{src}-{tgt}.{system}.run{run}.{split}.tsv"
    conda:
        "../envs/nlmt.yaml"
    threads: 8
    params:
        decoder=config["decoder"],
        nbest=config["rescoring"]["nbest"],
    script:
        "../workflow/scripts/decode.py"
