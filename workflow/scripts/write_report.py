"""Write a pair's page, tables and manifest; print the table and the page's path (write_report)."""

import logging
from pathlib import Path

from nlmt.io.files import write_text
from nlmt.provenance import Store, write_manifest
from nlmt.report import (
    Report,
    format_table,
    grid_text,
    marked,
    read_changes,
    read_curves,
    read_perplexities,
    read_result,
    read_tuned_run,
    write_report,
    write_tsv,
)
from nlmt.runlog import logs_only
from nlmt.workflow.job import mixed_code_warnings, workflow_job

if __name__ == "__main__":
    with workflow_job(snakemake):
        wildcards = snakemake.wildcards
        page = Path(snakemake.output.page)
        pair = page.parents[1]
        tuned = {
            name: [read_tuned_run(pair, **run) for run in runs]
            for name, runs in snakemake.params.tuned.items()
        }
        report = Report(
            title=f"{wildcards.task}: {wildcards.src} to {wildcards.tgt}",
            scores=[read_result(path) for path in snakemake.input.scores],
            perplexities=read_perplexities(snakemake.input.perplexities),
            curves=read_curves(snakemake.input.curves),
            tuned=tuned,
            rescored=snakemake.params.rescored,
            warnings=mixed_code_warnings(snakemake),
            changes={Path(path).stem: read_changes(path) for path in snakemake.input.changes},
            grids=snakemake.params.grids,
        )
        table, warnings = write_report(
            report, page, Path(snakemake.output.tsv), Path(snakemake.output.json)
        )
        for warning in warnings:
            logging.warning(warning)
        lines = "".join(f"warning: {warning}\n" for warning in warnings)
        grids = report.grid_tables()
        for path in map(Path, snakemake.output.grids):
            write_tsv(path, marked(grids[path.stem], report.warnings))
        lines += "".join(f"\n{name}:\n{grid_text(grid)}\n" for name, grid in grids.items())
        text = f"{report.title}\n{format_table(table)}\n{lines}\nThe page: {page}\n"
        write_text(snakemake.output.table, text)
        made = [path for path in snakemake.output if path != snakemake.output.manifest]
        write_manifest(snakemake.output.manifest, Store(), [*snakemake.input, *made])
        if not logs_only():
            print(f"\n{text}", flush=True)
