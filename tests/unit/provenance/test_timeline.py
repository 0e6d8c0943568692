"""Times of jobs, the critical path, schedules computed by hand, and the picture."""

import json
import re
from dataclasses import asdict
from pathlib import Path

import pytest
from job_records import job_record

from nlmt.cli import main
from nlmt.errors import InputError
from nlmt.provenance.timeline import (
    WHOLE_MACHINE,
    _remaining,
    critical_path,
    read_jobs,
    simulate,
    timed_jobs,
    write_jobs,
)

RULES = Path(__file__).parents[3] / "rules"


def write_job(
    results: Path, rule: str, inputs: str, begin: int, seconds: float, threads: int
) -> None:
    """A job that reads the outputs of others, which have their names, and writes its own."""
    record = job_record(
        rule=rule,
        inputs=dict.fromkeys(["corpus", *inputs], "hash"),
        outputs={rule: "hash"},
        threads=threads,
        started=f"2026-01-02T03:04:{begin:02}+00:00",
        seconds=seconds,
        cpu_seconds=seconds * threads,
    )
    place = results / "provenance/jobs" / rule / "task.json"
    place.parent.mkdir(parents=True)
    place.write_text(json.dumps(asdict(record)))


@pytest.fixture
def results(tmp_path: Path) -> Path:
    """Text a of 10 s; from it model b of 20 s and model c of 5 s on two cores; table d of 1 s."""
    write_job(tmp_path, "a", "", 0, 10.0, 1)
    write_job(tmp_path, "b", "a", 10, 20.0, 1)
    write_job(tmp_path, "c", "a", 30, 5.0, 2)
    write_job(tmp_path, "d", "bc", 36, 1.0, 1)
    return tmp_path


def test_the_critical_path_is_the_longest_chain(results: Path) -> None:
    jobs = timed_jobs(results)
    assert list(jobs) == ["a/task", "b/task", "c/task", "d/task"]
    assert jobs["d/task"].after == {"b/task", "c/task"}
    assert [job.rule for job in critical_path(jobs)] == ["a", "b", "d"]
    assert _remaining(jobs) == {"a/task": 31, "b/task": 21, "c/task": 6, "d/task": 1}


def test_jobs_in_the_order_of_their_beginnings(tmp_path: Path) -> None:
    """Two that begin at once by name; one that reads what it wrote does not wait for itself."""
    write_job(tmp_path, "b", "", 10, 3.0, 1)
    write_job(tmp_path, "c", "c", 10, 5.0, 1)
    write_job(tmp_path, "d", "d", 9, 6.0, 1)
    jobs = timed_jobs(tmp_path)
    assert list(jobs) == ["d/task", "b/task", "c/task"]
    assert [job.after for job in jobs.values()] == [frozenset()] * 3
    assert [job.name for job in critical_path(jobs)] == ["d/task"]
    assert (jobs["c/task"].cpu_seconds, jobs["c/task"].threads) == (5, 1)
    assert critical_path({}) == []
    assert simulate({}, 1) == 0


def test_jobs_that_read_each_other_are_named(tmp_path: Path) -> None:
    write_job(tmp_path, "a", "b", 0, 1.0, 1)
    write_job(tmp_path, "b", "a", 1, 1.0, 1)
    with pytest.raises(InputError, match=r"circle: [ab]/task, [ab]/task, [ab]/task"):
        timed_jobs(tmp_path)


def test_a_job_of_many_threads_takes_all_cores(tmp_path: Path) -> None:
    """The first two run side by side on three cores; the third needs all of them."""
    write_job(tmp_path, "a", "", 0, 9.0, 1)
    write_job(tmp_path, "b", "", 0, 8.0, 2)
    write_job(tmp_path, "c", "", 0, 7.0, 8)
    jobs = timed_jobs(tmp_path)
    assert [simulate(jobs, cores) for cores in (1, 3, 10, 11)] == [24, 16, 15, 9]


def test_a_job_that_times_runs_alone(tmp_path: Path) -> None:
    """It was recorded on two cores; on others, too, nothing runs beside it."""
    write_job(tmp_path, "a", "", 0, 9.0, 1)
    write_job(tmp_path, "measure_search", "", 0, 8.0, 2)
    assert [simulate(timed_jobs(tmp_path), cores) for cores in (1, 2, 32)] == [17, 17, 17]


def test_rules_that_ask_for_all_cores_run_alone() -> None:
    text = "".join(path.read_text(encoding="utf-8") for path in RULES.rglob("*.smk"))
    rules = re.findall(r"^rule (\w+):(?:(?!^rule ).)*?threads: ALL_CORES", text, re.M | re.S)
    assert set(rules) == WHOLE_MACHINE


@pytest.mark.parametrize(("cores", "seconds"), [(1, 36.0), (2, 36.0), (3, 31.0), (32, 31.0)])
def test_schedules(results: Path, cores: int, seconds: float) -> None:
    """b begins first, as its way to the end is longer; c waits on two cores until b has ended."""
    assert simulate(timed_jobs(results), cores) == seconds


def test_the_time_before_the_record_begins_counts(results: Path) -> None:
    """Snakemake measures a job from its start; a record begins when the library is loaded."""
    benchmark = results / "benchmarks/b/task.tsv"
    benchmark.parent.mkdir(parents=True)
    benchmark.write_text("s\th:m:s\n22.0\t0:00:22\n")
    job = timed_jobs(results)["b/task"]
    assert (job.seconds, job.start.second, job.end.second) == (22.0, 8, 30)
    benchmark.write_text("s\th:m:s\n19.0\t0:00:19\n")  # of an earlier run
    assert timed_jobs(results)["b/task"].seconds == 20
    for content in ("s\n", "m\n1\n", "s\n-\n"):
        benchmark.write_text(content)
        with pytest.raises(InputError, match="not a benchmark file"):
            timed_jobs(results)


def test_jobs_are_read_as_they_were_written(results: Path) -> None:
    jobs, path = timed_jobs(results), results / "jobs.tsv"
    write_jobs(path, jobs)
    assert list(read_jobs(path).items()) == list(jobs.items())
    rows = path.read_text(encoding="utf-8")
    assert rows.splitlines()[4].split("\t")[-1] == "1 2"
    for damaged in (rows.replace("1 2", "1 9"), rows.replace("10.00", "x"), rows[:-5], "a\nb\n"):
        path.write_text(damaged)
        with pytest.raises(InputError, match=r"jobs.tsv: not a table of jobs"):
            read_jobs(path)


def test_the_command(results: Path, capsys: pytest.CaptureFixture[str]) -> None:
    picture = results / "timeline.svg"
    assert main(["timeline", str(results), "--cores", "2", "3", "--out", str(picture)]) == 0
    lines = capsys.readouterr().out.splitlines()
    assert lines[:2] == [
        "4 jobs from 2026-01-02 03:04:00 to 2026-01-02 03:04:37 UTC:",
        "     37.0 s, 41.0 s of processor",
    ]
    assert lines[3:5] == ["     36.0 s on 2 cores", "     31.0 s on 3 cores"]
    path = lines[lines.index("critical path:") + 1 : lines.index("rules, by time of processor:")]
    assert [line.split(" s ")[1].strip() for line in path] == [
        "in all",
        "a/task",
        "b/task",
        "d/task",
    ]
    text = picture.read_text()
    assert text.startswith("<svg")
    assert "critical path" in text


def test_a_folder_without_records(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["timeline", str(tmp_path)]) == 1
    assert "no jobs are on record" in capsys.readouterr().err
