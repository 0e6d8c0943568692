"""The kinds of language models by name, and models of any kind by their paths.

Rules, scripts and the rest of the library know no kind by name.
"""

from nlmt.kinds.registry import (
    KINDS,
    find_language_model,
    load_language_model,
    load_stepping_models,
)

__all__ = ["KINDS", "find_language_model", "load_language_model", "load_stepping_models"]
