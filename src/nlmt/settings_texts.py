"""Texts generated from the definitions of configuration keys: JSON schema, Markdown, help."""

import json
import re
import textwrap
from collections.abc import Iterator
from dataclasses import dataclass
from types import NoneType, UnionType
from typing import Annotated, Any, Literal, Union, get_args, get_origin

from annotated_types import Ge, Gt, Le, Lt
from pydantic.fields import FieldInfo

from nlmt.settings import NameIn, OneOf, Settings

TYPES = {
    int: ("whole number", "whole numbers"),
    float: ("number", "numbers"),
    str: ("string", "strings"),
    bool: ("true or false", "true or false"),
}
GROUP = "settings"
TABLE = "| key | default | allowed | meaning |\n| --- | --- | --- | --- |"


@dataclass(frozen=True)
class Key:
    """The documentation of a key.

    Attributes:
        name: in YAML.
        required: whether it has no default.
        default: its value if left out; empty for a required key and for a group of keys.
        allowed: values or type, range and unit.
        description: one or more sentences, with their source.
        groups: groups of keys within it, by heading.
    """

    name: str
    required: bool
    default: str
    allowed: str
    description: str
    groups: dict[str, type[Settings]]


def keys_of(group: type[Settings]) -> Iterator[Key]:
    """Yield all keys of a group."""
    schema = group.model_json_schema().get("properties", {})
    for name, field in group.model_fields.items():
        extra = field.json_schema_extra if isinstance(field.json_schema_extra, dict) else {}
        parts = [_allowed(field.annotation, field.metadata), _range(field)]
        allowed = ", ".join(part for part in parts if part)
        if extra.get("unit"):
            allowed += f" ({extra['unit']})"
        description = field.description or ""
        only_with = schema[name].get("x-only-with")
        if only_with:
            description += f" Only with {only_with}."
        if extra.get("source"):
            description += f" Source: {extra['source']}."
        groups = _groups(name, field.annotation, field.metadata)
        required = field.is_required()
        default = "" if required else _value(field.default)
        yield Key(name, required, default, allowed, description, groups)


def json_schema(group: type[Settings], title: str) -> str:
    """The JSON schema of YAML files, for editors; as each is a part, no key is required."""
    schema = group.model_json_schema()
    schema.pop("required", None)
    schema = {"$schema": "https://json-schema.org/draft/2020-12/schema"} | schema
    return json.dumps(schema | {"title": title}, indent=1, ensure_ascii=False) + "\n"


def markdown(group: type[Settings], heading: str) -> str:
    """A section with a table of the keys of a group, then sections of the groups within it."""
    titles: dict[type[Settings], str] = {}
    waiting = [(heading, group)]
    while waiting:
        title, one = waiting.pop(0)
        if one in titles:
            continue
        titles[one] = title
        waiting = [
            (f"{title}, {name}" if title != heading else name, within)
            for key in keys_of(one)
            for name, within in key.groups.items()
        ] + waiting
    return "\n\n".join(_section(one, title, titles) for one, title in titles.items()) + "\n"


def _section(group: type[Settings], title: str, titles: dict[type[Settings], str]) -> str:
    """A heading and the table of the keys of a group, with links to the sections of others."""
    rows = []
    for key in keys_of(group):
        allowed = _cell(key.allowed)
        for name, within in key.groups.items():
            kind = name.partition(" of kind ")[2] or GROUP
            link = f"[{kind}](#{_anchor(titles[within])})"
            allowed = re.sub(rf"(?<![\w\[-]){re.escape(kind)}(?![\w\]-])", link, allowed, count=1)
        default = "*required*" if key.required else key.default and f"`{key.default}`"
        rows.append(f"| `{key.name}` | {default} | {allowed} | {_cell(key.description)} |")
    text = escaped(" ".join((group.__doc__ or "").split()))
    return "\n".join([f"## {title}", "", text, "", TABLE, *rows])


def _anchor(title: str) -> str:
    """The address of a heading within its page."""
    return re.sub("[^a-z0-9 _-]", "", title.lower()).replace(" ", "-")


def help_text(group: type[Settings]) -> str:
    """A paragraph for each key, for `--help`."""
    paragraphs = []
    for key in keys_of(group):
        default = f" = {key.default}" if key.default else ""
        head = f"  {key.name}{default}  [{key.allowed}]"
        body = textwrap.fill(key.description, 94)  # 100 with the indent
        paragraphs.append(f"{head}\n{textwrap.indent(body, ' ' * 6)}")
    return "".join(f"{paragraph}\n" for paragraph in paragraphs)


def _value(value: Any) -> str:
    if value is None:
        return "null"
    if isinstance(value, bool):
        return str(value).lower()
    if isinstance(value, Settings):
        return ""
    if isinstance(value, tuple | list):
        return "[" + ", ".join(map(_value, value)) + "]"
    if isinstance(value, dict) or value == "":
        return json.dumps(value)
    return f"{value:g}" if isinstance(value, float) else str(value)


def _allowed(annotation: Any, metadata: Any = (), *, plural: bool = False) -> str:
    """A type in words."""
    origin, arguments = get_origin(annotation), get_args(annotation)
    for one in metadata:
        if isinstance(one, NameIn):
            return ", ".join(one.names())
        if isinstance(one, OneOf):
            return f"{GROUP} of kind {', '.join(one.kinds())}"
    if origin is Annotated:
        return _allowed(arguments[0], arguments[1:], plural=plural)
    if origin is Literal:
        return ", ".join(map(str, arguments))
    if origin in (Union, UnionType):
        parts = [_allowed(one, plural=plural) for one in arguments if one is not NoneType]
        return " or ".join([*dict.fromkeys(parts), *(["null"] if NoneType in arguments else [])])
    if origin is tuple:
        return f"list{'s' * plural} of {_allowed(arguments[0], plural=True)}"
    if origin is dict:
        return f"mapping{'s' * plural} of names to {_allowed(arguments[1], plural=True)}"
    if isinstance(annotation, type) and issubclass(annotation, Settings):
        return GROUP
    one, several = TYPES.get(annotation, ("any value", "any values"))
    return several if plural else one


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
    return re.sub(r"docs/([a-z-]+\.md)", r"[\1](\1)", escaped(text).replace("|", "\\|"))
