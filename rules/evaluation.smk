"""Scores, significance, and the page that shows them."""


rule evaluate_system:
    input:
        hypotheses=lambda w: in_pair(w, EXPERIMENT.hypotheses(w.system)),
        baseline=lambda w: in_pair(w, EXPERIMENT.hypotheses(BASELINE)),
        decoded=lambda w: decoded(
            w, f"decode/{{system}}/run{EXPERIMENT.seeds[0]}/test.metrics.json"
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
        seeds=list(EXPERIMENT.seeds),
        label=lookup("systems/{system}/label", within=config),
        baseline=BASELINE,
        resamples=config["evaluation"]["resamples"],
        seed=config["seed"],
    script:
        "../workflow/scripts/evaluate_system.py"


rule compare_sentences:
    input:
        hypotheses=lambda w: in_pair(w, EXPERIMENT.hypotheses(w.system)[0]),
        baseline=lambda w: in_pair(w, EXPERIMENT.hypotheses(BASELINE)[0]),
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
            EXPERIMENT.systems[name]["label"] for name in (BASELINE, w.system)
        ],
    script:
        "../workflow/scripts/compare_sentences.py"


rule write_report:
    input:
        scores=expand(
            "results/{{task}}/{{src}}-{{tgt}}/eval/{system}.json",
            system=EXPERIMENT.systems,
        ),
        perplexities=expand(
            "results/{{task}}/{{src}}-{{tgt}}/lm/{lm}/perplexity.json",
            lm=EXPERIMENT.over_words(),
        ),
        curves=expand(
            "results/{{task}}/{{src}}-{{tgt}}/lm/{lm}/log.tsv",
            lm=EXPERIMENT.of_kind("neural"),
        ),
        side_by_side=expand(
            "results/{{task}}/{{src}}-{{tgt}}/report/side-by-side/{system}.html",
            system=[system for system in EXPERIMENT.systems if system != BASELINE],
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
