"""The golden model, loaded once."""

from pathlib import Path

import pytest

from nlmt.decoder import Decoder
from nlmt.io.files import read_lines

GOLDEN = Path(__file__).parents[2] / "golden"


@pytest.fixture(scope="session")
def golden() -> Path:
    return GOLDEN


@pytest.fixture
def in_golden(monkeypatch: pytest.MonkeyPatch) -> Path:
    """The folder of the golden model as the current one, from which paths of moses.ini count."""
    monkeypatch.chdir(GOLDEN)
    return GOLDEN


@pytest.fixture(scope="session")
def golden_decoder() -> Decoder:
    return Decoder(GOLDEN / "moses.ini", threads=2)


@pytest.fixture(scope="session")
def golden_source() -> list[str]:
    return list(read_lines(GOLDEN / "test.fr"))
