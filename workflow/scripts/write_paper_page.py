"""Write the page of one paper (rule write_paper_page)."""

from pathlib import Path

from nlmt.papers.changed import read_best_changes
from nlmt.papers.pages import Provenance, read_figures, read_results, write_paper_page
from nlmt.papers.provenance import Part, run_times
from nlmt.workflow.job import mixed_code_warnings, workflow_job

if __name__ == "__main__":
    with workflow_job(snakemake):
        params = snakemake.params
        results = read_results(snakemake.wildcards.paper, params.pairs, snakemake.input.results)
        parts = {name: Part(**part) for name, part in params.parts.items()}
        used = {name for part in parts.values() for name in part.uses}
        provenance = Provenance(
            figures=read_figures(snakemake.input.figures),
            parts=parts,
            run_times={
                pair: run_times(Path("results/benchmarks"), params.task, pair, used)
                for pair in params.pairs
            },
            configuration=params.configuration,
            warnings=mixed_code_warnings(snakemake),
            changes=read_best_changes(results.tables, params.pairs, snakemake.input.changes),
        )
        write_paper_page(snakemake.output.page, results, provenance)
