"""Compressed language models, which KenLM may have been built without the libraries to read."""

from collections.abc import Iterator
from contextlib import contextmanager

import pytest

from nlmt.errors import InputError


@contextmanager
def reading_compressed() -> Iterator[None]:
    """Skip the test where KenLM was built without the library that reads the file."""
    try:
        yield
    except InputError as error:
        if "support was not compiled in" not in str(error):
            raise
        pytest.skip("KenLM reads no such files here")
