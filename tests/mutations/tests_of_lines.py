"""A plugin of pytest: which test reaches which line, and how long each takes.

Programs that a test starts count for it, too: their coverage has NLMT_TEST as its context.
"""

import os
from collections.abc import Iterator
from pathlib import Path

import coverage
import pytest

TIMES = Path(os.environ["NLMT_TIMES"])


@pytest.hookimpl(wrapper=True)
def pytest_runtest_protocol(item: pytest.Item) -> Iterator[None]:
    os.environ["NLMT_TEST"] = item.nodeid
    if measured := coverage.Coverage.current():
        measured.switch_context(item.nodeid)
    return (yield)


def pytest_runtest_logreport(report: pytest.TestReport) -> None:
    if report.when == "call" or report.failed:
        with TIMES.open("a", encoding="utf-8") as file:
            file.write(f"{report.nodeid}\t{report.outcome}\t{report.duration:.3f}\n")
