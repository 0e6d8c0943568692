"""BLEU (Papineni et al. 2002): statistics of each sentence apart from their aggregation.

The statistics of a hypothesis are nine integers: clipped matches and total n-grams of orders 1 to
4 in turn, then the length of the closest reference (the shorter one of two). They are those of
Moses' score files, and they add up: the BLEU of a corpus follows from the sums over its sentences.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import sacrebleu
from numpy.typing import NDArray

from nlmt.errors import InputError
from nlmt.evaluation import _bleu
from nlmt.io.nbest import NbestList

ORDER = 4
STATISTICS = 2 * ORDER + 1


@dataclass(frozen=True)
class Score:
    """A score of a corpus.

    Attributes:
        value: from 0 to 100.
        signature: sacreBLEU's: what exactly was computed, and by which version.
    """

    value: float
    signature: str


def corpus_bleu(hypotheses: Sequence[str], references: Sequence[Sequence[str]]) -> Score:
    """SacreBLEU's BLEU of tokenised text, lower-cased, without another tokenisation.

    Args:
        hypotheses: one for each sentence.
        references: one or more sets, each with a line for each sentence.

    Raises:
        InputError: the numbers of lines differ, or there are none.
    """
    _check_lines(len(hypotheses), references)
    if not hypotheses:
        raise InputError("no sentences to evaluate")
    # `force` only silences a warning about text that is tokenised already, as ours is meant to be.
    metric = sacrebleu.BLEU(tokenize="none", lowercase=True, force=True)
    value = metric.corpus_score(list(hypotheses), [list(lines) for lines in references]).score
    return Score(value, str(metric.get_signature()))


def sentence_statistics(
    hypotheses: Sequence[str], references: Sequence[Sequence[str]], *, threads: int = 1
) -> NDArray[np.int32]:
    """(sentences, 9) BLEU statistics of one hypothesis a sentence; tokens as spaces part them.

    Args:
        hypotheses: one for each sentence.
        references: one or more sets, each with a line for each sentence.
        threads: the result does not depend on it.

    Raises:
        InputError: the numbers of lines differ.
    """
    _check_lines(len(hypotheses), references)
    vocabulary: dict[str, int] = {}
    ids, offsets = _encode(hypotheses, vocabulary)
    sentence = np.arange(len(hypotheses), dtype=np.int32)
    return _statistics(ids, offsets, sentence, references, vocabulary, threads)


def nbest_statistics(
    nbest: NbestList, references: Sequence[Sequence[str]], *, threads: int = 1
) -> NDArray[np.int32]:
    """(N, 9) BLEU statistics of all hypotheses of an n-best list.

    Args:
        nbest: its sentence numbers count the lines of the references from 0.
        references: one or more sets of lines.
        threads: the result does not depend on it.

    Raises:
        InputError: a sentence of the list has no reference.
    """
    _check_lines(len(references[0]) if references else 0, references)
    if len(nbest) and not 0 <= nbest.sentence.min() <= nbest.sentence.max() < len(references[0]):
        raise InputError(
            f"the n-best list has a sentence {nbest.sentence.max()}, but there are "
            f"{len(references[0])} references",
            mend="sentences count from 0; give the references of the text that was decoded",
        )
    vocabulary = {word: i for i, word in enumerate(nbest.words)}
    return _statistics(nbest.ids, nbest.offsets, nbest.sentence, references, vocabulary, threads)


def bleu_of_sums(sums: NDArray[Any]) -> NDArray[np.float64]:
    """BLEU from 0 to 100 of summed statistics, not smoothed: 0 where an order has no match.

    Args:
        sums: (..., 9).

    Returns:
        (...)
    """
    sums = np.asarray(sums, np.float64)
    matches, totals = sums[..., 0 : 2 * ORDER : 2], sums[..., 1 : 2 * ORDER : 2]
    length, reference = sums[..., 1], sums[..., 2 * ORDER]
    with np.errstate(divide="ignore", invalid="ignore"):
        log_precision = np.mean(np.log(matches / totals), axis=-1)
        log_brevity = np.minimum(0.0, 1 - reference / length)
        score = 100 * np.exp(log_precision + log_brevity)
    return np.where((matches > 0).all(axis=-1), score, 0.0)


def _statistics(
    ids: NDArray[np.int32],
    offsets: NDArray[np.int64],
    sentence: NDArray[np.int32],
    references: Sequence[Sequence[str]],
    vocabulary: dict[str, int],
    threads: int,
) -> NDArray[np.int32]:
    # All references of a sentence stand together.
    lines = [line for group in zip(*references, strict=True) for line in group]
    reference_ids, reference_offsets = _encode(lines, vocabulary)
    return _bleu.statistics(
        ids, offsets, sentence, reference_ids, reference_offsets, len(references), threads
    )


def _encode(
    lines: Sequence[str], vocabulary: dict[str, int]
) -> tuple[NDArray[np.int32], NDArray[np.int64]]:
    """Word ids of all lines and where each line starts; new words join the vocabulary."""
    tokens = [line.split() for line in lines]
    ids = [vocabulary.setdefault(word, len(vocabulary)) for words in tokens for word in words]
    offsets = np.zeros(len(lines) + 1, np.int64)
    np.cumsum([len(words) for words in tokens], out=offsets[1:])
    return np.array(ids, np.int32), offsets


def _check_lines(sentences: int, references: Sequence[Sequence[str]]) -> None:
    if not references:
        raise InputError("no references")
    for number, lines in enumerate(references):
        if len(lines) != sentences:
            raise InputError(
                f"{sentences} sentences, but {len(lines)} lines in reference {number}",
                mend="line i of each must belong to the same sentence",
            )
