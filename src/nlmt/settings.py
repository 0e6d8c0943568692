"""Definitions of configuration keys: type, default, range, unit, description and source.

A group of keys is a subclass of `Settings` whose fields are made by `setting`. JSON schemas,
`docs/configuration.md` and `--help` texts are generated from these definitions.
"""

import json
import re
from collections.abc import Callable, Iterable, Mapping
from pathlib import Path
from typing import Annotated, Any, TypeAlias, TypeVar, cast, get_args

from pydantic import (
    AfterValidator,
    BaseModel,
    ConfigDict,
    Field,
    GetJsonSchemaHandler,
    ValidationError,
    create_model,
)
from pydantic.fields import FieldInfo
from pydantic_core import CoreSchema, ErrorDetails, PydanticKnownError, core_schema

from nlmt.errors import InputError
from nlmt.io.yaml_places import KeyPlaces
from nlmt.registry import Registry, load_plugins, nearest, plugin_files

Value = TypeVar("Value")
Group = TypeVar("Group", bound="Settings")

REQUIRED: Any = ...
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


class Settings(BaseModel):
    """A group of configuration keys; unknown ones are refused."""

    model_config = ConfigDict(
        frozen=True, extra="forbid", strict=True, arbitrary_types_allowed=True
    )


def setting(
    default: Any,
    description: str,
    *,
    unit: str = "",
    source: str = "",
    examples: list[Any] | None = None,
    **limits: Any,
) -> Any:
    """Define a key.

    Args:
        default: its value if left out; `REQUIRED` for a required key.
        description: one or more sentences.
        unit: of the value, if it has one.
        source: paper and section, or program, of the key or its default.
        examples: of values; error messages show the first.
        limits: `ge`, `gt`, `le`, `lt`, `min_length`, `max_length` or `pattern`.
    """
    extra: dict[str, Any] = {}
    if unit:
        extra["unit"] = unit
    if source:
        extra["source"] = source
    return Field(
        default, description=description, json_schema_extra=extra, examples=examples, **limits
    )


class OneOf:
    """A type annotation: a registry's `Settings` for the value of the key `kind`.

    `Annotated[Settings, OneOf(KINDS)]` where KINDS has a class of settings for each kind, with
    `kind: Literal[...]` among its keys.
    """

    def __init__(
        self, registry: Registry[Any], settings: Callable[[Any], type[Settings]] = lambda x: x
    ) -> None:
        self._registry, self._settings = registry, settings

    def kinds(self) -> tuple[str, ...]:
        """Names of the kinds."""
        return self._registry.names()

    def group(self, kind: str) -> type[Settings]:
        """The keys of a kind."""
        return self._settings(self._registry.get(kind))

    def __get_pydantic_core_schema__(
        self, _source: object, handler: Callable[[Any], CoreSchema]
    ) -> CoreSchema:
        """Build the union of all kinds registered now."""
        choices = {kind: handler(self.group(kind)) for kind in self._registry.loaded()}
        return core_schema.tagged_union_schema(choices=choices, discriminator="kind")


class NameIn:
    """A type annotation of texts: the name of a registry's part.

    `Annotated[str, NameIn(ENGINES)]`. The registry is read whenever a value is checked or a schema
    is made, so that the names include parts of plugins.
    """

    def __init__(
        self,
        registry: Registry[Any],
        fits: Callable[[Any], bool] | None = None,
        others: tuple[str, ...] = (),
    ) -> None:
        """Name a registry.

        Args:
            registry: of the parts.
            fits: whether a part may be named; None: all, without importing any for the check.
            others: names that are allowed, too.
        """
        self._registry, self._fits, self._others = registry, fits, others

    def names(self) -> tuple[str, ...]:
        """The allowed names."""
        return (*filter(self._allows, self._registry.names()), *self._others)

    def _allows(self, name: str) -> bool:
        known = name in self._registry.names()
        return known and (self._fits is None or self._fits(self._registry.get(name)))

    def _check(self, name: str | None) -> str | None:
        if name is not None and name not in self._others and not self._allows(name):
            expected = ", ".join(f"'{known}'" for known in self.names())
            raise PydanticKnownError("literal_error", {"expected": expected})
        return name

    def __get_pydantic_core_schema__(
        self, source: object, handler: Callable[[Any], CoreSchema]
    ) -> CoreSchema:
        """Check the name after its type."""
        return core_schema.no_info_after_validator_function(self._check, handler(source))

    def __get_pydantic_json_schema__(
        self, schema: CoreSchema, handler: GetJsonSchemaHandler
    ) -> dict[str, Any]:
        """List the names."""
        made: dict[str, Any] = handler(schema)
        for choice in made.get("anyOf", [made]):
            if choice.get("type") == "string":
                choice["enum"] = list(self.names())
        return made


class OptionsByName:
    """A type annotation: options of parts by the parts' names, checked by the parts' own keys."""

    def __init__(
        self,
        registry: Registry[Any],
        settings: Callable[[Any], type[Settings]],
        check: Callable[[str, Mapping[str, Any]], object],
    ) -> None:
        """Name a registry.

        Args:
            registry: of the parts.
            settings: returns the keys of a part.
            check: of a name and values, raises InputError if they are not allowed.
        """
        self._registry, self._settings, self._check_one = registry, settings, check

    def __get_pydantic_core_schema__(self, _source: object, _handler: object) -> CoreSchema:
        """Check each part's options."""
        values = core_schema.dict_schema(core_schema.str_schema(), core_schema.any_schema())
        options = core_schema.dict_schema(core_schema.str_schema(), values)
        return core_schema.no_info_after_validator_function(self._check, options)

    def _check(self, options: dict[str, dict[str, Any]]) -> dict[str, dict[str, Any]]:
        for name, values in options.items():
            self._check_one(name, values)
        return options

    def __get_pydantic_json_schema__(
        self, _schema: CoreSchema, _handler: GetJsonSchemaHandler
    ) -> dict[str, Any]:
        """List the parts with their keys."""
        own = {name: self._settings(part) for name, part in self._registry.items()}
        schemas = {name: group.model_json_schema() for name, group in own.items()}
        return {"type": "object", "additionalProperties": False, "properties": schemas}


def partial(group: type[Settings], name: str, description: str) -> type[Settings]:
    """A group with the same keys, all optional, for an entry that overrides some of them."""
    fields: dict[str, Any] = {
        key: (cast(Any, field.annotation) | None, FieldInfo.merge_field_infos(field, default=None))
        for key, field in group.model_fields.items()
    }
    return create_model(name, __base__=Settings, __doc__=description, **fields)


# A part of paths in results/ or data/: neither a folder above nor one inside of another.
FolderName: TypeAlias = Annotated[str, Field(pattern=r"^[A-Za-z0-9_-][A-Za-z0-9_.+-]*$")]


def _check_below(path: str) -> str:
    if Path(path).is_absolute() or ".." in Path(path).parts:
        raise ValueError("a path below the project's folder is expected")
    return path


# A file that the workflow writes where a configuration says.
PathBelow: TypeAlias = Annotated[str, AfterValidator(_check_below)]


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
    repeated = [fault for place in places for fault in place.repeated(where)]
    if repeated:
        raise InputError("\n".join(repeated))
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


def to_plain(settings: Settings) -> dict[str, Any]:
    """The keys that were given, ready for JSON or YAML."""
    plain: dict[str, Any] = settings.model_dump(mode="json", exclude_unset=True)
    return plain


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
    expanded = ".".join(keys)
    if (written := as_written(expanded)) != expanded:
        keys = written.split(".")
    found = _file_and_line(keys, places)
    prefix = "" if found is None else "{}:{}: ".format(*found)
    key = ".".join([*([where] if where else []), *keys]) or "top level"
    return f"{prefix}{key}: {_reason(fault, owner, field)}"


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
        form = f"form of {examples[0]}" if examples else f"form {context['pattern']}"
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
    if kind.startswith(("tuple", "list")):
        return f": write [{value}]"
    if re.fullmatch(r"\d+e-?\d+", value):
        return " (YAML reads it as text: write 1.0e-3)"
    # Snakemake reads numbers within `--config key={name: 1}` as text.
    if value.replace(".", "", 1).isdigit():
        return " (settings within settings: in a file, with --configfile)"
    return ""
