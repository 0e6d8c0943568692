"""Write a pair's page, TSV and JSON; print the table and where the page is (rule write_report)."""

import csv
from pathlib import Path
from typing import TYPE_CHECKING, Any

from nlmt.errors import InputError
from nlmt.io.files import write_text
from nlmt.io.json_files import read_json
from nlmt.report import Report, format_table, write_report
from nlmt.runlog import log_to_file

if TYPE_CHECKING:
    from snakemake.iocontainers import snakemake


def read_result(path: str) -> dict[str, Any]:
    """Read a JSON artefact and note where it stands."""
    return read_json(path) | {"source": path}


def read_curve(path: str) -> tuple[list[float], list[float]]:
    """Read epochs and dev perplexities from a training log."""
    with Path(path).open(encoding="utf-8") as stream:
        rows = list(csv.DictReader(stream, delimiter="\t"))
    try:
        return [float(row["epoch"]) for row in rows], [float(row["dev_perplexity"]) for row in rows]
    except (KeyError, TypeError, ValueError) as error:
        hint = "train the model again"
        raise InputError("truncated or damaged learning curve", path=path, hint=hint) from error


if __name__ == "__main__":
    with log_to_file(snakemake.log[0]):
        wildcards = snakemake.wildcards
        report = Report(
            title=f"{wildcards.task}: {wildcards.src} to {wildcards.tgt}",
            scores=[read_result(path) for path in snakemake.input.scores],
            perplexities={
                Path(path).parent.name: read_result(path) for path in snakemake.input.perplexities
            },
            curves={Path(path).parent.name: read_curve(path) for path in snakemake.input.curves},
            side_by_side={
                Path(path).stem: f"side-by-side/{Path(path).name}"
                for path in snakemake.input.side_by_side
            },
        )
        page = Path(snakemake.output.page)
        rows = write_report(report, page, Path(snakemake.output.tsv), Path(snakemake.output.json))
        text = f"{report.title}\n{format_table(rows)}\n\nThe page: {page}\n"
        write_text(snakemake.output.table, text)
        print(f"\n{text}", flush=True)
