"""Take over an n-best list of another program, with its best translations (rule import_list)."""

import json

from nlmt.io.files import read_lines, write_lines, write_text
from nlmt.rescoring import rerank
from nlmt.rescoring.conversion import convert_list
from nlmt.workflow.job import workflow_job

if __name__ == "__main__":
    with workflow_job(snakemake):
        given = snakemake.input.nbest
        sentences = sum(1 for _ in read_lines(snakemake.input.source))
        write_lines(snakemake.output.hypotheses, rerank(given, None, sentences=sentences))
        convert_list(given, snakemake.output.nbest)
        facts = {"decoder": {"engine": "other", "list": given}}
        write_text(snakemake.output.metrics, json.dumps(facts, indent=2) + "\n")
