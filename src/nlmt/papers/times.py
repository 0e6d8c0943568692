"""Cells that show times and speeds, measured with nothing else running (`nlmt.papers.speed`)."""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from nlmt.io.json_files import read_json
from nlmt.papers.quantities import (
    Quantity,
    combined,
    number_of,
    of_first_run,
    of_system,
    share_of_requests,
)
from nlmt.papers.results import Measurement, mean_over


def training_time(model: str) -> Quantity:
    """The time of a neural model's whole training on one thread of an idle machine.

    It is that of all tokens of all epochs at the speed of each repetition.
    """
    return _time_of_tokens(model, "seconds", ("metrics.json", "speed.json"), "tokens")


def epoch_time(model: str) -> Quantity:
    """The time of an epoch of a neural model's training on one thread of an idle machine.

    It does not depend on the epoch at which training ended, unlike the time of the whole.
    """
    return _time_of_tokens(model, "seconds an epoch", ("speed.json",), "epoch_tokens")


def _time_of_tokens(model: str, unit: str, files: Sequence[str], key: str) -> Quantity:
    """The time of training on the tokens that the first file counts, by the speed of the last."""

    def read(paths: Sequence[Path]) -> Measurement:
        tokens, facts = number_of(paths[0], key), read_json(paths[-1])
        times = [tokens / speed for speed in facts["tokens_per_second"]]
        return timed_cell(times, facts, busy=facts["busy"])

    return of_first_run(model, unit, files, read)


def training_speed(model: str) -> Quantity:
    """The speed of a neural model's training on one thread of an idle machine."""

    def read(paths: Sequence[Path]) -> Measurement:
        facts = read_json(paths[0])
        return timed_cell(facts["tokens_per_second"], facts, busy=facts["busy"])

    return of_first_run(model, "tokens a second", ("speed.json",), read)


def rescoring_speed(system: str, way: str) -> Quantity:
    """The speed of a system that rescores, in n-grams requested from the model.

    `way` groups the requests: `apart`, `ngrams` or `contexts` (`nlmt.papers.speed`).
    """

    def read(path: Path) -> Measurement:
        facts = read_json(path)
        busy = facts["timing"][way]["busy"]
        return timed_cell(facts["requests_per_second"][way], facts, busy=busy)

    return of_system(system, "requests a second", f"rescore/{system}/speed.json", read)


def evaluated_share(system: str, way: str) -> Quantity:
    """The share of a rescoring system's requests that are evaluated, in per cent.

    Equal `ngrams` or `contexts`, by `way`, are evaluated once.
    """
    path = f"rescore/{system}/speed.json"
    return of_system(system, "%", path, lambda path: share_of_requests(path, way))


def decoding_time(system: str, *, again: bool = False) -> Quantity:
    """The time of a system per sentence, on one thread of an idle machine.

    With `again` the text was translated before, so that scores of neural models are cached.
    """

    def read(path: Path) -> Measurement:
        facts = read_json(path)
        return timed_cell(facts["seconds_a_sentence"], facts, busy=facts["busy"])

    path = f"decode/{system}/{'speed_again' if again else 'speed'}.json"
    return of_system(system, "seconds a sentence", path, read)


def decoding_speed_up(system: str, other: str) -> Quantity:
    """The decoding speed of a system relative to another one's."""

    def ratio(found: Sequence[Measurement]) -> Measurement:
        own, others = found
        note = own.note or others.note
        return Measurement(others.value / own.value, machine=own.machine, note=note)

    return combined(system, "times", [decoding_time(system), decoding_time(other)], ratio)


def timed_cell(values: Sequence[float], facts: Mapping[str, Any], *, busy: bool) -> Measurement:
    """The mean of the repetitions of a time or speed, as verdicts have it.

    `facts` describe the machine. The note says where it was `busy`: other processes disturbed the
    measurement (`nlmt.papers.timing`).
    """
    threads = facts["threads"]
    machine = f"{threads} thread{'s' if threads > 1 else ''} of {facts['processor']}"
    return replace(mean_over(values), machine=machine, note="busy machine" if busy else "")
