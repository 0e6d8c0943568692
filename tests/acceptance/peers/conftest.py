"""The table of cases and differences, printed and in build/peers.tsv."""

from pathlib import Path

import pytest
from held import CASES

TABLE = Path(__file__).parents[3] / "build/peers.tsv"
COLUMNS = ("program", "what", "compared", "refused by it", "differences", "explained")


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter) -> None:
    """Write and print the table."""
    if not CASES:
        return
    rows = [COLUMNS]
    for case in CASES.values():
        reasons = "; ".join(f"{count} {reason}" for reason, count in case.explained.items())
        counts = (case.compared, case.refused, len(case.differences))
        rows.append((case.program, case.what, *map(str, counts), reasons))
    TABLE.parent.mkdir(exist_ok=True)
    TABLE.write_text("".join("\t".join(row) + "\n" for row in rows), encoding="utf-8")
    terminalreporter.section("held against the programs themselves")
    widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
    for row in rows:
        cells = (cell.ljust(width) for cell, width in zip(row, widths, strict=True))
        terminalreporter.write_line("  ".join(cells).rstrip())
