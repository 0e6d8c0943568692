"""Reading and writing of JSON artefacts, with errors that name file and line."""

import json
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from nlmt.errors import InputError
from nlmt.io.files import check_file, write_text

_HINT = "is it the right file? If so, make it again"
EARLIER = "made by an earlier version; make it again"


def write_json(path: Path | str, value: Any, *, indent: int | None = 2) -> None:
    """Write a value as a JSON file, atomically."""
    write_text(path, json.dumps(value, indent=indent) + "\n")


def read_json(path: Path | str) -> dict[str, Any]:
    """The object in a JSON file.

    It, and each object within it, raises an InputError with the path where a reader asks it for a
    key that it lacks: an earlier version of nlmt wrote the file.

    Raises:
        InputError: no such file, truncated or damaged, or not an object.
    """
    content = read_json_value(path)
    if not isinstance(content, dict):
        raise InputError("not a JSON object", path=path, hint=_HINT)
    return content


def read_json_value(path: Path | str) -> Any:
    """The value in a JSON file, whose objects are as those of `read_json`.

    Raises:
        InputError: no such file, truncated or damaged, or a key comes twice.
    """
    path = check_file(path)
    try:
        text = path.read_text(encoding="utf-8-sig")
        return json.loads(text, object_pairs_hook=lambda pairs: _Object.of(pairs, path))
    except InputError:
        raise
    except json.JSONDecodeError as error:
        what = f"not JSON, or truncated: {error.msg}"
        raise InputError(what, path=path, line=error.lineno, hint=_HINT) from error
    except UnicodeDecodeError as error:
        raise InputError("not UTF-8", path=path, hint=_HINT) from error
    except ValueError as error:  # an integer of thousands of digits
        raise InputError(f"not JSON: {error}", path=path, hint=_HINT) from error
    except RecursionError as error:
        raise InputError("nested too deeply", path=path, hint=_HINT) from error


@contextmanager
def keys_of(path: Path | str | None) -> Iterator[None]:
    """Raise a KeyError from within as `read_json` does, for values computed from a file."""
    try:
        yield
    except KeyError as error:
        raise InputError(f"no {error}", path=path, hint=EARLIER) from error


class _Object(dict[str, Any]):
    """An object of a file, which it names where it lacks a key."""

    __slots__ = ("_path",)
    _path: Path

    @classmethod
    def of(cls, pairs: list[tuple[str, Any]], path: Path) -> "_Object":
        """An object of a file; of a repeated key `json` would take the last value in silence."""
        found = cls(pairs)
        found._path = path
        if len(found) < len(pairs):
            counts = Counter(name for name, _ in pairs)
            twice = next(name for name, times in counts.items() if times > 1)
            raise InputError(f"the key {twice!r} comes twice", path=path, hint="keep one of them")
        return found

    def __missing__(self, key: str) -> Any:
        raise InputError(f"no {key!r}", path=self._path, hint=EARLIER)
