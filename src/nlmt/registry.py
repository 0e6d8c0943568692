"""Registries of parts by name: output layers, language models, tuners, corpora, papers.

A part of the project is registered by one line in its package, a user's own part by a Python file
named in the environment variable `NLMT_PLUGINS` or the configuration's key `plugins`.
"""

import difflib
import hashlib
import importlib
import importlib.util
import os
import sys
from collections.abc import Collection, Iterable, Iterator, Mapping
from functools import cache
from pathlib import Path
from typing import Generic, TypeVar, cast

from nlmt.errors import InputError

PLUGINS = "NLMT_PLUGINS"  # paths of Python files, separated like those of PATH
PLUGIN = "nlmt_plugin_"  # how the names of their modules begin

Part = TypeVar("Part")


class Registry(Generic[Part]):
    """Parts by name.

    A part is given as an object, or as "module:attribute", which is imported on first use, so that
    an unused part costs no start-up time.
    """

    def __init__(self, what: str, parts: Mapping[str, Part | str]) -> None:
        self._what = what
        self._parts = dict(parts)

    def register(self, name: str, part: Part) -> None:
        """Add a part.

        Raises:
            InputError: there is another part of this name.
        """
        if self._parts.get(name, part) != part:
            raise InputError(f"two parts are registered as {self._what} {name!r}")
        self._parts[name] = part

    def names(self) -> tuple[str, ...]:
        """All names, plugins' last."""
        load_plugins()
        return tuple(self._parts)

    def loaded(self) -> tuple[str, ...]:
        """The names so far, without importing plugins, for use while modules load."""
        return tuple(self._parts)

    def get(self, name: str) -> Part:
        """The part of this name.

        Raises:
            InputError: there is none; names the existing ones.
        """
        if name not in self._parts:
            load_plugins()
            check_name(name, self._parts, f"unknown {self._what}")
        part = self._parts[name]
        if isinstance(part, str):
            module, _, attribute = part.partition(":")
            part = cast(Part, getattr(importlib.import_module(module), attribute))
            self._parts[name] = part
        return part

    def items(self) -> Iterator[tuple[str, Part]]:
        """Names and parts."""
        return ((name, self.get(name)) for name in self.names())


def closest(name: str, known: Iterable[str]) -> str:
    """The known name that is most like a name; empty if none is near."""
    return next(iter(difflib.get_close_matches(name, list(known), n=1)), "")


def nearest(name: str, known: Mapping[str, object] | tuple[str, ...]) -> str:
    """Advice on an unknown name: the nearest match, then all allowed names."""
    near = closest(str(name), known)
    guess = f"did you mean {near!r}? " if near else ""
    return f"{guess}allowed: {', '.join(known) or 'none'}"


def check_name(name: str, known: Collection[str], what: str) -> None:
    """Refuse an unknown name, by a message that begins with `what`."""
    if name not in known:
        raise InputError(f"{what} {name!r}", hint=nearest(name, tuple(known)))


def plugin_files() -> list[Path]:
    """The Python files named in `NLMT_PLUGINS`."""
    return [Path(name) for name in os.environ.get(PLUGINS, "").split(os.pathsep) if name]


def use_plugins(paths: object) -> None:
    """Make this process, and those that it starts, use the plugins of these files.

    Args:
        paths: value of the key `plugins`, not checked yet: what is no list of texts is left out.
    """
    given = [path for path in paths if isinstance(path, str)] if isinstance(paths, list) else []
    files = [*plugin_files(), *(Path(path).resolve() for path in given)]
    os.environ[PLUGINS] = os.pathsep.join(dict.fromkeys(map(str, files)))


def load_plugins() -> None:
    """Import the user's own parts, which register themselves, each file once per process.

    Raises:
        InputError: a file is missing or cannot be imported.
    """
    for path in plugin_files():
        _load(path.resolve())


@cache
def _load(path: Path) -> None:
    if not path.is_file():
        raise InputError("no such plugin", path=path, hint=f"see the key plugins or {PLUGINS}")
    # Two files may have the same name, so the module's name contains the path.
    name = f"{PLUGIN}{path.stem}_{hashlib.sha256(bytes(path)).hexdigest()[:8]}"
    if name in sys.modules:
        return  # a plugin that requests names of parts during its import
    spec = importlib.util.spec_from_file_location(name, path)
    if spec is None or spec.loader is None:
        raise InputError("not a Python file", path=path, hint="give it a name that ends with .py")
    module = importlib.util.module_from_spec(spec)
    sys.modules[name] = module
    try:
        spec.loader.exec_module(module)
    except Exception as error:
        del sys.modules[name]
        what = str(error) if isinstance(error, InputError) else f"{type(error).__name__}: {error}"
        raise InputError(f"this plugin cannot be imported: {what}", path=path) from error
