"""Lose power while files are written, and at a checkpoint: prints as JSON what is left of them.

Run with `syncs.cpp` preloaded (test_loss_of_power.py), in an empty folder.
"""

import json
import os
import signal
import sys
import time
from collections.abc import Callable
from itertools import count
from pathlib import Path
from typing import Any

from nlmt.io.files import write_text
from nlmt.neural.train.checkpoints import NAME
from tests.lost_power import forget
from tests.unit.fault_points import content, train

TICK = 0.02  # s, longer than the clock of files stands still
NAMES = ("one", "two")
OLD, NEW = "old\n", "new\n"


def lost(work: Callable[[], object], folder: Path, moment: Callable[[str, Any], bool]) -> bool:
    """Whether power was lost in a process that works in a folder, or after it had ended.

    It is lost before the first call to the system of which `moment` is true, given its event of
    Python's audit and the arguments.
    """
    syncs = Path(os.environ["NLMT_SYNCS"])
    syncs.write_text("")
    began = time.time_ns()
    time.sleep(TICK)
    child = os.fork()
    if child == 0:
        os.chdir(folder)
        sys.addaudithook(
            lambda event, given: (
                os.kill(os.getpid(), signal.SIGKILL) if moment(event, given) else None
            )
        )
        work()
        os._exit(0)
    status = os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])
    assert status in (0, -signal.SIGKILL)
    forget([folder], syncs, began)
    return status != 0


def left(path: Path, former: Path) -> str:
    """Which content a file has: "old", "new" or "damaged"; `former` is a link to the old file."""
    if not path.exists():  # the disk has the name of the old one
        return "old" if former.read_text() == OLD else "damaged"
    return {OLD: "old", NEW: "new"}.get(path.read_text(), "damaged")


def at_each_step(folder: Path, write: Callable[[Path, str], object]) -> list[list[str]]:
    """Lose power before each step of writing two files anew; return what is left of them."""
    found = []
    for step in count(1):
        place, former = folder / str(step), folder / f"{step}.former"
        for one in (place, former):
            one.mkdir(parents=True)
        for name in NAMES:
            write(place / name, OLD)
            (former / name).hardlink_to(place / name)
        steps = iter(range(1, step))

        def work() -> None:
            for name in NAMES:
                write(Path(name), NEW)

        def moment(event: str, _: Any, steps: Any = steps) -> bool:
            return event in ("open", "os.rename") and next(steps, None) is None

        went_on = not lost(work, place, moment)
        found.append([left(place / name, former / name) for name in NAMES])
        if went_on:
            return found
    raise AssertionError


def at_the_second_checkpoint(folder: Path) -> dict[str, Any]:
    """Training that loses power when its second checkpoint has a name, and resumes."""
    whole, place = folder / "whole", folder / "lost"
    for one in (whole, place):
        (one / "results").mkdir(parents=True)
    checkpoints: list[bool] = []

    def moment(event: str, given: Any) -> bool:
        if event == "os.rename" and str(given[1]).endswith(f"/{NAME}"):
            checkpoints.append(True)
        return event == "open" and len(checkpoints) == 2

    was_lost = lost(train, place, moment)
    found = sorted(path.name for path in place.rglob("checkpoint*"))
    for lock in place.rglob(".lock"):
        lock.unlink()  # else training waits five minutes for a sign of life
    statuses = []
    for one in (place, whole):
        os.chdir(one)
        statuses.append(train())
    return {
        "lost": was_lost,
        "found": found,
        "statuses": statuses,
        "same": content(place) == content(whole),
    }


def main() -> None:
    """Print what is left by atomic writers, by plain ones, and of training."""
    folder = Path.cwd()
    found = {
        "atomic": at_each_step(folder / "atomic", write_text),
        "plain": at_each_step(folder / "plain", Path.write_text),
        "training": at_the_second_checkpoint(folder / "training"),
    }
    (folder / "found.json").write_text(json.dumps(found))


if __name__ == "__main__":
    main()
