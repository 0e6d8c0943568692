"""Scores, significance, and the page that shows them."""


rule evaluate_system:
    input:
        hypotheses=lambda w: translations(w, w.system),
        others=lambda w: of_others(w, translations),
        decoded=lambda w: decoded(
            w,
            SYSTEMS[w.system].runs[0],
            f"{SYSTEMS[w.system].test_sets[0]}.metrics.json",
        ),
        references=lambda w: references(w, "text"),
        raw_references=lambda w: references(w, "raw"),
        texts=lambda w: texts(w, w.system),
        other_texts=lambda w: of_others(w, texts),
        raw_sources=raw_sources,
    output:
        scores="results/{task}/{src}-{tgt}/eval/{system}.json",
    log:
        "results/logs/evaluate_system/{task}.{src}-{tgt}.{system}.log",
    benchmark:
        "results/benchmarks/evaluate_system/{task}.{src}-{tgt}.{system}.tsv"
    conda:
        "../envs/nlmt.yaml"
    resources:
        **requests("evaluate_system"),
    params:
        test_sets=lambda w: SYSTEMS[w.system].test_sets,
        others=lambda w: SYSTEMS[w.system].compared_with,
        seeds=lambda w: SYSTEMS[w.system].runs,
        label=lambda w: SYSTEMS[w.system].settings.label,
        baseline=lambda w: SYSTEMS[w.system].baseline,
        paired=lambda w: SYSTEMS[w.system].paired_with,
        resamples=config["evaluation"]["resamples"],
        seed=config["seed"],
        case=EXPERIMENT.config.text.casing != "lower",
        metrics=list(EXPERIMENT.config.evaluation.metrics),
        pieces=lambda w: in_pieces(w.tgt),
    script:
        "../workflow/scripts/evaluate_system.py"


rule compare_sentences:
    input:
        hypotheses=lambda w: translations(w, w.system)[0],
        baseline=lambda w: translations(w, SYSTEMS[w.system].baseline)[0],
        source=lambda w: in_pair(w, f"text/{SYSTEMS[w.system].test_sets[0]}.{w.src}.gz"),
        references=lambda w: references(w, "text", SYSTEMS[w.system].test_sets[:1]),
    output:
        changes="results/{task}/{src}-{tgt}/report/side-by-side/{system}.json",
        page=report(
            "results/{task}/{src}-{tgt}/report/side-by-side/{system}.html",
            caption="../workflow/report/sentences.rst",
            category="{task}",
            labels={"pair": "{src}-{tgt}", "what": "sentences of {system}"},
        ),
    log:
        "results/logs/compare_sentences/{task}.{src}-{tgt}.{system}.log",
    benchmark:
        "results/benchmarks/compare_sentences/{task}.{src}-{tgt}.{system}.tsv"
    conda:
        "../envs/nlmt.yaml"
    resources:
        **requests("compare_sentences"),
    params:
        names=lambda w: [
            SYSTEMS[name].settings.label
            for name in (SYSTEMS[w.system].baseline, w.system)
        ],
        pieces=lambda w: [in_pieces(w.src), in_pieces(w.tgt)],
        mixed_code=EXPERIMENT.config.evaluation.mixed_code,
    script:
        "../workflow/scripts/compare_sentences.py"


rule write_report:
    input:
        scores=expand(
            "results/{{task}}/{{src}}-{{tgt}}/eval/{system}.json",
            system=SYSTEMS.of_report(),
        ),
        perplexities=[
            f"results/{{task}}/{{src}}-{{tgt}}/{path}"
            for lm in MODELS.of_report()
            for path in MODELS.paths(lm, "perplexity.json")
        ],
        curves=[
            f"results/{{task}}/{{src}}-{{tgt}}/{curve}"
            for lm in MODELS.of_report()
            for model in MODELS.of_runs(lm)
            for curve in model.curve
        ],
        side_by_side=expand(
            "results/{{task}}/{{src}}-{{tgt}}/report/side-by-side/{system}.html",
            system=SYSTEMS.of_report()[1:],
        ),
        changes=expand(
            "results/{{task}}/{{src}}-{{tgt}}/report/side-by-side/{system}.json",
            system=SYSTEMS.of_report()[1:],
        ),
        tuning=tuning_files,
    output:
        page=report(
            "results/{task}/{src}-{tgt}/report/index.html",
            caption="../workflow/report/results.rst",
            category="{task}",
            labels={"pair": "{src}-{tgt}", "what": "results"},
        ),
        table="results/{task}/{src}-{tgt}/report/results.txt",
        tsv="results/{task}/{src}-{tgt}/report/results.tsv",
        json="results/{task}/{src}-{tgt}/report/results.json",
        grids=[
            f"results/{{task}}/{{src}}-{{tgt}}/report/grid/{grid.model}.tsv"
            for grid in EXPERIMENT.grids_of_report()
        ],
        manifest="results/{task}/{src}-{tgt}/report/manifest.sha256",
    log:
        "results/logs/write_report/{task}.{src}-{tgt}.log",
    benchmark:
        "results/benchmarks/write_report/{task}.{src}-{tgt}.tsv"
    localrule: True
    conda:
        "../envs/nlmt.yaml"
    resources:
        **requests("write_report"),
    params:
        tuned={name: SYSTEMS[name].tuned_runs for name in SYSTEMS.of_report()},
        rescored=[name for name in SYSTEMS.of_report() if SYSTEMS[name].rescores],
        mixed_code=EXPERIMENT.config.evaluation.mixed_code,
        grids=[asdict(grid) for grid in EXPERIMENT.grids_of_report()],
    script:
        "../workflow/scripts/write_report.py"


rule reports:
    input:
        [
            f"results/{name}/{pair}/{file}"
            for name, task in TASKS.items()
            for pair in task.pairs
            for file in ("report/index.html", "systems.json")
        ],
        [f"results/{name}/corpus_statistics.tsv" for name in TASKS],


rule demo:
    input:
        demo_page,
