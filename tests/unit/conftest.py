"""Settings of the machine for all unit tests."""

from collections.abc import Iterator

import pytest

from nlmt.ngram import kind
from nlmt.ngram.mixing import train_interpolated
from nlmt.ngram.training import train_arpa, train_binary


@pytest.fixture(autouse=True, scope="session")
def little_memory_of_lmplz() -> Iterator[None]:
    """Let lmplz sort in 200 MB: most of a run on a small text clears the usual gigabyte."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(kind, "MEMORY", "200M")
        for train in (train_arpa, train_binary, train_interpolated):
            patch.setitem(train.__kwdefaults__, "memory", "200M")
        yield
