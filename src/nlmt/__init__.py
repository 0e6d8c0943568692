"""Machine-translation experiments with neural language models."""

import importlib
import os
from typing import Any

from nlmt.instructions import choose_build

__version__ = "0.1.0"

choose_build()
# Set before numpy is loaded: its threads sleep while idle. By default each of them spins for a
# tenth of a second in every job, even if there is nothing to multiply.
os.environ.setdefault("OPENBLAS_THREAD_TIMEOUT", "4")


def __getattr__(name: str) -> Any:
    """The class `Translator`, with which all libraries are loaded, once it is asked for."""
    if name == "Translator":
        return importlib.import_module("nlmt.translation").Translator
    raise AttributeError(f"module 'nlmt' has no attribute {name!r}")
