"""Write the page of one paper (rule write_paper_page)."""

from typing import TYPE_CHECKING

from nlmt.papers.pages import Provenance, read_figures, read_results, write_paper_page
from nlmt.runlog import log_to_file

if TYPE_CHECKING:
    from snakemake.iocontainers import snakemake

if __name__ == "__main__":
    with log_to_file(snakemake.log[0]):
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
