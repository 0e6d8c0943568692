"""Machine-translation experiments with neural language models."""

__version__ = "0.1.0"
