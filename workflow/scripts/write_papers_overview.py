"""Write the table of all systems of all papers (rule write_papers_overview)."""

from nlmt.papers.overview import OverviewEntry, make_overview
from nlmt.papers.results import write_frame
from nlmt.report import marked
from nlmt.workflow.job import mixed_code_warnings, workflow_job

if __name__ == "__main__":
    with workflow_job(snakemake):
        entries = [OverviewEntry(**entry) for entry in snakemake.params.entries]
        warnings = mixed_code_warnings(snakemake)
        write_frame(snakemake.output.table, marked(make_overview(entries), warnings))
