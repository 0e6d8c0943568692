"""The best hypothesis of each sentence under given weights."""

import logging
from collections.abc import Mapping, Sequence
from itertools import pairwise
from pathlib import Path

import numpy as np

from nlmt.errors import InputError
from nlmt.io.nbest import BLOCK_BYTES, iter_nbest, weighted_totals

logger = logging.getLogger(__name__)


def rerank(
    nbest: Path | str,
    weights: Mapping[str, Sequence[float]],
    *,
    sentences: int | None = None,
    block_bytes: int = BLOCK_BYTES,
) -> list[str]:
    """The hypothesis with the highest weighted sum of features for each input sentence.

    Of equal ones the first in the list wins.

    Args:
        nbest: a Moses n-best list.
        weights: for each label of the list, one weight a value; others are passed over.
        sentences: how many input sentences there are; None: as many as the list's last one says.
        block_bytes: how much of the list's text to hold at a time.

    Returns:
        one line a sentence; an empty one, with a warning, for a sentence without hypotheses.

    Raises:
        InputError: a malformed list, a missing weight, a sentence number beyond `sentences`.
    """
    best: dict[int, tuple[float, str]] = {}
    for block in iter_nbest(nbest, block_bytes=block_bytes, whole_sentences=False):
        totals = weighted_totals(block, weights)
        for begin, end in pairwise(block.sentence_starts().tolist()):
            winner = begin + int(np.argmax(totals[begin:end]))
            sentence, total = int(block.sentence[begin]), float(totals[winner])
            # A sentence may go on in the next block.
            if sentence not in best or total > best[sentence][0]:
                best[sentence] = total, block.text(winner)
    last = max(best, default=-1)
    if sentences is None:
        sentences = last + 1
    elif last >= sentences:
        raise InputError(
            f"the list has a sentence {last}, but there are only {sentences} sentences",
            path=nbest,
            mend="sentences are numbered from 0; is this the list of another text?",
        )
    missing = [i for i in range(sentences) if i not in best]
    if missing:
        logger.warning(
            "%s: no hypotheses for %d of %d sentences, the first being sentence %d: empty lines",
            nbest,
            len(missing),
            sentences,
            missing[0],
        )
    return [best.get(i, (0.0, ""))[1] for i in range(sentences)]
