"""Write the page over all papers (rule write_papers_page)."""

from pathlib import Path

from nlmt.papers.overview import read_overview
from nlmt.papers.pages import read_results, write_front_page
from nlmt.workflow.job import mixed_code_warnings, workflow_job

if __name__ == "__main__":
    with workflow_job(snakemake):
        paths = {
            key: [path for path in snakemake.input.results if Path(path).parent.name == key]
            for key in snakemake.params.pairs
        }
        papers = [read_results(key, snakemake.params.pairs[key], paths[key]) for key in paths]
        overview = read_overview(snakemake.input.overview)
        warnings = mixed_code_warnings(snakemake)
        write_front_page(snakemake.output.page, papers, overview, warnings)
