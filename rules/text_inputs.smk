"""Inputs of jobs that prepare text, and how they prepare it."""


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


def longest(wildcards):
    """The most tokens of a sentence of a set to learn from; None for dev and test."""
    _, part = EXPERIMENT.origin(wildcards.task, wildcards.split)
    return config["text"]["max_length"] if part == "train" else None


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


def joined_texts(wildcards):
    """The training texts whose names a path has, joined by +."""
    names = wildcards.texts.split("+")
    return in_pair(wildcards, [f"texts/{name}.gz" for name in names])


def own_text(wildcards):
    """The user's files of `monolingual` that a training text joins."""
    if "monolingual" not in EXPERIMENT.texts(wildcards.task)[wildcards.text].corpora:
        return []
    return given(config["monolingual"].get(wildcards.tgt, []))


def held_out_texts(wildcards, further=()):
    """The target side of parts and sets, further ones too, that no training text may contain."""
    sets = EXPERIMENT.kept_apart(wildcards.task, wildcards.src, wildcards.tgt)
    splits = dict.fromkeys([*PARTS[1:], *sets, *further])
    return in_pair(wildcards, [f"raw/{split}.{wildcards.tgt}.gz" for split in splits])


def kept_apart(wildcards):
    """Held-out texts whose sentences a further corpus must not contain, including its own sets."""
    own = []
    languages = set(EXPERIMENT.config.corpora[wildcards.corpus].languages)
    # A corpus without one of the languages has no set of this pair.
    if {wildcards.src, wildcards.tgt} <= languages:
        for name in SETS:
            corpus, part = EXPERIMENT.origin(wildcards.task, name)
            if corpus == wildcards.corpus and part != "train":
                own.append(name)
    return held_out_texts(wildcards, own)


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
