"""Rescoring of lattices, after Auli, Galley, Quirk and Zweig (2013)."""


rule decode_lattices:
    input:
        ini=decoder_ini,
        tables=lambda w: filtered_tables(w).values(),
        models=decoder_model_files,
        weights=tuned,
        source="results/{task}/{src}-{tgt}/text/{split}.{src}.gz",
    output:
        lattices="results/{task}/{src}-{tgt}/decode/{system}/run{run}/{split}.lattices",
    log:
        "results/logs/decode_lattices/{task}.{src}-{tgt}.{system}.run{run}.{split}.log",
    benchmark:
        "results/benchmarks/decode_lattices/{task}.{src}-{tgt}.{system}.run{run}.{split}.tsv"
    conda:
        "../envs/nlmt.yaml"
    threads: threads("decode_lattices")
    resources:
        **requests("decode_lattices"),
    params:
        decoder=DECODER,
        density=lambda w: SYSTEMS[w.system].rescoring["lattice_density"],
    script:
        "../workflow/scripts/decode_lattices.py"


rule rescore_lattices:
    input:
        lattices=lambda w: decoded(w, w.run, f"{w.split}.lattices"),
        models=rescoring_model_files,
        references=seen_references,
    output:
        nbest="results/{task}/{src}-{tgt}/rescore/{system}/run{run}/{split}.nbest.gz",
        statistics="results/{task}/{src}-{tgt}/rescore/{system}/run{run}/{split}.requests.json",
    log:
        "results/logs/rescore_lattices/{task}.{src}-{tgt}.{system}.run{run}.{split}.log",
    benchmark:
        "results/benchmarks/rescore_lattices/{task}.{src}-{tgt}.{system}.run{run}.{split}.tsv"
    wildcard_constraints:
        system=ON_LATTICES,
    conda:
        "../envs/nlmt.yaml"
    resources:
        **requests("rescore_lattices"),
    params:
        models=rescoring_features,
        oracles=lambda w: SYSTEMS[w.system].reference_features,
        states=lambda w: SYSTEMS[w.system].lattice_states,
        left_out=lambda w: SYSTEMS[w.system].rescoring["left_out"],
        nbest=lambda w: SYSTEMS[w.system].list_size,
    script:
        "../workflow/scripts/rescore_lattices.py"


rule search_lattices:
    input:
        lattices=lambda w: decoded(w, w.run, f"{w.split}.lattices"),
        models=rescoring_model_files,
        references=seen_references,
        weights="results/{task}/{src}-{tgt}/rescore/{system}/run{run}/weights.json",
    output:
        hypotheses="results/{task}/{src}-{tgt}/rescore/{system}/run{run}/{split}.hyp",
        statistics="results/{task}/{src}-{tgt}/rescore/{system}/run{run}/{split}.search.json",
    log:
        "results/logs/search_lattices/{task}.{src}-{tgt}.{system}.run{run}.{split}.log",
    benchmark:
        "results/benchmarks/search_lattices/{task}.{src}-{tgt}.{system}.run{run}.{split}.tsv"
    wildcard_constraints:
        system=ON_LATTICES,
    conda:
        "../envs/nlmt.yaml"
    resources:
        **requests("search_lattices"),
    params:
        models=rescoring_features,
        oracles=lambda w: SYSTEMS[w.system].reference_features,
        states=lambda w: SYSTEMS[w.system].lattice_states,
    script:
        "../workflow/scripts/search_lattices.py"
