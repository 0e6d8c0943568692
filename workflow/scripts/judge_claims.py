"""Judge the claims of a paper by our tables (rule judge_claims)."""

from pathlib import Path
from typing import TYPE_CHECKING

from nlmt.jobs import workflow_job
from nlmt.papers import PAPERS, read_claims
from nlmt.papers.results import read_tables, write_frame
from nlmt.papers.tables import published_pairs
from nlmt.papers.verdicts import judge_claims

if TYPE_CHECKING:
    from snakemake.iocontainers import snakemake

if __name__ == "__main__":
    with workflow_job(snakemake):
        paper = snakemake.wildcards.paper
        folder = Path(snakemake.input.claims[0]).parent.parent
        verdicts, comparisons = judge_claims(
            read_claims(folder, paper),
            read_tables(snakemake.input.tables),
            snakemake.params.pairs,
            published_pairs(paper),
            PAPERS.get(paper).trainings,
        )
        write_frame(snakemake.output.verdicts, verdicts)
        write_frame(snakemake.output.comparisons, comparisons)
