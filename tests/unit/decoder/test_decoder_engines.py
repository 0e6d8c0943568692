"""Engines by name: a part of one's own translates wherever the embedded decoder does."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from nlmt.decoder import (
    ENGINES,
    DecoderEngine,
    DecoderSettings,
    GraphRequest,
    LatticeRequest,
    NbestRequest,
    SearchOptions,
    open_engine,
    translation_settings,
)
from nlmt.errors import InputError
from nlmt.settings_check import read_settings

GOLDEN = Path(__file__).parents[2] / "golden"


@dataclass
class Copy:
    """A sentence as its translation."""

    text: str


class Copying:
    """Copies sentences."""

    facts: dict[str, Any]

    def __init__(self, search: SearchOptions) -> None:
        self.facts = {"engine": "copy", "flags": search.flags()}

    def weights(self) -> dict[str, list[float]]:
        return {"Copy0": [1.0]}

    def set_weights(self, weights: Mapping[str, Sequence[float]]) -> None:
        pass

    def translate(
        self,
        lines: Iterable[str],
        *,
        nbest: NbestRequest | None = None,
        graph: GraphRequest | None = None,
        lattices: LatticeRequest | None = None,
        source: str | Path = "input",
        first: int = 0,
    ) -> Iterator[Copy]:
        yield from map(Copy, lines)


class CopyEngine(DecoderEngine):
    """An engine without a program."""

    language_models = ()
    extensions = False
    lattices = False
    binary_tables = False

    def find(self, path: str | None) -> dict[str, str]:
        return {"version": "1"}

    def open(
        self, ini: Path, found: Mapping[str, Any], *, search: SearchOptions, threads: int
    ) -> Copying:
        return Copying(search)


def test_an_engine_of_ones_own(monkeypatch: pytest.MonkeyPatch) -> None:
    with pytest.raises(InputError, match="'copy' is not allowed"):
        read_settings(DecoderSettings, {"engine": "copy"})
    monkeypatch.setattr(ENGINES, "_parts", dict(ENGINES.items()))
    ENGINES.register("copy", CopyEngine())
    settings = read_settings(DecoderSettings, {"engine": "copy", "stack": 3})
    found = translation_settings(settings)
    assert found == {"engine": "copy", "version": "1", "pop_limit": 400, "stack": 3}
    engine = open_engine(GOLDEN / "moses.ini", found)
    assert [best.text for best in engine.translate(["a b", "c"])] == ["a b", "c"]
    assert "-distortion-limit 6" in " ".join(engine.facts["flags"])
