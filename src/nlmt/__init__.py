"""Machine-translation experiments with neural language models."""

from nlmt.instructions import choose_build

__version__ = "0.1.0"

choose_build()
