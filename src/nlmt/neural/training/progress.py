"""What a person sees while a model is trained."""

import logging
import sys
import time

from nlmt.runlog import logs_only

# Without a terminal a line is written now and then.
LOG_SECONDS = 20.0
TERMINAL_SECONDS = 0.2


class ProgressLine:
    """One line that is written over on a terminal; lines from time to time in a log.

    Of several processes that train together only the first is not `quiet`.
    """

    def __init__(self, *, quiet: bool = False) -> None:
        self._quiet = quiet
        self._terminal = sys.stderr.isatty() and not logs_only()
        self._last = time.monotonic()

    def show(self, text: str) -> None:
        """Say where things stand, not too often."""
        now = time.monotonic()
        if self._quiet or now - self._last < (TERMINAL_SECONDS if self._terminal else LOG_SECONDS):
            return
        self._last = now
        if self._terminal:
            sys.stderr.write(f"\r\x1b[K{text}")
            sys.stderr.flush()
        else:
            logging.info("%s", text)

    def say(self, text: str) -> None:
        """Say what stays to be read."""
        if self._quiet:
            return
        if self._terminal:
            sys.stderr.write("\r\x1b[K")
        logging.info("%s", text)
