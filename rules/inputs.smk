"""What jobs of each stage depend on, where it takes more than a pattern to say."""


def tokenisation(wildcards):
    """How the text of a pair becomes tokens."""
    text = EXPERIMENT.config.text
    languages = {wildcards.src, wildcards.tgt} & set(text.segmenter)
    return {
        "tokeniser": text.tokeniser,
        "segmenter": {
            language: text.segmenter[language] for language in sorted(languages)
        },
    }


def text_sources(wildcards):
    """The prepared texts that a training text joins."""
    parts = {"bitext": f"text/train.{wildcards.tgt}.gz"}
    return [
        in_pair(wildcards, parts.get(part, f"text/mono.{part}.{wildcards.tgt}.gz"))
        for part in EXPERIMENT.texts(wildcards.task)[wildcards.text].corpora
        if part != "monolingual"
    ]


def kept_apart(wildcards):
    """Held-out texts whose sentences a further corpus may not bring: sets of its own, too."""
    splits = PARTS[1:]
    languages = set(EXPERIMENT.config.corpora[wildcards.corpus].languages)
    # A corpus without one of the languages has no set of this pair.
    if {wildcards.src, wildcards.tgt} <= languages:
        for name in SETS:
            corpus, part = EXPERIMENT.origin(wildcards.task, name)
            if corpus == wildcards.corpus and part != "train":
                splits = [*splits, name]
    return in_pair(wildcards, [f"raw/{split}.{wildcards.tgt}.gz" for split in splits])


def translated_texts(wildcards):
    """What filtered tables are to translate: all parts held out, or one further set."""
    _, _, name = wildcards.filtered.removeprefix("tuples/").partition("/")
    return [
        in_pair(wildcards, f"text/{split}.{wildcards.src}.gz")
        for split in ([name] if name else PARTS[1:])
    ]


def extracted_tables(wildcards):
    """The tables of phrases or of tuples that filtered ones are a part of."""
    folder = "tm/tuples" if wildcards.filtered.startswith("tuples/") else "tm"
    return in_pair(
        wildcards,
        {
            "phrase_table": f"{folder}/phrase-table.gz",
            "reordering_table": f"{folder}/reordering-table.wbe-msd-bidirectional-fe.gz",
        },
    )


def decoder_ini(wildcards):
    """What a set is translated with: sets of other corpora have tables of their own."""
    name = f"{wildcards.split}.ini" if wildcards.split in SETS else "moses.ini"
    return in_pair(wildcards, f"tm/{wildcards.system}/{name}")


def former_weights(wildcards):
    """The tuned weights that the tuning of a system starts from: one file or none."""
    former = SYSTEMS.start_from(wildcards.system)
    if former is None:
        return []
    return in_pair(wildcards, f"tune/{former}/run{wildcards.run}/weights.json")


def rescored_first(wildcards):
    """The rescored list of the first run, whose scores the other runs take over: one or none."""
    first = SYSTEMS.seeds(wildcards.system)[0]
    if wildcards.run == str(first):
        return []
    path = f"rescore/{wildcards.system}/run{first}/{wildcards.split}.nbest.gz"
    return in_pair(wildcards, path)


def shard_tables(wildcards):
    """The tables of a shard, its own or those that all shards map."""
    if config["decoder"]["tables"] == "binary":
        return filtered_tables(wildcards)
    return filtered_tables(wildcards, SHARD_TABLES)


def seen_references(wildcards):
    """What models of a system see in place of the source: one text or none."""
    if not SYSTEMS.reference_features(wildcards.system):
        return []
    return in_pair(wildcards, f"text/{wildcards.split}.{wildcards.tgt}.gz")


def reranking_options(wildcards):
    """How the weights of a system are tuned again."""
    others = ("nbest", "lattice_density", "tuning_set")
    options = SYSTEMS.rescoring(wildcards.system)
    return {key: value for key, value in options.items() if key not in others}


def translations(wildcards, system):
    """The translations of the test sets by all runs of a system, set by set."""
    return [
        in_pair(wildcards, path)
        for test_set in SYSTEMS.test_sets(wildcards.system)
        for path in SYSTEMS.hypotheses(system, test_set)
    ]


def references(wildcards, folder, test_sets=None):
    """All references of test sets, those of a system if not given, in a folder of texts."""
    return [
        in_pair(wildcards, f"{folder}/{name}")
        for test_set in test_sets or SYSTEMS.test_sets(wildcards.system)
        for name in EXPERIMENT.reference_names(
            wildcards.task, test_set, wildcards.src, wildcards.tgt
        )
    ]


def tuning_files(wildcards):
    """Weights of all runs of the systems of a report, and the logs of those of the decoder."""
    return [
        in_pair(wildcards, path)
        for name in SYSTEMS.of_report()
        for run in SYSTEMS.tuned_runs(name)
        for path in (run["weights"], run["log"])
        if path is not None
    ]


def demo_page(wildcards):
    """What the demo makes; its pair is checked only where the demo is asked for."""
    pair = config["demo_pair"]
    try:
        EXPERIMENT.check_pair(pair, "demo_pair")
    except InputError as error:
        raise WorkflowError(str(error))
    return f"results/{config['task']}/{pair}/report/index.html"
