"""Draw one figure of a paper as SVG and PNG (rule draw_paper_figure)."""

from nlmt.papers import PAPERS
from nlmt.papers.plots import write_figure
from nlmt.papers.results import read_tables
from nlmt.workflow.job import workflow_job

if __name__ == "__main__":
    with workflow_job(snakemake):
        name = snakemake.wildcards.table
        frame = read_tables([snakemake.input.table])[name]
        table = PAPERS.get(snakemake.wildcards.paper).tables[name]
        write_figure(table, frame, snakemake.output.svg, snakemake.output.png)
