"""Choose the best hypothesis of each sentence with tuned weights (rule rerank_nbest)."""

from nlmt.io.files import read_lines, write_lines
from nlmt.io.weights import read_weights
from nlmt.rescoring import rerank
from nlmt.workflow.job import workflow_job

if __name__ == "__main__":
    with workflow_job(snakemake):
        sentences = sum(1 for _ in read_lines(snakemake.input.source))
        weights = read_weights(snakemake.input.weights)
        best = rerank(
            snakemake.input.nbest, weights, scores=snakemake.input.scores, sentences=sentences
        )
        write_lines(snakemake.output.hypotheses, best)
