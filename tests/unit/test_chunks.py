"""Work in pieces: in order, with few pieces at a time."""

import pytest

from nlmt.chunks import in_chunks, ordered_map


def double(number: int) -> int:
    if number == 13:
        raise ValueError("thirteen")
    return 2 * number


@pytest.mark.parametrize("threads", [1, 2])
@pytest.mark.parametrize("count", [0, 1, 2])
def test_results_come_in_order(threads: int, count: int) -> None:
    assert list(ordered_map(double, range(count), threads)) == [2 * n for n in range(count)]


@pytest.mark.parametrize("threads", [1, 2])
def test_an_error_reaches_the_caller(threads: int) -> None:
    with pytest.raises(ValueError, match="thirteen"):
        list(ordered_map(double, range(40), threads))


@pytest.mark.parametrize("threads", [1, 2])
def test_tasks_are_taken_as_they_are_worked_on(threads: int) -> None:
    taken = []

    def tasks():
        for number in range(12):
            taken.append(number)
            yield number

    results = ordered_map(double, tasks(), threads)
    assert next(results) == 0
    assert len(taken) <= {1: 2, 2: 7}[threads]
    assert list(results) == [2 * number for number in range(1, 12)]


def test_chunks() -> None:
    assert list(in_chunks(range(7), 3)) == [[0, 1, 2], [3, 4, 5], [6]]
    assert list(in_chunks([], 3)) == []
