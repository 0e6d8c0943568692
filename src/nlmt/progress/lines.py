"""The display of a run as lines of text."""

from nlmt.progress.run import Job, Run
from nlmt.steps import clock

_RUNNING_NAME = 40


def left(run: Run) -> str:
    """Return the time left in words; empty at the end, or if it is not known."""
    seconds = run.time_left()
    if seconds is None or run.done == run.total:
        return ""
    return f"about {clock(seconds)} left" if seconds >= 1 else "nearly done"


def summary(run: Run) -> str:
    """Return the state of the run in one line."""
    parts = [f"{run.done} of {run.total} jobs", clock(run.now()), left(run)]
    return ", ".join(part for part in parts if part)


def display(run: Run) -> list[str]:
    """Return the summary, a line for each stage, and a line for each running job."""
    lines = [summary(run)]
    running = {job.stage for job in run.running.values()}
    for stage, (done, total) in run.stages().items():
        mark = "x" if done == total else ">" if stage in running else " "
        lines.append(f" [{mark}] {stage:18} {done:4} of {total}")
    return lines + [_job(run, job) for job in run.running.values() if job.log]


def _job(run: Run, job: Job) -> str:
    elapsed = clock(run.now() - job.began)
    expected = "" if job.expected is None else f" of {clock(job.expected)}"
    name = f"{job.rule} {job.name}"
    return f"  {elapsed + expected:>14}  {name:{_RUNNING_NAME}}  {job.says()}".rstrip()
