"""Parts of one kind by name: output layers, language models, tuners, corpora, papers.

A part of the project is registered by one line in its package; a part of a user's own by a Python
file that the environment variable `NLMT_PLUGINS`, or the key `plugins` of the configuration, names.
"""

import difflib
import hashlib
import importlib
import importlib.util
import os
import sys
from collections.abc import Iterable, Iterator, Mapping
from functools import cache
from pathlib import Path
from typing import Generic, TypeVar, cast

from nlmt.errors import InputError

PLUGINS = "NLMT_PLUGINS"  # paths of Python files, separated as those of PATH

Part = TypeVar("Part")


class Registry(Generic[Part]):
    """Parts by name.

    A part is given as it is, or as "module:attribute" and imported when it is first asked for, so
    that a part that is not used costs no start-up time.
    """

    def __init__(self, what: str, parts: Mapping[str, Part | str]) -> None:
        self._what = what
        self._parts = dict(parts)

    def register(self, name: str, part: Part) -> None:
        """Add a part.

        Raises:
            InputError: there is another one of that name.
        """
        if self._parts.get(name, part) != part:
            raise InputError(f"two parts are registered as {self._what} {name!r}")
        self._parts[name] = part

    def names(self) -> tuple[str, ...]:
        """All names, those of plugins last."""
        load_plugins()
        return tuple(self._parts)

    def loaded(self) -> tuple[str, ...]:
        """The names so far; plugins are not imported for it, as modules ask while they load."""
        return tuple(self._parts)

    def get(self, name: str) -> Part:
        """The part of that name.

        Raises:
            InputError: there is none; names those that there are.
        """
        if name not in self._parts:
            load_plugins()
        if name not in self._parts:
            raise InputError(f"unknown {self._what} {name!r}", hint=nearest(name, self._parts))
        part = self._parts[name]
        if isinstance(part, str):
            module, _, attribute = part.partition(":")
            part = cast(Part, getattr(importlib.import_module(module), attribute))
            self._parts[name] = part
        return part

    def items(self) -> Iterator[tuple[str, Part]]:
        """Names and parts."""
        return ((name, self.get(name)) for name in self.names())


def nearest(name: str, known: Mapping[str, object] | tuple[str, ...]) -> str:
    """What to write instead of an unknown name: the nearest match, then all that is allowed."""
    near = difflib.get_close_matches(str(name), list(known), n=1)
    guess = f"did you mean {near[0]!r}? " if near else ""
    return f"{guess}allowed: {', '.join(known) or 'none'}"


def plugin_files() -> list[Path]:
    """The Python files that `NLMT_PLUGINS` names."""
    return [Path(name) for name in os.environ.get(PLUGINS, "").split(os.pathsep) if name]


def use_plugins(paths: Iterable[Path | str]) -> None:
    """Have this process, and those that it starts, use the plugins of these files."""
    files = [*plugin_files(), *(Path(path).resolve() for path in paths)]
    os.environ[PLUGINS] = os.pathsep.join(dict.fromkeys(map(str, files)))


def load_plugins() -> None:
    """Import the user's own parts, which register themselves; each file once in a process.

    Raises:
        InputError: a file is missing or cannot be imported.
    """
    for path in plugin_files():
        _load(path.resolve())


@cache
def _load(path: Path) -> None:
    if not path.is_file():
        raise InputError("no such plugin", path=path, hint=f"see the key plugins or {PLUGINS}")
    # Two files may have one name: the module's has the path in it.
    name = f"nlmt_plugin_{path.stem}_{hashlib.sha256(bytes(path)).hexdigest()[:8]}"
    if name in sys.modules:
        return  # a plugin that asks for the names of parts while it is being imported
    spec = importlib.util.spec_from_file_location(name, path)
    if spec is None or spec.loader is None:
        raise InputError("not a Python file", path=path, hint="give it a name that ends with .py")
    module = importlib.util.module_from_spec(spec)
    sys.modules[name] = module
    try:
        spec.loader.exec_module(module)
    except InputError:
        del sys.modules[name]
        raise
    except Exception as error:
        del sys.modules[name]
        what = f"this plugin cannot be imported: {type(error).__name__}: {error}"
        raise InputError(what, path=path) from error
