"""Take over an n-best list of another program, with its best translations (rule import_list)."""

from nlmt.io.files import read_lines, write_lines
from nlmt.io.json_files import write_json
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
        write_json(snakemake.output.metrics, facts)
