"""Snakemake's `logger: nlmt`: one display of stages, running jobs and the time left.

Snakemake finds the plugin by the name of this package. On a terminal the display is written over in
place; elsewhere, and with --verbose, there are plain lines. A failed run ends with a line for each
job that failed. Messages of jobs go to their logs only. What is no run (a dry run, --unlock) is
shown as Snakemake itself shows it.
"""

import logging
import os
import sys
from contextlib import suppress

from snakemake.logging import ColorizingTextHandler
from snakemake_interface_logger_plugins.base import LogHandlerBase
from snakemake_interface_logger_plugins.common import LogEvent
from typing_extensions import override

from nlmt.progress import Failures, Live, PastRuns, Plain, Run
from nlmt.provenance import Store
from nlmt.runlog import LOGS_ONLY

__all__ = ["LogHandler"]

# Messages without an event that say no more than the display.
_NOISE = (
    *("Assuming unrestricted", "Building DAG", "Conda environments", "Config file", "Execute "),
    *("Finished jobid", "Provided cores", "Rules claiming", "Select jobs", "Singularity"),
    *("Using shell", "Using workflow specific profile", "host:"),
)


class LogHandler(LogHandlerBase):
    """Follows Snakemake's events, which come from one thread, and shows the state of the run."""

    @override
    def __post_init__(self) -> None:
        self._closed = False
        self._dry = self.common_settings.dryrun
        self._past, self._failures = PastRuns(), Failures()
        self._run = Run(self._past)
        stream = sys.stdout if self.common_settings.stdout else sys.stderr
        self._own = ColorizingTextHandler(nocolor=self.common_settings.nocolor, stream=stream)
        terminal = stream.isatty() and os.environ.get("TERM") != "dumb"
        live = terminal and not self.common_settings.verbose and not self._dry
        self._screen: Live | Plain = (Live if live else Plain)(stream, self._run)
        if not self._dry:
            os.environ[LOGS_ONLY] = "1"  # for the jobs

    @property
    @override
    def writes_to_stream(self) -> bool:
        return True

    @property
    @override
    def writes_to_file(self) -> bool:
        return False

    @property
    @override
    def has_filter(self) -> bool:
        return False

    @property
    @override
    def has_formatter(self) -> bool:
        return False

    @property
    @override
    def needs_rulegraph(self) -> bool:
        return False

    @override
    def setFormatter(self, fmt: logging.Formatter | None) -> None:
        super().setFormatter(fmt)
        self._own.setFormatter(fmt)

    @override
    def handle(self, record: logging.LogRecord) -> bool:
        """Note what fails, also where --quiet leaves that out, and show the record."""
        event, facts = getattr(record, "event", None), record.__dict__
        if event == LogEvent.JOB_INFO:
            self._failures.begin(facts["jobid"], dict(facts["wildcards"].items()))
        elif event == LogEvent.JOB_ERROR:
            of_group = "its group failed" if facts.get("indent") else ""
            log, said = next(iter(facts["log"]), ""), facts.get("rule_msg") or of_group
            self._failures.fail(facts["jobid"], facts["rule_name"], log, said)
            self._run.fail(facts["jobid"])
        elif record.levelno >= logging.ERROR:
            self._failures.note(record.getMessage())
        with suppress(BrokenPipeError):  # of `| head`, which has read enough
            return super().handle(record)
        return False

    @override
    def emit(self, record: logging.LogRecord) -> None:
        """Show one event or message, or take it into account."""
        event = getattr(record, "event", None)
        if self._dry:
            self._own.emit(record)
        elif record.levelno >= logging.WARNING:
            self._say(record)
        elif event == LogEvent.RUN_INFO:
            with suppress(OSError):  # then no time left is told
                self._past.learn(Store().jobs().items())
            self._run.plan(record.__dict__["stats"])
        elif event == LogEvent.RESOURCES_INFO:
            self._run.cores = int(getattr(record, "cores", None) or self._run.cores)
        elif event == LogEvent.JOB_INFO:
            facts = record.__dict__
            log = next(iter(facts["log"] or []), "")
            job = self._run.start(facts["jobid"], facts["rule_name"], log, facts["threads"])
            if job.log:
                self._screen.began(job)
        elif event == LogEvent.JOB_FINISHED:
            ended = self._run.finish(record.__dict__["job_id"])
            if ended is not None and ended.log:
                self._screen.ended(ended)
        elif event is None and not record.getMessage().startswith(_NOISE):
            self._say(record)

    @override
    def close(self) -> None:
        """Leave the last state of the run, and below it what failed."""
        if not self._dry and not self._closed:  # Python closes all handlers once more
            self._screen.close(self._failures.jobs.values())
        self._closed = True
        super().close()

    def _say(self, record: logging.LogRecord) -> None:
        text = self.format(record)
        if text and text != "None":
            self._screen.say(self._own.decorate(record, text))
