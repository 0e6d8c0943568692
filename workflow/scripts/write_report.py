"""Write a pair's page, TSV and JSON; print the table and where the page is (rule write_report)."""

from pathlib import Path
from typing import TYPE_CHECKING

from nlmt.io.files import write_text
from nlmt.report import format_table, read_report, write_report
from nlmt.runlog import log_to_file

if TYPE_CHECKING:
    from snakemake.iocontainers import snakemake

if __name__ == "__main__":
    with log_to_file(snakemake.log[0]):
        wildcards = snakemake.wildcards
        report = read_report(
            f"{wildcards.task}: {wildcards.src} to {wildcards.tgt}",
            snakemake.input.scores,
            snakemake.input.perplexities,
            snakemake.input.curves,
            {
                Path(path).stem: f"side-by-side/{Path(path).name}"
                for path in snakemake.input.side_by_side
            },
        )
        page = Path(snakemake.output.page)
        table = write_report(report, page, Path(snakemake.output.tsv), Path(snakemake.output.json))
        text = f"{report.title}\n{format_table(table)}\n\nThe page: {page}\n"
        write_text(snakemake.output.table, text)
        print(f"\n{text}", flush=True)
