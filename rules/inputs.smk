"""Inputs of each stage's jobs that patterns cannot express."""


def prepared_as(wildcards):
    """The settings of tokenisation of a pair."""
    folder = in_pair(wildcards, "")
    found = tokenisation(EXPERIMENT, wildcards.src, wildcards.tgt, folder)
    case = {"casing": found.casing, "truecasers": dict(found.truecasers)}
    return {
        "tokeniser": found.tokeniser,
        "segmenter": dict(found.segmenter),
        **({} if found.casing == "lower" else case),
        **({"pieces": dict(found.pieces)} if found.pieces else {}),
    }


def in_pieces(language):
    """Whether the words of a language are divided into pieces."""
    return EXPERIMENT.config.text.segmenter.get(language) == "sentencepiece"


def cased_tokenisation(wildcards):
    """The settings of tokenisation of a pair, with whole words as they are written."""
    found = prepared_as(wildcards)
    found.pop("pieces", None)
    return {**found, "casing": "keep", "truecasers": {}}


def truecasers(wildcards):
    """The usual case of words in both languages, for the casing `truecase`."""
    found = prepared_as(wildcards)
    return list(found.get("truecasers", {}).values())


def text_models(wildcards):
    """The files that the preparation of text reads: of truecasers and of pieces."""
    return [*truecasers(wildcards), *prepared_as(wildcards).get("pieces", {}).values()]


def recaser(wildcards):
    """The files that give lower-cased translations their case."""
    if EXPERIMENT.config.text.casing != "lower":
        return []
    return in_pair(wildcards, ["recaser/forms.gz", "recaser/model.binary"])


def text_sources(wildcards):
    """The prepared texts that a training text joins."""
    parts = {"bitext": f"text/train.{wildcards.tgt}.gz"}
    return [
        in_pair(wildcards, parts.get(part, f"text/mono.{part}.{wildcards.tgt}.gz"))
        for part in EXPERIMENT.texts(wildcards.task)[wildcards.text].corpora
        if part != "monolingual"
    ]


def kept_apart(wildcards):
    """Held-out texts whose sentences a further corpus must not contain, including its own sets."""
    filtered = EXPERIMENT.kept_apart(wildcards.task, wildcards.src, wildcards.tgt)
    splits = [*PARTS[1:], *filtered]
    languages = set(EXPERIMENT.config.corpora[wildcards.corpus].languages)
    # A corpus without one of the languages has no set of this pair.
    if {wildcards.src, wildcards.tgt} <= languages:
        for name in SETS:
            corpus, part = EXPERIMENT.origin(wildcards.task, name)
            if corpus == wildcards.corpus and part != "train":
                splits = list(dict.fromkeys([*splits, name]))
    return in_pair(wildcards, [f"raw/{split}.{wildcards.tgt}.gz" for split in splits])


def sets_first(wildcards):
    """Source and target of the further sets that are drawn before the training text."""
    sets = EXPERIMENT.kept_apart(wildcards.task, wildcards.src, wildcards.tgt)
    languages = [wildcards.src, wildcards.tgt]
    return [
        in_pair(wildcards, f"raw/{name}.{one}.gz") for name in sets for one in languages
    ]


def training_first(wildcards):
    """Source and target of the training text, where further sets are drawn after it."""
    if EXPERIMENT.config.corpora[EXPERIMENT.corpus(wildcards.task)].filters:
        return []
    languages = [wildcards.src, wildcards.tgt]
    return in_pair(wildcards, [f"raw/train.{one}.gz" for one in languages])


def filtering_bitext(wildcards):
    """The bitext that filters of a corpus learn the target language from; else nothing."""
    if EXPERIMENT.config.corpora[wildcards.corpus].filters is None:
        return []
    languages = [wildcards.tgt, wildcards.src]
    return in_pair(wildcards, [f"raw/train.{one}.gz" for one in languages])


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


def raw_sources(wildcards):
    """What was translated, where a metric of a plugin is asked for."""
    if not EXPERIMENT.config.evaluation.metrics:
        return []
    test_sets = SYSTEMS[wildcards.system].test_sets
    return in_pair(wildcards, [f"raw/{name}.{wildcards.src}.gz" for name in test_sets])


def references(wildcards, folder, test_sets=None):
    """All references of test sets, by default a system's, in a folder of texts."""
    return [
        in_pair(wildcards, f"{folder}/{name}")
        for test_set in test_sets or SYSTEMS[wildcards.system].test_sets
        for name in EXPERIMENT.reference_names(
            wildcards.task, test_set, wildcards.src, wildcards.tgt
        )
    ]


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
    except InputError as error:
        raise WorkflowError(str(error))
    folder = f"results/{config['task']}/{pair}"
    return [f"{folder}/report/index.html", f"{folder}/systems.json"]
