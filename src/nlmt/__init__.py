"""Machine-translation experiments with neural language models."""

import os

from nlmt.instructions import choose_build

__version__ = "0.1.0"

choose_build()
# Set before numpy is loaded: its threads sleep while idle. By default each of them spins for a
# tenth of a second in every job, even if there is nothing to multiply.
os.environ.setdefault("OPENBLAS_THREAD_TIMEOUT", "4")
