"""N-best lists of given hypotheses, and lists in small blocks."""

from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager

import numpy as np
import pytest

from nlmt.io import nbest
from nlmt.io.nbest import NbestList


def nbest_list(
    hypotheses: Iterable[tuple[int, str, Sequence[float]]], names: list[tuple[str, int]]
) -> NbestList:
    """A list of hypotheses, each with its sentence, text and feature values."""
    sentences, texts, features = zip(*hypotheses, strict=True)
    vocabulary = sorted({word for text in texts for word in text.split()})
    ids = [[vocabulary.index(word) for word in text.split()] for text in texts]
    return NbestList(
        np.array(sentences, np.int32),
        vocabulary,
        np.array([i for row in ids for i in row], np.int32),
        np.cumsum([0, *map(len, ids)]).astype(np.int64),
        np.array(features, np.float64),
        names,
        np.zeros(len(ids)),
    )


@contextmanager
def blocks_of(size: int) -> Iterator[None]:
    """Have lists read in blocks of about so many bytes."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(nbest, "BLOCK_BYTES", size)
        yield
