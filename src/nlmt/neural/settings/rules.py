"""Rules for keys that have an effect only with certain values of other keys."""

from collections.abc import Callable
from dataclasses import dataclass
from functools import cache
from typing import Any

from pydantic import GetJsonSchemaHandler
from pydantic.json_schema import JsonSchemaValue
from pydantic_core import CoreSchema

from nlmt.errors import InputError
from nlmt.registry import Registry
from nlmt.settings import Settings

# Sources of keys.
BALTESCU = "Baltescu and Blunsom 2015"
SCHWENK = "Schwenk 2010"
AULI = "Auli et al. 2013"
LUONG = "Luong et al. 2015"


@dataclass(frozen=True)
class OnlyWith:
    """A key that has an effect only where another key has one of some values.

    A key with several rules has an effect where any of them holds.

    Attributes:
        key: the other key.
        values: its values, or a function that returns them; none: any number above 0.
    """

    key: str
    values: tuple[str, ...] | Callable[[], tuple[str, ...]] = ()

    def allowed(self) -> tuple[str, ...]:
        """The values of the other key."""
        return self.values if isinstance(self.values, tuple) else self.values()

    def holds(self, settings: Settings) -> bool:
        """Whether the key has an effect with these settings."""
        value = getattr(settings, self.key)
        if self.values == ():
            return isinstance(value, int | float) and value > 0
        return value in self.allowed()

    def __str__(self) -> str:
        """The other key as it would be written."""
        return f"{self.key}: {' or '.join(self.allowed()) or 'above 0'}"

    def __get_pydantic_json_schema__(
        self, schema: CoreSchema, handler: GetJsonSchemaHandler
    ) -> JsonSchemaValue:
        """Put the rule into the JSON schema."""
        made = handler(schema)
        others = [made["x-only-with"]] if "x-only-with" in made else []
        return made | {"x-only-with": ", or ".join([*others, str(self)])}


def only_with(key: str, parts: Registry[Any], own: str) -> OnlyWith:
    """The rule for a key that only some parts have.

    Args:
        key: names the part.
        parts: of that kind; their `keys` tell which of them have the key.
        own: the key that only they have.
    """
    return OnlyWith(key, lambda: tuple(name for name, part in parts.items() if own in part.keys))


def broken_rule(key: str, settings: Settings) -> OnlyWith | None:
    """The rule that makes a key ineffective, if there is one."""
    rules = _rules(type(settings), key)
    if not rules or any(rule.holds(settings) for rule in rules):
        return None
    return rules[0]


@cache
def _rules(settings: type[Settings], key: str) -> tuple[OnlyWith, ...]:
    """The rules of a key."""
    return tuple(r for r in settings.model_fields[key].metadata if isinstance(r, OnlyWith))


def refuse_without_effect(settings: Settings) -> None:
    """Refuse keys that were given and have no effect with the others.

    Raises:
        InputError: names the first such key, and what would give it an effect.
    """
    for key in type(settings).model_fields:  # in order of definition
        rule = broken_rule(key, settings) if key in settings.model_fields_set else None
        if rule is not None:
            raise InputError(
                f"{key} has no effect with {rule.key}: {getattr(settings, rule.key)}",
                hint=f"leave {key} out, give it null, or set {rule}",
            )
