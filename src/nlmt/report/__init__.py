"""Tables and figures of results, and pages that show them."""

from nlmt.report.changes import Changes, compare_sentences, read_changes, write_changes
from nlmt.report.grids import grid_text
from nlmt.report.page import (
    Report,
    read_curves,
    read_perplexities,
    read_result,
    write_report,
    write_side_by_side,
)
from nlmt.report.table import (
    COMPARISON_COLUMNS,
    METRIC_COLUMNS,
    comparisons_table,
    format_table,
    marked,
    metrics_table,
    results_table,
    write_tsv,
)
from nlmt.report.tuned import TunedRun, read_tuned_run

__all__ = [
    "COMPARISON_COLUMNS",
    "METRIC_COLUMNS",
    "Changes",
    "Report",
    "TunedRun",
    "compare_sentences",
    "comparisons_table",
    "format_table",
    "grid_text",
    "marked",
    "metrics_table",
    "read_changes",
    "read_curves",
    "read_perplexities",
    "read_result",
    "read_tuned_run",
    "results_table",
    "write_changes",
    "write_report",
    "write_side_by_side",
    "write_tsv",
]
