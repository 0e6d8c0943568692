"""Jobs of the workflow: the second of two equal ones waits and takes the first one's result."""

import os
import subprocess
import sys
import time
from pathlib import Path
from types import SimpleNamespace

import pytest

from nlmt.errors import InputError
from nlmt.workflow import job
from nlmt.workflow.job import check_writable, failure_hint, space_warning

PATIENCE = 600  # seconds, even where a process takes long to start

# A script as Snakemake runs it: it waits for the file `go`, then writes its output.
SCRIPT = """
import sys, time
from pathlib import Path
from types import SimpleNamespace
from nlmt.errors import InputError
from nlmt.workflow.job import workflow_job

name, value = sys.argv[1:]
snakemake = SimpleNamespace(
    input=["input"], output=["output"], params={"value": value}, log=["logs/job.log"], rule="make",
    wildcards={}, threads=1,
)
with workflow_job(snakemake):
    Path(f"{name}.began").touch()
    while not Path("go").exists():
        time.sleep(0.02)
    if value == "fails":
        raise InputError("no such luck")
    if value == "too large":
        raise MemoryError
    Path("output").write_text(name)
"""


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "script.py").write_text(SCRIPT)
    (tmp_path / "input").touch()
    return tmp_path


def start(folder: Path, name: str, value: str) -> subprocess.Popen[str]:
    command = [sys.executable, "script.py", name, value]
    return subprocess.Popen(command, cwd=folder, stderr=subprocess.PIPE, text=True)


def wait_for(folder: Path, pattern: str) -> None:
    deadline = time.monotonic() + PATIENCE
    while not list(folder.glob(pattern)):
        assert time.monotonic() < deadline, pattern
        time.sleep(0.02)


def run_two(folder: Path, first: str, second: str, between: str = "") -> tuple[list[int], str, str]:
    """Start a job, and a second one while it runs; their statuses and messages.

    `between`: what the input has then, if it changes.
    """
    jobs = [start(folder, "first", first)]
    wait_for(folder, "first.began")
    if between:
        (folder / "input").write_text(between)
    jobs.append(start(folder, "second", second))
    wait_for(folder, "logs/.job.log.*.wait")
    (folder / "go").touch()
    messages = [job.communicate(timeout=PATIENCE)[1] for job in jobs]
    left = [path.name for path in (folder / "logs").iterdir()]
    assert left == ["job.log"]
    return [job.returncode for job in jobs], *messages


def test_the_second_takes_the_result_of_the_first(folder: Path) -> None:
    statuses, _, second = run_two(folder, "same", "same")
    assert statuses == [0, 0]
    assert (folder / "output").read_text() == "first"
    assert (folder / "provenance/jobs/job.json").exists()
    assert not (folder / "second.began").exists()
    assert "waiting for its result" in second
    assert "its result is taken" in second


@pytest.mark.parametrize(("first", "second", "between"), [("old", "new", ""), ("a", "a", "new")])
def test_a_job_with_other_parameters_or_inputs_is_run(
    first: str, second: str, between: str, folder: Path
) -> None:
    statuses, _, _ = run_two(folder, first, second, between)
    assert statuses == [0, 0]
    assert (folder / "output").read_text() == "second"


def test_a_job_is_run_where_the_first_one_failed(folder: Path) -> None:
    statuses, first, _ = run_two(folder, "fails", "same")
    assert statuses == [1, 0]
    assert "error: no such luck" in first
    assert "Traceback" not in first
    assert (folder / "output").read_text() == "second"


def test_after_a_killed_job_the_next_one_starts_at_once(folder: Path) -> None:
    first = start(folder, "first", "same")
    wait_for(folder, "first.began")
    first.kill()
    first.communicate(timeout=PATIENCE)
    (folder / "go").touch()
    second = start(folder, "second", "same")
    assert "waiting" not in second.communicate(timeout=PATIENCE)[1]
    assert (folder / "output").read_text() == "second"


def test_a_job_that_waits_can_be_interrupted(folder: Path) -> None:
    first = start(folder, "first", "same")
    wait_for(folder, "first.began")
    second = start(folder, "second", "same")
    wait_for(folder, "logs/.job.log.*.wait")
    second.terminate()
    assert "interrupted" in second.communicate(timeout=PATIENCE)[1]
    assert second.returncode == 130
    assert list(folder.glob("logs/.job.log.*.wait")) == []
    (folder / "go").touch()
    first.communicate(timeout=PATIENCE)
    assert first.returncode == 0


def test_a_log_folder_that_cannot_be_made_is_one_message(folder: Path) -> None:
    (folder / "logs").touch()
    job = start(folder, "first", "same")
    messages = job.communicate(timeout=PATIENCE)[1]
    assert job.returncode == 1
    assert "error:" in messages
    assert "Traceback" not in messages


def test_what_a_killed_job_left_of_its_output_is_removed(folder: Path) -> None:
    (folder / "go").touch()
    for name in (".123-0123abcd.output", ".123-0123abcd.output.gz", ".x.output"):
        (folder / name).touch()
    job = start(folder, "first", "1")
    assert job.communicate(timeout=PATIENCE)[1] is not None
    assert job.returncode == 0
    hidden = {path.name for path in folder.glob(".*")}
    assert hidden == {".123-0123abcd.output.gz", ".x.output"}


def test_too_little_memory_is_no_fault_of_nlmt(folder: Path) -> None:
    (folder / "go").touch()
    job = start(folder, "first", "too large")
    messages = job.communicate(timeout=PATIENCE)[1]
    assert job.returncode == 1
    assert "error: out of memory (run fewer jobs at once" in messages
    assert "Traceback" not in messages


@pytest.mark.parametrize(
    ("said", "hint"),
    [
        ("Command 'python x' died with <Signals.SIGKILL: 9>.", "for lack of memory"),
        ("Command 'x' returned non-zero exit status 137.", "for lack of memory"),
        ("This could indicate a clock skew problem", "the clock was ahead"),
        ("Command 'x' returned non-zero exit status 1.", None),
    ],
)
def test_failure_of_a_run_is_explained(tmp_path: Path, said: str, hint: str | None) -> None:
    log = tmp_path / "log"
    log.write_text(f"Building DAG of jobs...\n{said}\n")
    found = failure_hint(log)
    assert (found is None) == (hint is None)
    assert (hint or "") in (found or "")


def test_a_place_that_cannot_be_written(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    check_writable(tmp_path)
    check_writable(tmp_path / "results")
    # Root may write anywhere.
    monkeypatch.setattr("nlmt.workflow.job.os.access", lambda path, mode: path != tmp_path)
    for folder in (tmp_path, tmp_path / "results"):
        with pytest.raises(InputError, match=r"nothing can be written there \(check who owns it"):
            check_writable(folder)


def test_too_little_space_for_a_run(tmp_path, monkeypatch):
    monkeypatch.setattr("shutil.disk_usage", lambda _: SimpleNamespace(free=300_000_000))
    assert space_warning(200, 100, tmp_path) is None
    assert "about 1,334 MB of disk, 1,100 MB of it for temporary files at once (nlmt" in str(
        space_warning(234, 1100, tmp_path)
    )
    assert "and 300 MB are free" in str(space_warning(301, 0, tmp_path))


def test_a_result_is_taken_only_where_all_of_it_is_there(tmp_path: Path) -> None:
    waiting, outputs = tmp_path / "wait", [str(tmp_path / name) for name in ("a", "b")]
    assert not job._has_result_of_another(waiting, "job", [])
    waiting.write_text("job")
    Path(outputs[0]).touch()
    assert not job._has_result_of_another(waiting, "job", outputs)
    Path(outputs[1]).touch()
    assert job._has_result_of_another(waiting, "job", outputs)
    assert not job._has_result_of_another(waiting, "another", outputs)


def test_jobs_are_the_same_if_nothing_differs_on_which_the_result_depends(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    Path("a").write_text("1")
    Path("b").write_text("1")
    os.utime("a", ns=(1, 2))
    one = {"rule": "make", "input": ["a"], "params": {"value": 1}, "output": ["out"]}

    def fingerprint(**other: object) -> str:
        return job._fingerprint(SimpleNamespace(**(one | other)))

    same = fingerprint()
    assert fingerprint(params={"value": "1"}, threads=4, log=["x"]) == same
    others = [{"rule": "do"}, {"input": ["b"]}, {"input": ["none"]}, {"input": []}]
    others += [{"params": {"value": 2}}, {"params": {"other": 1}}, {"output": ["out2"]}]
    assert len({same, *(fingerprint(**other) for other in others)}) == 8
    os.utime("a", ns=(1, 3))
    newer = fingerprint()
    Path("a").write_text("11")
    os.utime("a", ns=(1, 3))
    longer = fingerprint()
    Path("a").unlink()
    assert len({same, newer, longer, fingerprint()}) == 4


def test_all_that_wait_are_answered_unless_they_have_ended(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in ("job[a].log.1.wait", "job[a].log.2.wait", "joba.log.3.wait", "job[a].log.lock"):
        (tmp_path / f".{name}").touch()
    killed = tmp_path / ".job[a].log.4.wait"
    killed.write_text("an earlier job")
    write = Path.write_text

    def only_the_second(path: Path, text: str) -> int:
        if ".1." in path.name:
            raise FileNotFoundError
        return write(path, text)

    monkeypatch.setattr(Path, "write_text", only_the_second)
    job._answer_waiting(tmp_path / "job[a].log", "job")
    assert not killed.exists()
    assert {path.name: path.read_text() for path in tmp_path.iterdir() if path.read_text()} == {
        ".job[a].log.2.wait": "job"
    }


def test_half_written_outputs_go_and_nothing_else(tmp_path: Path) -> None:
    unique = "0123abcd"
    names = [f".1-{unique}.{name}" for name in ("a[b]", "ab", "2.a[b]")]
    names += [f".x-{unique}.a[b]", f"1-{unique}.a[b]", ".1.a[b]", "a[b]"]
    for name in names:
        (tmp_path / name).touch()
    job._remove_half_written([str(tmp_path / "a[b]"), str(tmp_path / "none")])
    assert sorted(path.name for path in tmp_path.iterdir()) == sorted(names[1:])
