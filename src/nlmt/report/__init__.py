"""Tables and figures of results, and the pages that show them."""

from nlmt.report.page import Report, read_report, read_result, write_report
from nlmt.report.paper import PaperTable, write_tables
from nlmt.report.search import mean_searches, write_search_page
from nlmt.report.side_by_side import Change, largest_changes, write_side_by_side
from nlmt.report.table import (
    COLUMNS,
    COMPARISON_COLUMNS,
    METRIC_COLUMNS,
    NOT_RUN,
    comparisons_table,
    format_table,
    metrics_table,
    results_table,
    write_tsv,
)

__all__ = [
    "COLUMNS",
    "COMPARISON_COLUMNS",
    "METRIC_COLUMNS",
    "NOT_RUN",
    "Change",
    "PaperTable",
    "Report",
    "comparisons_table",
    "format_table",
    "largest_changes",
    "mean_searches",
    "metrics_table",
    "read_report",
    "read_result",
    "results_table",
    "write_report",
    "write_search_page",
    "write_side_by_side",
    "write_tables",
    "write_tsv",
]
