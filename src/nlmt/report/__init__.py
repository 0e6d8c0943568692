"""Tables, pictures and the page that shows them."""

from nlmt.report.page import Report, write_report
from nlmt.report.table import METRIC_COLUMNS, format_table, metric_rows, result_rows

__all__ = [
    "METRIC_COLUMNS",
    "Report",
    "format_table",
    "metric_rows",
    "result_rows",
    "write_report",
]
