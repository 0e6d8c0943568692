"""Count the prepared texts of a pair (rule count_texts)."""

from nlmt.text import write_sizes
from nlmt.workflow.job import workflow_job

if __name__ == "__main__":
    with workflow_job(snakemake):
        params, target = snakemake.params, snakemake.wildcards.tgt
        prepared = zip(params.parts, params.languages, snakemake.input.prepared, strict=True)
        trained = zip(params.texts, snakemake.input.trained, strict=True)
        write_sizes(
            snakemake.output.sizes,
            [*prepared, *((f"texts/{name}", target, path) for name, path in trained)],
        )
