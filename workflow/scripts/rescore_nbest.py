"""Add the scores of language models to an n-best list (rule rescore_nbest)."""

import json
from dataclasses import asdict
from typing import TYPE_CHECKING

from nlmt.io.files import write_text
from nlmt.kinds import load_language_model
from nlmt.lm.protocol import LanguageModel
from nlmt.rescoring import TupleModel, rescore
from nlmt.workflow.job import workflow_job

if TYPE_CHECKING:
    from snakemake.iocontainers import snakemake

if __name__ == "__main__":
    with workflow_job(snakemake):
        paths = snakemake.params.models
        models: dict[str, LanguageModel | TupleModel] = {}
        for label, path in paths.items():
            model = load_language_model(path, threads=snakemake.threads)
            models[label] = TupleModel(model) if label in snakemake.params.tuples else model
        counts = rescore(
            snakemake.input.nbest,
            models,
            snakemake.output.nbest,
            source=snakemake.input.source,
            first=snakemake.params.get("nbest"),
            known=snakemake.input.get("known") or None,
        )
        statistics = {
            label: {"model": paths[label], **asdict(asked)} for label, asked in counts.items()
        }
        write_text(snakemake.output.statistics, json.dumps(statistics, indent=2) + "\n")
