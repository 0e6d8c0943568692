"""Write the page of one paper (rule write_paper_page)."""

from typing import TYPE_CHECKING

from nlmt.jobs import workflow_job
from nlmt.papers.pages import Provenance, read_figures, read_results, write_paper_page

if TYPE_CHECKING:
    from snakemake.iocontainers import snakemake

if __name__ == "__main__":
    with workflow_job(snakemake):
        results = read_results(
            snakemake.wildcards.paper, snakemake.params.pairs, snakemake.input.results
        )
        provenance = Provenance(
            figures=read_figures(snakemake.input.figures),
            seeds=snakemake.params.seeds,
            configuration=snakemake.params.configuration,
            changes=list(snakemake.input.changes),
        )
        write_paper_page(snakemake.output.page, results, provenance)
