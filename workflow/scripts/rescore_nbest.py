"""Score an n-best list by language models (rule rescore_nbest)."""

from dataclasses import asdict

from nlmt.io.json_files import write_json
from nlmt.io.nbest_scores import write_scores
from nlmt.kinds import load_language_model
from nlmt.lm.protocol import LanguageModel
from nlmt.rescoring import TupleModel, score_nbest
from nlmt.workflow.job import workflow_job

if __name__ == "__main__":
    with workflow_job(snakemake):
        paths = snakemake.params.models
        models: dict[str, LanguageModel | TupleModel] = {}
        for label, path in paths.items():
            model = load_language_model(path, threads=snakemake.threads)
            models[label] = TupleModel(model) if label in snakemake.params.tuples else model
        nbest, first = snakemake.input.nbest, snakemake.params.nbest
        scores, counts = score_nbest(
            nbest,
            models,
            source=snakemake.input.source,
            first=first,
            known=snakemake.input.get("known_list") or None,
            known_scores=snakemake.input.get("known_scores") or None,
        )
        write_scores(snakemake.output.scores, nbest, scores, first=first)
        statistics = {
            label: {"model": paths[label], **asdict(asked)} for label, asked in counts.items()
        }
        write_json(snakemake.output.statistics, statistics)
