"""Inputs of later stages' jobs that patterns cannot express."""


def translated_texts(wildcards):
    """The texts for filtered tables: all held-out parts, or one further set."""
    _, _, name = wildcards.filtered.removeprefix("tuples/").partition("/")
    return [
        in_pair(wildcards, f"text/{split}.{wildcards.src}.gz")
        for split in ([name] if name else PARTS[1:])
    ]


def extracted_tables(wildcards):
    """The tables of phrases or tuples to filter."""
    folder = "tm/tuples" if wildcards.filtered.startswith("tuples/") else "tm"
    return in_pair(
        wildcards,
        {
            "phrase_table": f"{folder}/phrase-table.gz",
            "reordering_table": f"{folder}/reordering-table.wbe-msd-bidirectional-fe.gz",
        },
    )


def training_inputs(wildcards):
    """The files that the training of a model reads, but for those outside of `results`."""
    inputs = MODELS[wildcards.lm].training_inputs(wildcards.src, wildcards.tgt)
    return in_pair(wildcards, inputs)


def decoder_ini(wildcards):
    """The model for translating a set; sets of other corpora have their own tables."""
    split = wildcards.get("split", "dev")
    name = f"{split}.ini" if split in SETS else "moses.ini"
    return in_pair(wildcards, SYSTEMS[wildcards.system].ini(run_of(wildcards), name))


def former_weights(wildcards):
    """The tuned weights from which the tuning of a system starts: one file or none."""
    former = SYSTEMS[wildcards.system].start_from
    if former is None:
        return []
    return in_pair(wildcards, f"tune/{former}/run{wildcards.run}/weights.json")


def of_first_run(wildcards, rescored):
    """A file of the first run's list, whose scores other runs take over: one or none."""
    first = SYSTEMS[wildcards.system].runs[0]
    if wildcards.run == str(first) or not SYSTEMS[wildcards.system].scores_alike:
        return []
    return rescored(wildcards, first, wildcards.split)


def shard_tables(wildcards):
    """The tables of a shard: its own, or those that all shards map."""
    if config["decoder"]["tables"] == "binary":
        return filtered_tables(wildcards)
    return filtered_tables(wildcards, SHARD_TABLES)


def seen_references(wildcards):
    """The text that a system's models see instead of the source: one or none."""
    if not SYSTEMS[wildcards.system].reference_features:
        return []
    return in_pair(wildcards, f"text/{wildcards.split}.{wildcards.tgt}.gz")


def reranking_options(wildcards):
    """The settings for tuning the weights of a system again."""
    others = ("nbest", "lattice_density", "tuning_set")
    options = SYSTEMS[wildcards.system].rescoring
    return {key: value for key, value in options.items() if key not in others}


def translations(wildcards, system):
    """The translations of the test sets by all runs of a system, set by set."""
    return [
        in_pair(wildcards, path)
        for test_set in SYSTEMS[wildcards.system].test_sets
        for path in SYSTEMS[system].hypotheses(test_set)
    ]


def texts(wildcards, system):
    """The same as text, where a metric of a plugin is asked for."""
    if not EXPERIMENT.config.evaluation.metrics:
        return []
    return [
        f"{path.removesuffix('hyp')}detok.{wildcards.tgt}"
        for path in translations(wildcards, system)
    ]


def of_others(wildcards, files):
    """Files of the systems that a system is compared with: its translations, or texts."""
    others = SYSTEMS[wildcards.system].compared_with
    return [path for other in others for path in files(wildcards, other)]


def raw_sources(wildcards):
    """What was translated, where a metric of a plugin is asked for."""
    if not EXPERIMENT.config.evaluation.metrics:
        return []
    test_sets = SYSTEMS[wildcards.system].test_sets
    return in_pair(wildcards, [f"raw/{name}.{wildcards.src}.gz" for name in test_sets])


def references(wildcards, folder, sets=None):
    """All references of sets, by default a system's test sets, in a folder of texts."""
    try:
        return [
            in_pair(wildcards, f"{folder}/{name}")
            for one in sets or SYSTEMS[wildcards.system].test_sets
            for name in EXPERIMENT.reference_names(
                wildcards.task, one, wildcards.src, wildcards.tgt
            )
        ]
    except InputError as error:
        raise WorkflowError(str(error))


def tuning_files(wildcards):
    """Weights of all runs of a report's systems, and logs of the decoder's tuning."""
    return [
        in_pair(wildcards, path)
        for name in SYSTEMS.of_report()
        for run in SYSTEMS[name].tuned_runs
        for path in (run["weights"], run["log"])
        if path is not None
    ]


def demo_page(wildcards):
    """The outputs of the demo; its pair is checked only if the demo is requested."""
    pair = config["demo_pair"]
    try:
        EXPERIMENT.check_pair(pair, "demo_pair")
        given = EXPERIMENT.config.pairs
        if "pairs" in EXPERIMENT.config.model_fields_set and pair not in given:
            hint = f"run reports, or give --config demo_pair={given[0]}"
            raise InputError(f"demo_pair: {pair} is not among pairs", hint=hint)
    except InputError as error:
        raise WorkflowError(str(error))
    folder = f"results/{config['task']}/{pair}"
    return [f"{folder}/report/index.html", f"{folder}/systems.json"]
