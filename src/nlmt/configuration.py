"""The workflow's configuration held against its schema, with messages for people."""

import difflib
import json
import re
from collections.abc import Iterable
from pathlib import Path
from typing import Any

import jsonschema
import yaml

from nlmt.errors import InputError


def check_configuration(config: dict[str, Any], schema_path: Path | str) -> None:
    """Hold `config` against a JSON schema written in YAML.

    Raises:
        InputError: a line for each fault; it names the key and what is allowed there.
    """
    with Path(schema_path).open(encoding="utf-8") as stream:
        schema = yaml.safe_load(stream)
    # What comes through the command line may hold types of Snakemake's own: reduce to plain JSON.
    plain = json.loads(json.dumps(config))
    validator = jsonschema.Draft202012Validator(schema)
    errors = sorted(validator.iter_errors(plain), key=lambda error: error.json_path)
    if errors:
        faults = [message for error in errors for message in _messages(error)]
        raise InputError("\n".join(dict.fromkeys(faults)))


def _messages(error: jsonschema.ValidationError) -> Iterable[str]:
    """Say in one line each what is wrong at one place."""
    key = ".".join(str(part) for part in error.absolute_path) or "top level"
    rule, allowed, value = error.validator, error.validator_value, error.instance
    schema = error.schema if isinstance(error.schema, dict) else {}
    if rule == "additionalProperties" and isinstance(value, dict):
        known = list(schema.get("properties", {}))
        for unknown in (name for name in value if name not in known):
            near = difflib.get_close_matches(str(unknown), known, n=1)
            hint = f"; did you mean {near[0]!r}?" if near else ""
            yield f"config: {key}: unknown key {unknown!r} (allowed: {', '.join(known)}{hint})"
    elif rule in ("oneOf", "anyOf") and error.context:
        # The alternatives are told apart by their `kind`: speak of the one that was meant.
        branches: dict[Any, list[jsonschema.ValidationError]] = {}
        for sub in error.context:
            branches.setdefault(sub.relative_schema_path[0], []).append(sub)
        meant = [
            subs
            for subs in branches.values()
            if not any(list(sub.relative_path) == ["kind"] for sub in subs)
        ]
        for sub in meant[0] if meant else [e for subs in branches.values() for e in subs]:
            yield from _messages(sub)
    elif rule == "enum" and isinstance(allowed, list):
        yield f"config: {key}: {value!r} is not allowed (allowed: {', '.join(map(str, allowed))})"
    elif rule == "const":
        yield f"config: {key}: {value!r} is not allowed (allowed: {allowed})"
    elif rule == "required" and isinstance(value, dict) and isinstance(allowed, list):
        for missing in (name for name in allowed if name not in value):
            yield f"config: {key}: the key {missing!r} is missing"
    elif rule == "type":
        wanted = " or ".join(allowed) if isinstance(allowed, list) else allowed
        # Snakemake takes numbers inside of `--config key={name: 1}` for text.
        numeric = isinstance(value, str) and value.replace(".", "", 1).isdigit()
        hint = " (settings within settings: in a file, with --configfile)" if numeric else ""
        if isinstance(value, str) and re.fullmatch(r"\d+e-?\d+", value):
            hint = " (YAML takes it for a word: write 1.0e-3)"
        yield f"config: {key}: {value!r} is not of type {wanted}{hint}"
    elif rule in ("minimum", "exclusiveMinimum", "maximum", "exclusiveMaximum"):
        word = {
            "minimum": "at least",
            "exclusiveMinimum": "more than",
            "maximum": "at most",
            "exclusiveMaximum": "less than",
        }[str(rule)]
        yield f"config: {key}: {value!r} must be {word} {allowed}"
    elif rule == "pattern":
        example = f", for example {schema['examples'][0]}" if schema.get("examples") else ""
        yield f"config: {key}: {value!r} does not have the form {allowed}{example}"
    else:
        yield f"config: {key}: {error.message}"
