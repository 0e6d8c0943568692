"""Checks of configuration values, with messages that name file, line and what is allowed."""

import json
import re
from collections.abc import Callable, Iterable, Mapping
from pathlib import Path
from typing import Any, TypeVar, get_args

from pydantic import ValidationError
from pydantic.fields import FieldInfo
from pydantic_core import ErrorDetails

from nlmt.errors import InputError
from nlmt.io.yaml_files import parse_yaml
from nlmt.io.yaml_places import KeyPlaces
from nlmt.registry import closest, load_plugins, nearest, plugin_files
from nlmt.settings import OneOf, Settings

Group = TypeVar("Group", bound=Settings)

# Types of values, by the beginning of pydantic's name of a fault.
_TYPES = {
    "int": "a whole number",
    "float": "a number",
    "bool": "true or false",
    "string": "text",
    "tuple": "a list",
    "list": "a list",
    "dict": "a mapping",
    "model": "a mapping",
}
# Names of the members of a union in the place of a fault, and of faults of values that are no list.
_UNION_MEMBER = re.compile(r"^(str|int|float|bool|constrained-\w+)$|\[|^[A-Z]")
_OF_ONE = ("int", "float", "bool", "string", "greater", "less")
_QUOTED = " (in quotes it is text: leave them out)"


def read_settings(
    group: type[Group],
    values: Mapping[str, Any],
    where: str = "",
    files: Iterable[Path] = (),
    as_written: Callable[[str], str] = str,
) -> Group:
    """Check values and fill in defaults.

    Args:
        group: the definitions.
        values: in the types of YAML or JSON.
        where: key of the group in its file, for messages.
        files: YAML files of the values, where the last one with a key takes precedence: messages
            then name file and line.
        as_written: gives the key of the files for one of the values that is not in them.

    Raises:
        InputError: a line for each fault, with file, key, and what is allowed.
    """
    places = [KeyPlaces(path) for path in files]
    faulty_keys = [fault for place in places for fault in place.faults(where)]
    if faulty_keys:
        raise InputError("\n".join(faulty_keys))
    if plugin_files():
        load_plugins()
        group.model_rebuild(force=True)
    try:
        # Values from Snakemake's command line may have types of their own: reduce them to JSON.
        text = json.dumps(values)
    except (TypeError, ValueError, RecursionError) as error:
        raise InputError(f"{where or 'top level'}: {error}") from error
    try:
        return group.model_validate_json(text, strict=True)
    except ValidationError as error:
        faults = _apart(error.errors(include_url=False, include_context=True))
        found = [_message(group, values, fault, where, places, as_written) for fault in faults]
        raise InputError("\n".join(dict.fromkeys(found))) from None


def _apart(faults: list[ErrorDetails]) -> list[ErrorDetails]:
    """The faults that say something of their own.

    A list that has lost its wrong members is too short; and a value that is of neither of two types
    has a fault for each, of which the one for the form that it has is enough.
    """

    def is_said_by_another(fault: ErrorDetails) -> bool:
        loc = fault["loc"]
        if fault["type"] == "too_short":
            return any(len(one["loc"]) > len(loc) == _shared(one["loc"], loc) for one in faults)
        of_union = bool(loc) and _UNION_MEMBER.search(str(loc[-1])) is not None
        others = [one for one in faults if _shared(one["loc"], loc) == len(loc) - 1]
        is_list, of_one = isinstance(fault["input"], list), fault["type"].startswith(_OF_ONE)
        return of_union and bool(others) and (of_one if is_list else not of_one)

    return [fault for fault in faults if not is_said_by_another(fault)]


def _shared(one: tuple[int | str, ...], other: tuple[int | str, ...]) -> int:
    """Number of parts at the beginning of two places that are equal."""
    return next(
        (i for i, (a, b) in enumerate(zip(one, other, strict=False)) if a != b),
        min(len(one), len(other)),
    )


def _message(
    group: type[Settings],
    values: Mapping[str, Any],
    fault: ErrorDetails,
    where: str,
    places: list[KeyPlaces],
    as_written: Callable[[str], str],
) -> str:
    """A message in one line: place, fault, and what is allowed."""
    keys, owner, field = _place(group, values, fault["loc"])
    reason = _reason(fault, owner, field) + _misnamed(fault["type"], keys, values)
    expanded = ".".join(keys)
    if (written := as_written(expanded)) != expanded:
        keys = written.split(".")
    found = _file_and_line(keys, places)
    prefix = "" if found is None else "{}:{}: ".format(*found)
    key = ".".join([*([where] if where else []), *keys]) or "top level"
    return f"{prefix}{key}: {reason}"


def _misnamed(kind: str, keys: list[str], values: Mapping[str, Any]) -> str:
    """Advice on an incomplete entry, whose name may be that of another one, misspelt."""
    entry = {"missing": keys[:-1], "union_tag_not_found": keys}.get(kind, [])
    section = values.get(entry[0]) if len(entry) == 2 else None
    others = [str(name) for name in section] if isinstance(section, Mapping) else []
    near = closest(entry[1], (name for name in others if name != entry[1])) if others else ""
    return f"; did you mean the entry {near!r}?" if near else ""


def _file_and_line(keys: list[str], places: list[KeyPlaces]) -> tuple[Path, int] | None:
    """The file with most of the nested keys, the last of several, and the line of the last one."""
    depths = [(*place.line(keys), place.path) for place in places]
    depth, line, path = max(reversed(depths), key=lambda one: one[0], default=(0, 0, Path()))
    return (path, line) if depth else None


def located(error: InputError, files: Iterable[Path]) -> InputError:
    """The error, with file and line of the key, such as `systems.nlm`, that it begins with.

    Args:
        error: unchanged if it names a file, or begins with no key of the files.
        files: as of `read_settings`.
    """
    keys = error.what.partition(":")[0].split(".")
    found = _file_and_line(keys, [KeyPlaces(path) for path in files])
    if error.path is not None or found is None:
        return error
    return InputError(error.what, path=found[0], line=found[1], hint=error.hint)


def _place(
    group: type[Settings], values: Any, loc: tuple[int | str, ...]
) -> tuple[list[str], type[Settings] | None, FieldInfo | None]:
    """The meaning of pydantic's name of a place.

    Returns:
        The nested keys, without the names of kinds that pydantic puts between them; the group of
        keys of the place; and the field.
    """
    keys: list[str] = []
    owner: type[Settings] | None = group
    field: FieldInfo | None = None
    for part in loc:
        chosen = None if field is None else _chosen(field, part)
        if chosen is not None and isinstance(values, Mapping) and values.get("kind") == part:
            owner, field = chosen, None  # only once, as the next part may be a key of the same name
            continue
        if isinstance(values, Mapping):
            values = values.get(part)
        elif isinstance(values, list | tuple) and isinstance(part, int) and part < len(values):
            values = values[part]
        elif not isinstance(part, int) and (values is not None or "[" in str(part)):
            continue  # a member of a union, named by its type
        keys.append(str(part))
        if owner is not None and part in owner.model_fields:
            field = owner.model_fields[str(part)]
            owner = _group_within(field.annotation)
    return keys, owner, field


def _group_within(annotation: Any) -> type[Settings] | None:
    if isinstance(annotation, type) and issubclass(annotation, Settings):
        return annotation
    groups = [found for argument in get_args(annotation) if (found := _group_within(argument))]
    return groups[0] if groups else None


def _one_of(annotation: Any, metadata: Iterable[object]) -> OneOf | None:
    """The union of kinds in an annotation."""
    for found in (*metadata, *getattr(annotation, "__metadata__", ())):
        if isinstance(found, OneOf):
            return found
    inner = (_one_of(argument, ()) for argument in get_args(annotation))
    return next((found for found in inner if found is not None), None)


def _kinds(field: FieldInfo | None) -> tuple[str, ...]:
    """The kinds allowed for a field."""
    one_of = None if field is None else _one_of(field.annotation, field.metadata)
    return () if one_of is None else one_of.kinds()


def _chosen(field: FieldInfo, kind: int | str) -> type[Settings] | None:
    """The group of a kind, if the field has kinds."""
    one_of = _one_of(field.annotation, field.metadata)
    if one_of is None or kind not in one_of.kinds():
        return None
    return one_of.group(str(kind))


def _reason(fault: ErrorDetails, owner: type[Settings] | None, field: FieldInfo | None) -> str:
    """The fault of a value, and what is allowed."""
    kind, value, context = fault["type"], fault["input"], fault.get("ctx", {})
    shown = repr(value) if not isinstance(value, dict) else "a mapping"
    if kind == "extra_forbidden":
        name = str(fault["loc"][-1])
        known = () if owner is None else tuple(owner.model_fields)
        return f"unknown key ({nearest(name, known)})"
    if kind == "missing":
        return "this key is missing"
    if kind in ("union_tag_invalid", "union_tag_not_found"):
        names = _kinds(field)
        if kind == "union_tag_not_found":
            return f"the key kind is missing (allowed: {', '.join(names)})"
        return (
            f"kind: {context.get('tag')!r} is not allowed ({nearest(str(context['tag']), names)})"
        )
    if kind in ("literal_error", "enum"):
        names = tuple(re.findall(r"'([^']+)'", str(context["expected"])))
        return f"{shown} is not allowed ({nearest(str(value), names)})"
    limits = {
        "greater_than_equal": ("at least", "ge"),
        "greater_than": ("more than", "gt"),
        "less_than_equal": ("at most", "le"),
        "less_than": ("less than", "lt"),
    }
    if kind in limits:
        word, name = limits[kind]
        return f"{shown} must be {word} {context[name]:g}"
    if kind == "string_pattern_mismatch":
        examples = [] if field is None else field.examples or []
        pattern = context["pattern"]
        form = f"form of {examples[0]}, {pattern}" if examples else f"form {pattern}"
        return f"{shown} does not have the {form}"
    if kind == "too_short":
        return f"{shown} needs at least {context['min_length']}"
    if kind == "value_error":
        return str(context["error"])
    for type_name, wanted in _TYPES.items():
        if kind.startswith(type_name):
            return f"{shown} is not {wanted}{_hint(value, kind)}"
    return f"{shown}: {fault['msg']}"


def _hint(value: object, kind: str) -> str:
    """The likely cause of a wrong type."""
    if not isinstance(value, str):
        return ""
    if value.startswith(("[", "{")):
        try:
            parse_yaml(value)
        except InputError as error:  # Snakemake takes what is no YAML in `--config` as text
            return f" ({error.what})"
        return _QUOTED
    if kind.startswith(("tuple", "list")):
        return f": write [{value}]"
    if found := re.fullmatch(r"([-+]?\d+)(\.\d*)?e([-+]?)(\d{1,3})", value, re.IGNORECASE):
        whole, places, sign, power = found.groups()
        written = f"{whole}{places or '.0'}e{sign or '+'}{power}"
        if kind.startswith("int") and float(value).is_integer():
            written = f"{float(value):.0f}"
        return f" (YAML reads it as text: write {written})"
    if value.replace(".", "", 1).isdigit():
        return _QUOTED
    return ""
