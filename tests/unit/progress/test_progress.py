"""The display of a run: its state, the time left, its lines, and the plugin for Snakemake."""

import io
import logging
import os
import re
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
from snakemake_interface_logger_plugins.common import LogEvent
from snakemake_interface_logger_plugins.registry import LoggerPluginRegistry
from snakemake_interface_logger_plugins.tests import MockOutputSettings, TestLogHandlerBase

from nlmt.progress import Failures, Live, PastRuns, Plain, Run
from nlmt.progress.screen import display, summary
from nlmt.progress.stages import OTHER, stage_of
from nlmt.runlog import FAULT, LOGS_ONLY, STOPPED
from nlmt.steps import clock
from snakemake_logger_plugin_nlmt import LogHandler

ROOT = Path(__file__).parents[3]
TARGETS = {"download", "demo", "papers", "reports", "translations"}


class Clock:
    now = 0.0

    def __call__(self) -> float:
        return self.now


def past() -> PastRuns:
    known = PastRuns()
    known.add("decode", "decode/a", seconds=10, threads=1)
    known.add("decode", "decode/b", seconds=30, threads=1)
    known.add("train_neural_lm", "train_neural_lm/m", seconds=60, threads=8)
    return known


@pytest.fixture
def run() -> tuple[Run, Clock]:
    time = Clock()
    found = Run(past(), time)
    found.cores = 2
    found.plan({"decode": 3, "train_neural_lm": 1, "demo": 1, "total": 5})
    return found, time


@pytest.fixture(autouse=True)
def environment(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """What the plugin sets for jobs does not outlive a test."""
    monkeypatch.delenv(LOGS_ONLY, raising=False)
    yield
    os.environ.pop(LOGS_ONLY, None)


def test_every_rule_is_in_a_stage() -> None:
    text = "".join(path.read_text() for path in (ROOT / "rules").rglob("*.smk"))
    rules = set(re.findall(r"^ *rule (\w+):", text, re.MULTILINE))
    assert len(rules) > 40
    assert {rule for rule in rules if stage_of(rule) == OTHER} == TARGETS
    assert stage_of("measure_search") == "rescoring"


@pytest.mark.parametrize(("seconds", "text"), [(7, "0:07"), (750, "12:30"), (3723.4, "1:02:03")])
def test_durations(seconds: float, text: str) -> None:
    assert clock(seconds) == text


def test_targets_are_no_jobs(run: tuple[Run, Clock]) -> None:
    assert run[0].total == 4


@pytest.mark.parametrize(
    ("log", "name"),
    [
        ("results/logs/decode/help.fr-en.nlm.run1.log", "help.fr-en.nlm.run1"),
        ("results/logs/train_neural_lm/help.fr-en.nce/run2.log", "help.fr-en.nce.run2"),
        ("/far/logs/results/logs/decode/b.log", "b"),
        ("", ""),
    ],
)
def test_jobs_are_named_by_their_logs(log: str, name: str) -> None:
    assert Run(past(), Clock()).start(1, "decode", log, 1).name == name


def test_time_left_is_the_work_over_the_cores(run: tuple[Run, Clock]) -> None:
    state, time = run
    # Three decodings of 20 s on a core each, training of 60 s on both: 60 / 2 + 120 / 2.
    assert state.time_left() == pytest.approx(90)
    state.start(1, "decode", "results/logs/decode/b.log", 1)  # 30 s, as the last time
    assert state.time_left() == pytest.approx(95)
    time.now = 20
    assert state.time_left() == pytest.approx(85)
    state.finish(1)  # in 20 s, which does not change the mean
    assert state.time_left() == pytest.approx(80)
    assert (state.done, state.total) == (1, 4)


def test_time_left_is_at_least_that_of_a_running_job() -> None:
    state = Run(past(), Clock())
    state.cores = 8
    state.plan({"decode": 1})
    state.start(1, "decode", "results/logs/decode/b.log", 1)
    assert state.time_left() == pytest.approx(30)


def test_no_time_left_before_a_rule_is_known(run: tuple[Run, Clock]) -> None:
    state, time = run
    state.plan({"decode": 1, "tune_weights": 2})
    assert state.time_left() is None
    state.start(1, "tune_weights", "results/logs/tune_weights/x.log", 1)
    time.now = 8
    state.finish(1)
    assert state.time_left() == pytest.approx((8 + 20) / 2)


def test_a_job_that_failed_is_still_to_do(run: tuple[Run, Clock]) -> None:
    state = run[0]
    state.start(1, "decode", "results/logs/decode/a.log", 1)
    before = state.time_left()
    state.fail(1)
    assert state.running == {}
    assert state.done == 0
    assert state.time_left() == pytest.approx(90)
    assert before == pytest.approx(85)


def test_the_display_has_stages_and_what_jobs_say(run: tuple[Run, Clock], tmp_path: Path) -> None:
    state, time = run
    log = tmp_path / "m.log"
    log.write_text("10:00:00 start\n10:00:05 epoch 2: dev perplexity 99.10\n\n")
    state.start(1, "train_neural_lm", str(log), 8)
    time.now = 5
    assert display(state) == [
        "0 of 4 jobs, 0:05, about 1:25 left",
        " [>] language models       0 of 1",
        " [ ] decoding              0 of 3",
        f"{'0:05 of 1:00':>16}  {'train_neural_lm m':40}  epoch 2: dev perplexity 99.10",
    ]
    assert summary(state).startswith("0 of 4 jobs")


def test_plain_lines(run: tuple[Run, Clock]) -> None:
    state, time = run
    stream = io.StringIO()
    screen = Plain(stream, state)
    screen.began(state.start(1, "decode", "results/logs/decode/a.log", 1))
    time.now = 12
    job = state.finish(1)
    assert job is not None
    screen.ended(job)
    begins, ends = stream.getvalue().splitlines()
    assert begins == "[0:00] decode a (took 0:10)"
    assert ends.startswith("[0:12] decode a: done in 0:12; 1 of 4 jobs, about ")


def test_live_lines_are_written_over(
    run: tuple[Run, Clock], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("COLUMNS", "20")
    stream = io.StringIO()
    screen = Live(stream, run[0])
    screen.draw()
    screen.say("a warning")
    screen.close()
    text = stream.getvalue()
    assert text.count("\x1b[3A\x1b[J") >= 2  # three lines, erased before they are written again
    shown = text.split("\x1b[J")
    assert shown[-1].startswith("0 of 4 jobs")
    assert all(len(line) < 20 for line in shown[-1].splitlines())
    assert "a warning\n0 of 4 jobs" in text


LOGS = [
    (
        "10:00:00 start\n10:00:01 error: a.fr:3: not UTF-8 (convert it)\n",
        "a.fr:3: not UTF-8 (convert it)",
    ),
    (
        f"10:00:00 start\n10:00:01 {FAULT}\nTraceback (most recent call):\n  ...\nKeyError: 'x'\n",
        "KeyError: 'x'",
    ),
    (f"10:00:00 at work\n10:00:01 {STOPPED}\n", STOPPED),
    ("10:00:00 at work\n", "its log has no error"),
    (None, "its log has no error"),
]


@pytest.mark.parametrize(("text", "cause"), LOGS)
def test_a_failure_is_a_line_with_the_cause(text: str | None, cause: str, tmp_path: Path) -> None:
    log = tmp_path / "a.log"
    if text is not None:
        log.write_text(text)
    failures = Failures()
    failures.begin(3, {"src": "fr", "tgt": "en"})
    failures.fail(3, "decode", str(log))
    failures.fail(4, "demo", "")
    assert list(failures.jobs.values()) == [
        f"failed: decode (src=fr, tgt=en): {cause}; log: {log}",
        "failed: demo: it has no log",
    ]
    failures.begin(3, {"src": "fr", "tgt": "en"})  # once more
    assert list(failures.jobs) == [4]


def test_a_killed_job_is_named_after_its_message(tmp_path: Path) -> None:
    log = tmp_path / "a.log"
    log.write_text("10:00:00 at work\n")
    failures = Failures()
    failures.note("Command 'x' died with <Signals.SIGKILL: 9>.")
    for number in (1, 2):
        failures.fail(number, "decode", str(log))
    assert list(failures.jobs.values()) == [
        f"failed: decode: the system killed it; log: {log}",
        f"failed: decode: its log has no error; log: {log}",
    ]


def test_a_batch_system_may_know_why() -> None:
    failures = Failures()
    failures.fail(1, "decode", "a.log", "SLURM status is: 'OUT_OF_MEMORY'. ")
    assert failures.jobs[1] == "failed: decode: SLURM status is: 'OUT_OF_MEMORY'; log: a.log"


def test_failures_stand_below_the_display(run: tuple[Run, Clock]) -> None:
    for screen in (Plain, Live):
        stream = io.StringIO()
        screen(stream, run[0]).close(["failed: decode: why"])
        assert stream.getvalue().endswith("\nfailed: decode: why\n")
        assert "0 of 4 jobs" in stream.getvalue().split("\x1b[J")[-1]


class TestPlugin(TestLogHandlerBase):
    """The tests that Snakemake has for plugins."""

    __test__ = True

    def get_log_handler_cls(self) -> type[LogHandler]:
        return LogHandler

    def get_log_handler_settings(self) -> None:
        return None


def record(event: LogEvent | None, message: str = "", **facts: object) -> logging.LogRecord:
    made = logging.LogRecord("snakemake", logging.INFO, "", 1, message, None, None)
    made.__dict__.update(facts, event=event)
    return made


def test_snakemake_finds_the_plugin() -> None:
    assert "nlmt" in LoggerPluginRegistry().get_registered_plugins()


def test_events_become_lines(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    handler = LogHandler(MockOutputSettings(), None)
    handler.setFormatter(logging.Formatter("%(message)s"))
    job = {"rule_name": "decode", "log": ["results/logs/decode/a.log"], "threads": 1}
    handler.emit(record(None, "Select jobs to execute..."))
    handler.emit(record(None, "Nothing to be done."))
    handler.emit(record(LogEvent.RUN_INFO, stats={"decode": 1, "total": 1}))
    handler.emit(record(LogEvent.JOB_INFO, jobid=3, **job))
    handler.emit(record(LogEvent.JOB_FINISHED, job_id=3))
    handler.close()
    handler.close()
    nothing, begins, ends, last = capsys.readouterr().err.splitlines()
    assert nothing == "Nothing to be done."
    assert begins.endswith("decode a")
    assert "decode a: done in 0:00; 1 of 1 jobs" in ends
    assert last == "1 of 1 jobs, 0:00"
    assert os.environ[LOGS_ONLY] == "1"


def test_a_failed_run_ends_with_what_failed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "a.log").write_text("10:00:00 error: a.fr: no such file\n")
    for quiet in (False, True):
        handler = LogHandler(MockOutputSettings(), None)
        handler.setFormatter(logging.Formatter("%(message)s"))
        handler.addFilter(lambda record, shown=not quiet: shown)  # as that of --quiet
        job = {"rule_name": "decode", "jobid": 3, "log": ["a.log"]}
        handler.handle(record(LogEvent.RUN_INFO, stats={"decode": 1, "total": 1}))
        handler.handle(record(LogEvent.JOB_INFO, wildcards={"src": "fr"}, threads=1, **job))
        handler.handle(record(LogEvent.JOB_ERROR, **job))
        other = {"rule_name": "rerank", "jobid": 4, "log": ["b.log"]}
        handler.handle(record(LogEvent.JOB_ERROR, indent=True, **other))
        handler.close()
        assert capsys.readouterr().err.splitlines()[-2:] == [
            "failed: decode (src=fr): a.fr: no such file; log: a.log",
            "failed: rerank: its group failed; log: b.log",
        ]


def test_what_is_no_run_is_shown_as_snakemake_shows_it(capsys: pytest.CaptureFixture[str]) -> None:
    settings = MockOutputSettings()
    settings.dryrun = settings.stdout = True
    handler = LogHandler(settings, None)
    handler.setFormatter(logging.Formatter("%(message)s"))
    handler.emit(record(None, "Building DAG of jobs..."))
    handler.close()
    assert capsys.readouterr().out == "Building DAG of jobs...\n"


def test_a_reader_that_has_read_enough_is_no_error(monkeypatch: pytest.MonkeyPatch) -> None:
    class Pipe(io.StringIO):
        def write(self, text: str) -> int:
            raise BrokenPipeError

    monkeypatch.setattr(sys, "stdout", Pipe())
    settings = MockOutputSettings()
    settings.dryrun = settings.stdout = True
    handler = LogHandler(settings, None)
    handler.setFormatter(logging.Formatter("%(message)s"))
    handler.handle(record(None, "Building DAG of jobs..."))
    handler.close()


def test_an_error_before_there_is_a_log_is_shown(tmp_path: Path) -> None:
    code = (
        "from nlmt.runlog import log_to_file\n"
        "with log_to_file(None):\n    raise OSError(13, 'no', 'x')\n"
    )
    done = subprocess.run(
        [sys.executable, "-c", code],
        cwd=tmp_path, env=os.environ | {LOGS_ONLY: "1"}, capture_output=True, text=True,
    )  # fmt: skip
    assert done.returncode == 1
    assert "error: x: no" in done.stderr


def test_jobs_leave_the_terminal_alone(tmp_path: Path) -> None:
    code = (
        "import logging; from nlmt.runlog import log_to_file\n"
        "with log_to_file('job.log'):\n    logging.info('at work')\n"
    )
    command = [sys.executable, "-c", code]
    for variables, shown in (({}, "at work"), ({LOGS_ONLY: "1"}, "")):
        done = subprocess.run(
            command, cwd=tmp_path, env=os.environ | variables, capture_output=True, text=True
        )
        assert done.stderr.strip().endswith(shown)
        assert bool(done.stderr) == bool(shown)
        assert (tmp_path / "job.log").read_text().strip().endswith("at work")
