"""What all tests need."""

import signal


def pytest_configure() -> None:
    """Let interruptions work where tests run in the background of a shell, which ignores them."""
    signal.signal(signal.SIGINT, signal.default_int_handler)
