"""The files of corpora that jobs read, by part."""

import re

from nlmt.corpora import inputs


def names_of(parts):
    """A pattern for these parts of the paths of downloads."""
    return "|".join(sorted(map(re.escape, parts))) or NOTHING


def entries_of(name):
    """The entries of the configuration that define a corpus, without sizes of downloads."""
    return {
        entry: {
            key: value
            for key, value in config["corpora"][entry].items()
            if key not in ("about_mb", "text_mb")
        }
        for entry in (name, *EXPERIMENT.config.corpora[name].joins())
    }


def given(paths):
    """Input files; the user's own, which are in no storage, are marked as local."""
    paths = list(map(str, paths))
    own = [
        path
        for path in paths
        if not path.startswith("results/") and path not in DOWNLOADS
    ]
    relative = [path for path in own if not Path(path).is_absolute()]
    if relative and PREFIX != Path():
        raise WorkflowError(
            f"{relative[0]}: with prefix, name your files by absolute paths"
        )
    return [local(path) if path in own else path for path in paths]


def corpus_files(name, languages, wanted, place=""):
    """The files from which these parts of a corpus are read or drawn; the place is for messages."""
    try:
        found = inputs(name, EXPERIMENT.config.corpora[name], languages, wanted)
    except InputError as error:
        raise WorkflowError(f"{place}{error}")
    return given(found)


def monolingual_files(wildcards):
    """The files of the target language of a corpus for language models."""
    return corpus_files(wildcards.corpus, [wildcards.tgt], ["train"])


def origin_files(wildcards):
    """The files of a set of its corpus."""
    corpus, part = EXPERIMENT.origin(wildcards.task, wildcards.split)
    languages = [wildcards.src, wildcards.tgt]
    return corpus_files(corpus, languages, [part], f"held_out.{wildcards.split}: ")


def drawn_files(wildcards):
    """The files of a set and of the parts that are drawn with it."""
    corpus, _ = EXPERIMENT.origin(wildcards.task, wildcards.split)
    parts = EXPERIMENT.drawn_with(wildcards.task, wildcards.split)
    languages = [wildcards.src, wildcards.tgt]
    return corpus_files(corpus, languages, parts, f"held_out.{wildcards.split}: ")


def needed_downloads():
    """All files of the configuration's tasks, further sets and texts."""
    try:
        found = [str(path) for path in EXPERIMENT.files()]
    except InputError as error:
        raise WorkflowError(str(error))
    return [path for path in dict.fromkeys(found) if path in DOWNLOADS]
