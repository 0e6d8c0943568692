"""Write one table of a paper, with our values beside the published ones (write_paper_table)."""

import logging
from pathlib import Path

from nlmt.papers import PAPERS, PairFiles
from nlmt.papers.results import write_frame
from nlmt.papers.tables import with_published_values
from nlmt.report import marked
from nlmt.workflow.job import mixed_code_warnings, workflow_job

if __name__ == "__main__":
    with workflow_job(snakemake):
        warnings = mixed_code_warnings(snakemake)
        for warning in warnings:
            logging.warning(warning)
        paper, name = PAPERS.get(snakemake.wildcards.paper), snakemake.wildcards.table
        parts = [PairFiles(**part) for part in snakemake.params.parts]
        frame = paper.tables[name].make(parts)
        for published in map(Path, snakemake.input.published):  # one, if any
            frame = with_published_values(frame, published, paper.published_pairs[name])
        write_frame(snakemake.output.table, marked(frame, warnings))
