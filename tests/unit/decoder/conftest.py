"""The golden model, loaded once."""

from pathlib import Path

import pytest

from nlmt.decoder import Decoder
from nlmt.io.files import read_lines

GOLDEN = Path(__file__).parents[2] / "golden"


@pytest.fixture(scope="session")
def golden() -> Path:
    return GOLDEN


@pytest.fixture(scope="session")
def golden_decoder() -> Decoder:
    return Decoder(GOLDEN / "moses.ini", threads=2)


@pytest.fixture(scope="session")
def golden_source() -> list[str]:
    return list(read_lines(GOLDEN / "test.fr"))
