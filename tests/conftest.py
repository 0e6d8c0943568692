"""What all tests need."""

import signal

import hypothesis


def pytest_configure() -> None:
    """Let interruptions work where tests run in the background of a shell, which ignores them.

    Examples of a property have no deadline: a busy machine, or a sanitizer, is slow now and then.
    """
    signal.signal(signal.SIGINT, signal.default_int_handler)
    hypothesis.settings.register_profile("nlmt", deadline=None)
    hypothesis.settings.load_profile("nlmt")
