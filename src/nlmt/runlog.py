"""Where a workflow script's messages go: its log file and the terminal."""

import logging
import sys
import time
import traceback
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from nlmt.errors import InputError


@contextmanager
def log_to_file(path: Path | str) -> Iterator[None]:
    """Send logging to `path` (and to the terminal); end the script with one line on an error.

    A user's error (`InputError`, a full disk, a missing file) is printed without a traceback and
    the script exits with status 1; the traceback of any other error stands in the log.
    """
    path = Path(path)
    path.parent.mkdir(parents=True, exist_ok=True)
    handler = logging.FileHandler(path, mode="w", encoding="utf-8")
    formatter = logging.Formatter("%(asctime)s %(message)s", "%H:%M:%S")
    formatter.converter = time.gmtime
    terminal = logging.StreamHandler(sys.stderr)
    for one in (handler, terminal):
        one.setFormatter(formatter)
    logging.basicConfig(level=logging.INFO, handlers=[handler, terminal], force=True)
    try:
        yield
    except (InputError, OSError) as error:
        logging.error("error: %s", error)
        sys.exit(1)
    except Exception:
        logging.error("%s", traceback.format_exc())
        raise
    finally:
        handler.close()
