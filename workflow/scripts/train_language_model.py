"""Train one language model of any kind; write its folder (rules train_<kind>_lm)."""

from pathlib import Path

from nlmt.kinds import KINDS
from nlmt.lm import SourceFiles, TrainingData
from nlmt.settings_check import read_settings
from nlmt.workflow.job import workflow_job


def paths(name: str) -> list[Path]:
    """The files of a named input; none if the rule has no such input."""
    files = snakemake.input.get(name, [])
    return [Path(path) for path in ([files] if isinstance(files, str) else files)]


def source_side(name: str) -> SourceFiles | None:
    """The source text that a named input has, with its alignment if it is needed."""
    files = paths(name)
    return SourceFiles(*files) if files else None


def folder(name: str) -> Path | None:
    """The folder of the model whose files are a named input."""
    return next((path.parent for path in paths(name)), None)


if __name__ == "__main__":
    with workflow_job(snakemake):
        model = snakemake.params.model
        kind = KINDS.get(model["kind"])
        data = TrainingData(
            texts=paths("texts"),
            dev=paths("dev")[0],
            classes=next(iter(paths("classes")), None),
            sources=[
                SourceFiles(*files)
                for files in zip(*filter(None, [paths("source"), paths("alignment")]), strict=True)
            ],
            dev_source=source_side("dev_source"),
            test=next(iter(paths("test")), None),
            test_source=source_side("test_source"),
            chosen=folder("chosen"),
            source_embeddings=folder("source_embeddings"),
            start=folder("start"),
            parts=list(dict.fromkeys(path.parent for path in paths("models"))),
            memory_mb=snakemake.resources.get("mem_mb"),
        )
        kind.train(
            read_settings(kind.settings, model),
            data,
            Path(snakemake.output[0]).parent,
            threads=snakemake.threads,
        )
