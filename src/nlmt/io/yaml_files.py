"""YAML of the user: the values that JSON has, too, and not many more than its text shows."""

import re
from pathlib import Path
from typing import Any

import yaml
from yaml.composer import Composer

from nlmt.errors import InputError

# The default configuration has 5,000 values, not ten deep; a few lines of aliases have billions.
MOST_VALUES = 100_000
DEEPEST = 100
_LONGEST_NUMBER = 300  # characters of a whole number; more is beyond floating point

_TAG = "tag:yaml.org,2002:"
_KNOWN = {
    f"{_TAG}{name}" for name in ("str", "int", "float", "bool", "null", "merge", "map", "seq")
}
# Octal and base 60, which few mean by 010 and 1:30.
_OLD_NUMBER = re.compile(r"[-+]?(0[0-7_]+|[0-9][0-9_]*(:[0-5]?[0-9])+(\.[0-9_]*)?)")
_NAMES = {f"{_TAG}timestamp": "a date or time", f"{_TAG}binary": "binary data"}
_ALLOWED = "allowed: text (in quotes), numbers, true, false, null, lists and mappings"


def parse_yaml(text: str, path: Path | None = None) -> Any:
    """Return the value of a YAML text.

    `path` is the text's place in messages.

    Raises:
        InputError: it is not YAML, or as `check_nodes`.
    """
    try:
        root = compose_yaml(text)
        check_nodes(root, path)
        return None if root is None else yaml.SafeLoader("").construct_document(root)
    except InputError:
        raise
    except yaml.YAMLError as error:
        mark = getattr(error, "problem_mark", None)
        what = getattr(error, "problem", None) or error  # a character that YAML forbids has no mark
        line = None if mark is None else mark.line + 1
        raise InputError(_not_yaml(what), path=path, line=line) from error
    except Exception as error:  # conversions fail in many ways: !!int x, !!bool x, !!float ''
        raise InputError(_not_yaml(error), path=path) from error


class _Composer(yaml.CSafeLoader, Composer):
    """Composes the events of libyaml, in an eighth of the time of PyYAML's own parser.

    Not by libyaml's composer, which deep nesting lets run out of its stack.
    """

    def __init__(self, text: str) -> None:
        yaml.CSafeLoader.__init__(self, text)
        Composer.__init__(self)


def compose_yaml(text: str) -> yaml.Node | None:
    """The nodes of a YAML text, before any value is made of them; None where it has none.

    Raises:
        yaml.YAMLError: it is not YAML.
        RecursionError: it is nested too deep.
    """
    try:
        return Composer.get_single_node(_Composer(text))
    except yaml.YAMLError:
        return yaml.compose(text, Loader=yaml.SafeLoader)  # its messages say more


def _not_yaml(what: object) -> str:
    if r"'\t'" in str(what):
        return "not YAML: a tab; YAML is indented with spaces"
    return f"not YAML: {' '.join(str(what).split())}"


def check_nodes(root: yaml.Node | None, path: Path | None) -> None:
    """Refuse YAML values that no key can take: dates, or aliases that expand without end.

    The nodes are those before any value is made of them; an alias is the same node again.

    Raises:
        InputError: a value that JSON does not have, or too many values or levels.
    """
    waiting = [] if root is None else [(root, 0)]
    found = 0
    while waiting:
        node, depth = waiting.pop()
        found += 1
        if found > MOST_VALUES or depth > DEEPEST:
            most = f"{MOST_VALUES:,} values" if found > MOST_VALUES else f"{DEEPEST} levels"
            raise InputError(
                f"more than {most}, counting an alias as what it stands for", path=path
            )
        fault = _fault(node)
        if fault:
            raise InputError(fault, path=path, line=node.start_mark.line + 1, hint=_ALLOWED)
        if isinstance(node, yaml.CollectionNode):
            pairs = isinstance(node, yaml.MappingNode)
            inner = [one for pair in node.value for one in pair] if pairs else node.value
            waiting += ((one, depth + 1) for one in reversed(inner))


def _fault(node: yaml.Node) -> str:
    """The fault of a node itself; empty if it has none."""
    shown = f"{node.value} is " if isinstance(node, yaml.ScalarNode) else ""
    if node.tag not in _KNOWN:
        return shown + _NAMES.get(node.tag, f"a value of the type {node.tag.removeprefix(_TAG)}")
    if node.tag == f"{_TAG}int" and len(node.value) > _LONGEST_NUMBER:
        return f"{shown}too large a number"
    if node.tag in (f"{_TAG}int", f"{_TAG}float") and _OLD_NUMBER.fullmatch(node.value):
        return f"{shown}{yaml.safe_load(node.value)} to YAML"
    return ""
