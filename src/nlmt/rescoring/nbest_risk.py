"""Minimum Bayes risk over lists: the hypothesis of least expected loss, not the best one."""

from pathlib import Path

import numpy as np

from nlmt.errors import InputError
from nlmt.io.nbest import iter_nbest
from nlmt.io.weights import Weights
from nlmt.rescoring import _risk
from nlmt.rescoring.selection import model_scores, one_line_a_sentence

SIZE = 200  # hypotheses per sentence; Moses' and the decoder's default


def minimum_risk(
    nbest: Path | str,
    *,
    weights: Weights | None = None,
    scale: float = 1.0,
    size: int = SIZE,
    sentences: int | None = None,
) -> list[str]:
    """The hypothesis with the least expected 1 - BLEU for each input sentence.

    After Kumar and Byrne (2004): each other hypothesis is the reference with its probability, which
    is proportional to exp(scale x total). BLEU is of single sentences, with one added to the counts
    of n-grams of two to four words. The choice is that of `nlmt decode -mbr`, within the digits of
    the totals in the list. Probabilities of equal hypotheses in a list add up. Of hypotheses of
    equal risk, the one with the higher total wins, then the first in the list.

    Args:
        nbest: a Moses n-best list.
        weights: as in `rerank`.
        scale: of the totals, which are natural logs, before they become probabilities.
        size: the best hypotheses of each sentence to choose from; time grows with its square.
        sentences: number of input sentences; None: up to the last one in the list.

    Returns:
        one line per sentence; an empty one, with a warning, for a sentence without hypotheses.

    Raises:
        InputError: a malformed list, a missing weight, a sentence number beyond `sentences`, a
            scale that is too large for the totals.
    """
    if size < 1 or not 0 < scale < np.inf:
        raise InputError(f"size {size}, scale {scale}", hint="both must be above 0")
    texts: dict[int, str] = {}
    for block in iter_nbest(nbest):
        totals = model_scores(block, weights)
        # Not of the products, which would overflow.
        if np.abs(totals).max() >= np.finfo(np.float64).max / max(scale, 1.0):
            raise InputError(f"scale {scale}: too large for the totals", path=nbest)
        scores = scale * totals
        ids = block.ids.astype(np.uint32)
        starts = block.sentence_starts()
        for row in _risk.least_risk(ids, block.offsets, scores, starts, size).tolist():
            texts[int(block.sentence[row])] = block.text(row)
    return one_line_a_sentence(texts, nbest, sentences)
