"""Rules for keys that have an effect only with certain values of other keys."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Literal, get_args, get_origin

from annotated_types import Ge, Gt, Le
from pydantic import GetJsonSchemaHandler
from pydantic.fields import FieldInfo
from pydantic.json_schema import JsonSchemaValue
from pydantic_core import CoreSchema

from nlmt.errors import InputError
from nlmt.settings import NameIn, Settings

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
            return isinstance(value, int) and value > 0
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


def broken_rule(key: str, settings: Settings) -> OnlyWith | None:
    """The rule that makes a key ineffective, if there is one."""
    metadata = type(settings).model_fields[key].metadata
    rules = [rule for rule in metadata if isinstance(rule, OnlyWith)]
    if not rules or any(rule.holds(settings) for rule in rules):
        return None
    return rules[0]


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
                hint=f"leave {key} out, or set {rule}",
            )


def describe(group: type[Settings]) -> str:
    """A line for each key of a group: its default and what else is allowed."""
    lines = []
    for key, field in group.model_fields.items():
        default = list(field.default) if isinstance(field.default, tuple) else field.default
        rules = [str(rule) for rule in field.metadata if isinstance(rule, OnlyWith)]
        effect = f"with {', or '.join(rules)}" if rules else ""
        allowed = "; ".join(part for part in (_allowed(field), effect) if part)
        lines.append(f"  {key + ': ' + str(default):28}{allowed}\n")
    return "".join(lines)


def _allowed(field: FieldInfo) -> str:
    """The values of a field, in words."""
    if get_origin(field.annotation) is Literal:
        return ", ".join(get_args(field.annotation))
    if field.examples:
        return f"for example {field.examples[0]}"
    words = []
    for part in field.metadata:
        if isinstance(part, NameIn):
            words.append(", ".join(part.names()))
        elif isinstance(part, Ge):
            words.append(f"{part.ge:.10g}")
        elif isinstance(part, Gt):
            words.append(f"above {part.gt:.10g}")
        elif isinstance(part, Le):
            words.append(f"to {part.le:.10g}")
    return " ".join(words)
