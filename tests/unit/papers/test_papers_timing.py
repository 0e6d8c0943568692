"""Repeated timing, by clocks that the tests turn."""

import os
from collections.abc import Callable
from functools import partial

import pytest

from nlmt.papers import timing
from nlmt.papers.timing import TRIES, measure, measure_in_turns, repeat_in_processes, timing_facts


class Machine:
    """Clocks that work turns: each try takes a second of the CPU, and the next of the waits."""

    def __init__(self, waits: list[float]) -> None:
        self.wall, self.cpu, self.waits = 0.0, 0.0, waits
        self.done: list[str] = []

    def prepare(self, name: str = "") -> Callable[[], float]:
        self.wall += 100  # not counted

        def work() -> float:
            self.done.append(name)
            self.cpu += 1
            self.wall += 1 + (self.waits.pop(0) if self.waits else 0)
            return len(self.done)

        return work


@pytest.fixture
def machine(monkeypatch: pytest.MonkeyPatch) -> Machine:
    made = Machine([])
    monkeypatch.setattr(timing.time, "perf_counter", lambda: made.wall)
    monkeypatch.setattr(timing.time, "process_time", lambda: made.cpu)
    monkeypatch.setattr(timing.os, "getloadavg", lambda: (2.5, 0.0, 0.0))
    return made


def test_work_is_timed_without_its_preparation(machine: Machine) -> None:
    machine.waits = [0.05]
    one = measure(machine.prepare)
    assert (one.value, one.seconds, one.cpu_seconds, one.load) == (1, pytest.approx(1.05), 1, 2.5)
    facts = {"seconds": [1.05], "cpu_seconds": [1.0], "load": [2.5], "busy": False}
    assert timing_facts([one]) == facts


def test_a_disturbed_measurement_is_repeated(machine: Machine) -> None:
    machine.waits = [0.5, 0.05]
    one = measure(machine.prepare)
    assert (one.value, len(machine.done)) == (2, 2)
    assert not timing_facts([one])["busy"]


def test_the_least_disturbed_counts_on_a_busy_machine(machine: Machine) -> None:
    machine.waits = [0.9, 0.2, 0.5, 0.0]
    one = measure(machine.prepare)
    assert (one.value, len(machine.done)) == (2, TRIES)
    assert timing_facts([one])["busy"]


def test_passes_go_forth_and_back_after_one_to_warm_up(machine: Machine) -> None:
    works = {name: partial(machine.prepare, name) for name in "abc"}
    timings = measure_in_turns(works, 3)
    assert "".join(machine.done) == "abcabccbaabc"
    assert [one.value for one in timings["a"]] == [4, 9, 10]
    assert [one.value for one in timings["c"]] == [6, 7, 12]


def test_each_repetition_is_in_a_process_of_its_own() -> None:
    found = repeat_in_processes(2, os.getpid)
    assert len({*found, os.getpid()}) == 3
