"""Tables, pictures and the page that shows them."""

from nlmt.report.page import Report, write_report
from nlmt.report.paper import PaperTable, write_tables
from nlmt.report.search import mean_searches, write_search_page
from nlmt.report.side_by_side import Change, largest_changes, write_side_by_side
from nlmt.report.table import COLUMNS, METRIC_COLUMNS, format_table, metric_rows, result_rows

__all__ = [
    "COLUMNS",
    "METRIC_COLUMNS",
    "Change",
    "PaperTable",
    "Report",
    "format_table",
    "largest_changes",
    "mean_searches",
    "metric_rows",
    "result_rows",
    "write_report",
    "write_search_page",
    "write_side_by_side",
    "write_tables",
]
