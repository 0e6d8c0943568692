"""Tables, pictures and the page that shows them."""

from nlmt.report.page import Report, write_report
from nlmt.report.table import format_table, result_rows

__all__ = ["Report", "format_table", "result_rows", "write_report"]
