"""Texts generated from the definitions of configuration keys: JSON schemas, Markdown, help."""

import json
import re
import textwrap
from collections.abc import Iterator
from dataclasses import dataclass
from types import NoneType, UnionType
from typing import Annotated, Any, Literal, Union, get_args, get_origin

from annotated_types import Ge, Gt, Le, Lt
from pydantic.fields import FieldInfo
from pydantic_core import PydanticUndefined

from nlmt.settings import NameIn, OneOf, Settings

TYPES = {int: "whole number", float: "number", str: "text", bool: "true or false"}
TABLE = "| key | default | allowed | meaning |\n| --- | --- | --- | --- |"


@dataclass(frozen=True)
class Key:
    """The documentation of a key.

    Attributes:
        name: in YAML.
        default: its value if left out; empty for a required key.
        allowed: values or type, range and unit.
        description: one or more sentences, with their source.
        groups: groups of keys within it, by heading.
    """

    name: str
    default: str
    allowed: str
    description: str
    groups: dict[str, type[Settings]]


def keys_of(group: type[Settings]) -> Iterator[Key]:
    """All keys of a group."""
    schema = group.model_json_schema(by_alias=True).get("properties", {})
    for name, field in group.model_fields.items():
        extra = field.json_schema_extra if isinstance(field.json_schema_extra, dict) else {}
        parts = [_allowed(field.annotation, field.metadata), _range(field)]
        allowed = ", ".join(part for part in parts if part)
        if extra.get("unit"):
            allowed += f" ({extra['unit']})"
        description = field.description or ""
        only_with = schema[field.alias or name].get("x-only-with")
        if only_with:
            description += f" Only with {only_with}."
        if extra.get("source"):
            description += f" Source: {extra['source']}."
        key = field.alias or name
        groups = _groups(key, field.annotation, field.metadata)
        yield Key(key, _default(field), allowed, description, groups)


def json_schema(group: type[Settings], title: str, *, whole: bool = True) -> str:
    """The JSON schema of a YAML file, for editors.

    Args:
        group: the keys.
        title: of the schema.
        whole: whether the file must have all keys without defaults; False: it overrides another
            one.
    """
    schema = group.model_json_schema(by_alias=True)
    if not whole:
        schema.pop("required", None)
    schema = {"$schema": "https://json-schema.org/draft/2020-12/schema"} | schema
    return json.dumps(schema | {"title": title}, indent=1, ensure_ascii=False) + "\n"


def markdown(group: type[Settings], heading: str) -> str:
    """A section with a table of the keys of a group, then sections of the groups within it."""
    sections: list[str] = []
    seen: set[type[Settings]] = set()
    waiting = [(heading, group)]
    while waiting:
        title, one = waiting.pop(0)
        if one in seen:
            continue
        seen.add(one)
        keys = list(keys_of(one))
        rows = [
            f"| `{key.name}` | {_code(key.default)} | {_cell(key.allowed)} | "
            f"{_cell(key.description)} |"
            for key in keys
        ]
        text = escaped(" ".join((one.__doc__ or "").split()))
        sections.append("\n".join([f"## {title}", "", text, "", TABLE, *rows]))
        waiting = [
            (f"{title}, {name}" if title != heading else name, within)
            for key in keys
            for name, within in key.groups.items()
        ] + waiting
    return "\n\n".join(sections) + "\n"


def help_text(group: type[Settings], width: int = 100) -> str:
    """A paragraph for each key, for `--help`."""
    paragraphs = []
    for key in keys_of(group):
        default = f" = {key.default}" if key.default else ""
        head = f"  {key.name}{default}  [{key.allowed}]"
        body = textwrap.fill(key.description, width - 6)
        paragraphs.append(f"{head}\n{textwrap.indent(body, ' ' * 6)}")
    return "\n".join(paragraphs) + "\n"


def _default(field: FieldInfo) -> str:
    if field.default is PydanticUndefined or field.default is ...:
        return ""
    return _value(field.default)


def _value(value: Any) -> str:
    if value is None:
        return "null"
    if isinstance(value, bool):
        return str(value).lower()
    if isinstance(value, Settings):
        return ""
    if isinstance(value, tuple | list):
        return "[" + ", ".join(map(_value, value)) + "]"
    if isinstance(value, dict):
        return "{}" if not value else json.dumps(value)
    return f"{value:g}" if isinstance(value, float) else str(value)


def _allowed(annotation: Any, metadata: Any = ()) -> str:
    """A type in words."""
    origin, arguments = get_origin(annotation), get_args(annotation)
    for one in metadata:
        if isinstance(one, NameIn):
            return ", ".join(one.names())
        if isinstance(one, OneOf):
            return "settings of kind " + ", ".join(one.kinds())
    if origin is Annotated:
        return _allowed(arguments[0], arguments[1:])
    if origin is Literal:
        return ", ".join(map(str, arguments))
    if origin in (Union, UnionType):
        parts = [_allowed(one) for one in arguments if one is not NoneType]
        return " or ".join([*dict.fromkeys(parts), *(["null"] if NoneType in arguments else [])])
    if origin is tuple:
        return f"list of {_allowed(arguments[0])}"
    if origin is dict:
        return f"mapping from name to {_allowed(arguments[1])}"
    if isinstance(annotation, type) and issubclass(annotation, Settings):
        return "settings below"
    return TYPES.get(annotation, "anything")


def _range(field: FieldInfo) -> str:
    """The limits of a number."""
    words = {Ge: "at least", Gt: "more than", Le: "at most", Lt: "less than"}
    limits = []
    for one in field.metadata:
        for kind, word in words.items():
            if isinstance(one, kind):
                limits.append(f"{word} {getattr(one, kind.__name__.lower()):.10g}")
    return ", ".join(limits)


def _groups(key: str, annotation: Any, metadata: Any = ()) -> dict[str, type[Settings]]:
    """Groups of keys within the type of a key, by heading."""
    for one in metadata:
        if isinstance(one, OneOf):
            return {f"{key} of kind {kind}": one.group(kind) for kind in one.kinds()}
    if isinstance(annotation, type) and issubclass(annotation, Settings):
        return {key: annotation}
    found: dict[str, type[Settings]] = {}
    more = getattr(annotation, "__metadata__", ())
    for argument in get_args(annotation):
        found |= _groups(key, argument, more)
    return found


def escaped(text: str) -> str:
    """The text, with `<` outside code escaped for HTML."""
    parts = re.split("(`[^`]*`)", text)
    parts[::2] = [part.replace("<", "&lt;") for part in parts[::2]]
    return "".join(parts)


def _cell(text: str) -> str:
    return escaped(text).replace("|", "\\|")


def _code(text: str) -> str:
    return f"`{text}`" if text else ""
