"""N-best lists of given hypotheses."""

from collections.abc import Iterable, Sequence

import numpy as np

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
