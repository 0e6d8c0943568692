"""Places of the keys of a YAML file, for messages."""

from collections.abc import Iterator
from pathlib import Path

import yaml

from nlmt.errors import InputError
from nlmt.io.yaml_files import check_nodes, compose_yaml

_MERGE = "tag:yaml.org,2002:merge"
_BOOL = "tag:yaml.org,2002:bool"


class KeyPlaces:
    """The line numbers of the keys of a YAML file."""

    def __init__(self, path: Path) -> None:
        self.path = path
        try:
            self._root = compose_yaml(path.read_text(encoding="utf-8"))
        except (OSError, UnicodeDecodeError, yaml.YAMLError, RecursionError):
            self._root = None
        check_nodes(self._root, path)

    def line(self, keys: list[str]) -> tuple[int, int]:
        """The number of nested keys that exist, and the line of the last one."""
        node, depth, line = self._root, 0, 1
        for key in keys:
            found = None
            if isinstance(node, yaml.MappingNode):
                found = next((pair for pair in node.value if pair[0].value == key), None)
                if found is not None:
                    line, node = found[0].start_mark.line + 1, found[1]
            elif isinstance(node, yaml.SequenceNode) and key.isdigit():
                found = node = next(iter(node.value[int(key) :]), None)
                line = line if found is None else found.start_mark.line + 1
            if found is None:
                break
            depth += 1
        return depth, line

    def faults(self, where: str = "") -> Iterator[str]:
        """Yield a message for each key that its mapping has twice, or that is true or false."""
        yield from self._faults(self._root, [where] if where else [], set())

    def _faults(self, node: yaml.Node | None, keys: list[str], done: set[int]) -> Iterator[str]:
        if not isinstance(node, yaml.CollectionNode) or id(node) in done:
            return
        done.add(id(node))  # an alias is the same node again, or one that it is in
        if isinstance(node, yaml.SequenceNode):
            for number, item in enumerate(node.value):
                yield from self._faults(item, [*keys, str(number)], done)
            return
        seen: set[tuple[str, str]] = set()
        for key, value in node.value:
            place = [*keys, str(key.value)]
            # `<<` may stand twice: both mappings are merged.
            if isinstance(key, yaml.ScalarNode) and key.tag != _MERGE:
                where = f"{self.path}:{key.start_mark.line + 1}: {'.'.join(place)}"
                if (key.tag, key.value) in seen:
                    yield f"{where}: this key comes twice"
                elif key.tag == _BOOL:  # such as no, the code of Norwegian
                    what = f"YAML reads this key as true or false: write '{key.value}', in quotes"
                    yield f"{where}: {what}"
                seen.add((key.tag, key.value))
            yield from self._faults(value, place, done)


def check_keys(path: Path) -> None:
    """Refuse a YAML file with keys that YAML's readers silently drop or take for another value.

    Raises:
        InputError: a line for each such key; or as `check_nodes`.
    """
    faults = list(KeyPlaces(path).faults())
    if faults:
        raise InputError("\n".join(faults))


def line_of(path: Path, *keys: str) -> int:
    """The line of nested keys in a YAML file; a number is a place in a list."""
    return KeyPlaces(path).line(list(keys))[1]
