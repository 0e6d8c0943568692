"""Join the translations and n-best lists of all shards in their order (rule gather_shards)."""

from nlmt.io.files import concatenate
from nlmt.workflow.job import workflow_job

if __name__ == "__main__":
    with workflow_job(snakemake):
        for name in ("hypotheses", "nbest"):
            concatenate(snakemake.input[name], snakemake.output[name])
        concatenate(snakemake.input.metrics[:1], snakemake.output.metrics)
