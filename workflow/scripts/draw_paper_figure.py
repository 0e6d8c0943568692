"""Draw one figure of a paper as SVG and PNG (rule draw_paper_figure)."""

from nlmt.papers import PAPERS
from nlmt.papers.plots import write_figure
from nlmt.papers.results import read_frame
from nlmt.workflow.job import workflow_job

if __name__ == "__main__":
    with workflow_job(snakemake):
        table = PAPERS.get(snakemake.wildcards.paper).tables[snakemake.wildcards.table]
        frame = read_frame(snakemake.input.table)
        write_figure(table, frame, snakemake.output.svg, snakemake.output.png)
