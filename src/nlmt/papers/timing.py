"""Repeated timing of work on one thread of a machine that should be idle."""

import os
import time
from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass
from multiprocessing import get_context
from operator import attrgetter
from typing import Any, TypeVar, TypeVarTuple

BUSY = 1.1  # wall time over CPU time above which a measurement was disturbed
TRIES = 3  # measurements until one is undisturbed, at most

Work = Callable[[], float]  # does what is timed and returns seconds, or a speed
Prepared = Callable[[], Work]  # does what is not timed, and returns the rest

Key = TypeVar("Key")
Result = TypeVar("Result")
Arguments = TypeVarTuple("Arguments")


@dataclass(frozen=True)
class Timing:
    """One measurement.

    Attributes:
        value: returned by the work.
        seconds: wall time of the work.
        cpu_seconds: CPU time of the process meanwhile, over all its threads.
        load: processes that run or wait on the machine, averaged over a minute (`os.getloadavg`).
    """

    value: float
    seconds: float
    cpu_seconds: float
    load: float

    @property
    def wait(self) -> float:
        """Wall time over CPU time: about 1 on an idle machine."""
        return self.seconds / max(self.cpu_seconds, 1e-9)


def measure(prepare: Prepared) -> Timing:
    """Time work, up to `TRIES` times, each time prepared again, until nothing disturbs it.

    Returns:
        The least disturbed of the tries.
    """
    tried = []
    for _ in range(TRIES):
        tried.append(_timed(prepare()))
        if tried[-1].wait <= BUSY:
            break
    return min(tried, key=attrgetter("wait"))


def _timed(work: Work) -> Timing:
    wall, cpu = time.perf_counter(), time.process_time()
    value = work()
    seconds, cpu_seconds = time.perf_counter() - wall, time.process_time() - cpu
    return Timing(value, seconds, cpu_seconds, os.getloadavg()[0])


def measure_in_turns(works: Mapping[Key, Prepared], repetitions: int) -> dict[Key, list[Timing]]:
    """Time several works in passes over all of them, after one pass to warm up.

    Every second pass is backwards, so that a drift of the machine's speed favours none. The k-th
    timings of all works are of the same pass: they are paired.
    """
    for prepare in works.values():
        prepare()()
    timings: dict[Key, list[Timing]] = {key: [] for key in works}
    for turn in range(repetitions):
        for key in list(works)[:: -1 if turn % 2 else 1]:
            timings[key].append(measure(works[key]))
    return timings


def repeat_in_processes(
    repetitions: int, function: Callable[[*Arguments], Result], *arguments: *Arguments
) -> list[Result]:
    """Call a module's function in a fresh process for each repetition, one after the other.

    Within one process, repetitions would share its memory layout.
    """
    context = get_context("spawn")
    with ProcessPoolExecutor(1, context, max_tasks_per_child=1) as pool:
        return [pool.submit(function, *arguments).result() for _ in range(repetitions)]


def timing_facts(timings: Sequence[Timing]) -> dict[str, Any]:
    """`seconds`, `cpu_seconds` and `load` of each timing; whether one is disturbed, `busy`."""
    names = ("seconds", "cpu_seconds", "load")
    facts = {name: [round(getattr(one, name), 6) for one in timings] for name in names}
    return {**facts, "busy": any(one.wait > BUSY for one in timings)}
