"""The examples of the documentation as plugins, which no other test sees."""

import os
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

from nlmt import registry
from nlmt.registry import Registry

EXAMPLES = Path(__file__).parent / "examples"


@contextmanager
def example_plugins(names: list[str], registries: list[Registry[Any]]) -> Iterator[None]:
    """Use files of tests/examples as plugins; the registries forget them at the end."""
    with pytest.MonkeyPatch.context() as patch:
        for parts in registries:
            patch.setattr(parts, "_parts", dict(parts._parts))
        paths = (str(EXAMPLES / f"{name}.py") for name in names)
        patch.setenv(registry.PLUGINS, os.pathsep.join(paths))
        registry._load.cache_clear()
        yield
    registry._load.cache_clear()
    for name in [name for name in sys.modules if name.startswith(registry.PLUGIN)]:
        del sys.modules[name]
