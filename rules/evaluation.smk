"""Scores, significance, and the page that shows them."""


rule evaluate_system:
    input:
        hypotheses=lambda w: [in_pair(w, path) for path in hypotheses_of(w.system)],
        baseline=lambda w: [in_pair(w, path) for path in hypotheses_of(BASELINE)],
        decoded=lambda w: in_pair(
            w,
            f"decode/{decoding_system(w.system)}/run{config['tuning']['seeds'][0]}/test.metrics.json",
        ),
        reference="results/{task}/{src}-{tgt}/text/test.{tgt}.gz",
        raw_reference="results/{task}/{src}-{tgt}/raw/test.{tgt}.gz",
    output:
        scores="results/{task}/{src}-{tgt}/eval/{system}.json",
    log:
        "results/logs/evaluate_system/{task}.{src}-{tgt}.{system}.log",
    conda:
        "../envs/nlmt.yaml"
    params:
        seeds=config["tuning"]["seeds"],
        label=lookup("systems/{system}/label", within=config),
        baseline=BASELINE,
        resamples=config["evaluation"]["resamples"],
        seed=config["seed"],
    script:
        "../workflow/scripts/evaluate_system.py"


rule compare_sentences:
    input:
        hypotheses=lambda w: in_pair(w, hypotheses_of(w.system)[0]),
        baseline=lambda w: in_pair(w, hypotheses_of(BASELINE)[0]),
        source="results/{task}/{src}-{tgt}/text/test.{src}.gz",
        reference="results/{task}/{src}-{tgt}/text/test.{tgt}.gz",
    output:
        page="results/{task}/{src}-{tgt}/report/side-by-side/{system}.html",
    log:
        "results/logs/compare_sentences/{task}.{src}-{tgt}.{system}.log",
    conda:
        "../envs/nlmt.yaml"
    params:
        names=lambda w: [
            config["systems"][name]["label"] for name in (BASELINE, w.system)
        ],
    script:
        "../workflow/scripts/compare_sentences.py"


rule write_report:
    input:
        scores=expand(
            "results/{{task}}/{{src}}-{{tgt}}/eval/{system}.json",
            system=config["systems"],
        ),
        perplexities=expand(
            "results/{{task}}/{{src}}-{{tgt}}/lm/{lm}/perplexity.json",
            lm=config["language_models"],
        ),
        curves=expand(
            "results/{{task}}/{{src}}-{{tgt}}/lm/{lm}/log.tsv",
            lm=models_of_kind("neural"),
        ),
        side_by_side=expand(
            "results/{{task}}/{{src}}-{{tgt}}/report/side-by-side/{system}.html",
            system=[system for system in config["systems"] if system != BASELINE],
        ),
    output:
        page=report("results/{task}/{src}-{tgt}/report/index.html", category="{task}"),
        table="results/{task}/{src}-{tgt}/report/results.txt",
        tsv="results/{task}/{src}-{tgt}/report/results.tsv",
        json="results/{task}/{src}-{tgt}/report/results.json",
    log:
        "results/logs/write_report/{task}.{src}-{tgt}.log",
    conda:
        "../envs/nlmt.yaml"
    script:
        "../workflow/scripts/write_report.py"
