"""Selection of one hypothesis for each input sentence: functions that all methods share."""

import logging
from collections.abc import Mapping
from itertools import pairwise
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from nlmt.errors import InputError
from nlmt.io.nbest import NbestList, iter_nbest, weighted_totals
from nlmt.io.nbest_scores import iter_scored
from nlmt.io.weights import Weights

logger = logging.getLogger(__name__)

_MOST_MISSING = 1 << 20  # a wrong number is likelier than so many empty lines


def model_scores(block: NbestList, weights: Weights | None) -> NDArray[np.float64]:
    """Totals (N,) with the weights; None: the list's own.

    There is a weight per value for each label of the list; others are ignored.

    Raises:
        InputError: as in `weighted_totals`.
    """
    return block.totals if weights is None else weighted_totals(block, weights)


def texts_at(nbest: Path | str, rows: NDArray[np.int64]) -> dict[int, str]:
    """Words by sentence number of some rows of a list, rising, one of each sentence."""
    texts: dict[int, str] = {}
    begin = 0
    for block in iter_nbest(nbest, whole_sentences=False):
        first, last = np.searchsorted(rows, [begin, begin + len(block)])
        for row in (rows[first:last] - begin).tolist():
            texts[int(block.sentence[row])] = block.text(row)
        begin += len(block)
    return texts


def one_line_a_sentence(
    texts: Mapping[int, str], nbest: Path | str, sentences: int | None
) -> list[str]:
    """The texts in the order of the input; an empty line, with a warning, where one is missing.

    `sentences` is their number in the input; without it, the last one of the list is the last.

    Raises:
        InputError: a sentence number beyond `sentences`; where that is None, one that is far beyond
            the number of texts.
    """
    last = max(texts, default=-1)
    if sentences is None:
        sentences = last + 1
        if sentences - len(texts) > _MOST_MISSING:
            raise InputError(
                f"the list has a sentence {last}, but hypotheses of only {len(texts)} sentences",
                path=nbest,
                hint="say how many sentences there are if that is right",
            )
    elif last >= sentences:
        raise InputError(
            f"the list has a sentence {last}, but there are only {sentences} sentences",
            path=nbest,
            hint="sentences are numbered from 0; is this the list of another text?",
        )
    missing = [i for i in range(sentences) if i not in texts]
    if missing:
        logger.warning(
            "%s: no hypotheses for %d of %d sentences, the first being sentence %d: empty lines",
            nbest,
            len(missing),
            sentences,
            missing[0],
        )
    return [texts.get(i, "") for i in range(sentences)]


def rerank(
    nbest: Path | str,
    weights: Weights | None,
    *,
    scores: Path | str | None = None,
    sentences: int | None = None,
) -> list[str]:
    """The hypothesis with the highest weighted sum of features for each input sentence.

    Of equal ones the first in the list wins.

    Args:
        nbest: a Moses n-best list.
        weights: for each label of the list, one weight per value; others are ignored. None: the
            list's own totals.
        scores: further features of the list, from `nlmt.io.nbest_scores`; None: it has all.
        sentences: number of input sentences; None: up to the last one in the list.

    Returns:
        one line per sentence; an empty one, with a warning, for a sentence without hypotheses.

    Raises:
        InputError: a malformed list, a missing weight, a sentence number beyond `sentences`.
    """
    best: dict[int, tuple[float, str]] = {}
    for block in iter_scored(nbest, scores):
        totals = model_scores(block, weights)
        for begin, end in pairwise(block.sentence_starts().tolist()):
            winner = begin + int(np.argmax(totals[begin:end]))
            sentence, total = int(block.sentence[begin]), float(totals[winner])
            # A sentence may continue in the next block.
            if sentence not in best or total > best[sentence][0]:
                best[sentence] = total, block.text(winner)
    return one_line_a_sentence({i: text for i, (_, text) in best.items()}, nbest, sentences)
