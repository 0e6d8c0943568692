"""Reads each text of YAML once: that of all papers takes most of the time of a check."""

import copy
from functools import cache
from pathlib import Path
from typing import Any

import pytest

from nlmt import settings_check
from nlmt.io.yaml_files import parse_yaml
from nlmt.io.yaml_places import KeyPlaces
from nlmt.workflow import configuration

_values = cache(parse_yaml)


@cache
def _places(path: Path, text: str) -> KeyPlaces:
    return KeyPlaces(path)


@pytest.fixture(autouse=True)
def yaml_is_read_once(monkeypatch: pytest.MonkeyPatch) -> None:
    def parsed(text: str, path: Path | None = None) -> Any:
        return copy.deepcopy(_values(text, path))

    def places(path: Path) -> KeyPlaces:
        return _places(path, path.read_text(encoding="utf-8"))

    monkeypatch.setattr(configuration, "parse_yaml", parsed)
    monkeypatch.setattr(settings_check, "KeyPlaces", places)
