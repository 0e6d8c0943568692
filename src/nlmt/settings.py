"""Definitions of configuration keys: type, default, range, unit, description and source.

A group of keys is a subclass of `Settings` whose fields are made by `setting`. The JSON schema,
`docs/configuration.md` and `--help` texts are generated from these definitions.
"""

from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Annotated, Any, TypeAlias, TypeVar, cast

from pydantic import (
    AfterValidator,
    BaseModel,
    ConfigDict,
    Field,
    GetJsonSchemaHandler,
    create_model,
)
from pydantic.fields import FieldInfo
from pydantic_core import CoreSchema, PydanticKnownError, core_schema

from nlmt.registry import Registry

REQUIRED: Any = ...

Entries = TypeVar("Entries")


class Settings(BaseModel):
    """A group of configuration keys; unknown ones are refused."""

    model_config = ConfigDict(
        frozen=True, extra="forbid", strict=True, arbitrary_types_allowed=True
    )


class NoOptions(Settings):
    """The options of a part that has none."""


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
        self, registry: Registry[Any], check: Callable[[str, Mapping[str, Any]], object]
    ) -> None:
        """Name a registry.

        Args:
            registry: of the parts, whose keys are their `options_type`.
            check: of a name and values, raises InputError if they are not allowed.
        """
        self._registry, self._check_one = registry, check

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
        parts = self._registry.items()
        schemas = {name: part.options_type.model_json_schema() for name, part in parts}
        return {"type": "object", "additionalProperties": False, "properties": schemas}


def partial(group: type[Settings], name: str, description: str) -> type[Settings]:
    """A group with the same keys, all optional, for an entry that overrides some of them."""
    fields: dict[str, Any] = {
        key: (cast(Any, field.annotation) | None, FieldInfo.merge_field_infos(field, default=None))
        for key, field in group.model_fields.items()
    }
    return create_model(name, __base__=Settings, __doc__=description, **fields)


def _check_distinct(entries: Any) -> Any:
    for place, entry in enumerate(entries or ()):
        if entry in entries[:place]:
            raise ValueError(f"{entry!r} comes twice: name it once")
    return entries


# A list in which no entry comes twice.
Distinct: TypeAlias = Annotated[Entries, AfterValidator(_check_distinct)]

# A part of paths in results/ or data/: neither a folder above nor one inside of another.
FolderName: TypeAlias = Annotated[str, Field(pattern=r"^[A-Za-z0-9_-][A-Za-z0-9_.+-]*$")]


def _check_below(path: str) -> str:
    if Path(path).is_absolute() or ".." in Path(path).parts:
        raise ValueError("a path below the project's folder is expected")
    return path


# A file that the workflow writes where a configuration says.
PathBelow: TypeAlias = Annotated[str, AfterValidator(_check_below)]


def to_plain(settings: Settings) -> dict[str, Any]:
    """The keys that were given, ready for JSON or YAML."""
    plain: dict[str, Any] = settings.model_dump(mode="json", exclude_unset=True)
    return plain
