"""What all tests need."""

import signal
from collections.abc import Iterator

import hypothesis
import pytest
from browser import Browser, open_browser


def pytest_configure() -> None:
    """Let interruptions work where tests run in the background of a shell, which ignores them.

    Examples of a property may take any time: a busy machine, a sanitizer or an emulator is slow.
    """
    signal.signal(signal.SIGINT, signal.default_int_handler)
    slow = [hypothesis.HealthCheck.too_slow]
    hypothesis.settings.register_profile("nlmt", deadline=None, suppress_health_check=slow)
    hypothesis.settings.load_profile("nlmt")


@pytest.fixture(scope="session")
def browser(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Browser]:
    """For tests with `needs_browser`."""
    with open_browser(tmp_path_factory.mktemp("profile")) as one:
        yield one
