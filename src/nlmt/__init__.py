"""Machine-translation experiments with neural language models."""

import os

from nlmt.instructions import choose_build

__version__ = "0.1.0"

choose_build()
# Before numpy is loaded: its threads sleep while they have nothing to do. By default each of them
# spins for a tenth of a second in every job, whether it has anything to multiply or not.
os.environ.setdefault("OPENBLAS_THREAD_TIMEOUT", "4")
