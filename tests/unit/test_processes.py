"""Interruptions while a program is being started."""

import signal

import pytest

from nlmt.neural.train.launch import interrupted_by_sigterm
from nlmt.processes import interruption_held


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
@pytest.mark.parametrize("fails", [False, True])
def test_an_interruption_comes_when_the_start_has_ended(
    number: signal.Signals, fails: bool
) -> None:
    before, ended = signal.getsignal(number), []

    @interrupted_by_sigterm()
    @interruption_held()
    def start() -> None:
        signal.raise_signal(number)
        ended.append("start")
        if fails:
            raise FileNotFoundError

    with pytest.raises(KeyboardInterrupt):
        start()
    assert ended
    assert signal.getsignal(number) == before
