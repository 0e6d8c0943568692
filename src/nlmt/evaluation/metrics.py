"""BLEU, TER and chrF, each on one or several references."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np
import sacrebleu
from numpy.typing import NDArray
from sacrebleu.metrics.base import Metric as OfficialMetric

from nlmt.errors import InputError
from nlmt.evaluation import _statistics
from nlmt.evaluation.metric import Metric


@dataclass(frozen=True)
class Bleu(Metric):
    """BLEU (Papineni et al. 2002).

    Nine statistics: clipped matches and total n-grams of orders 1 to 4 in turn, then the length of
    the closest reference (the shorter one of two). They are those of Moses' score files. Orders
    without a match are smoothed as by sacreBLEU (its `exp`).

    Attributes:
        lowercase: whether case does not count.
        tokenize: sacreBLEU's name of a tokeniser; `none`: words are what spaces part.
    """

    lowercase: bool = True
    tokenize: str = "none"

    name: ClassVar[str] = "BLEU"
    width: ClassVar[int] = 9

    def score(self, sums: NDArray[Any]) -> NDArray[np.float64]:
        """(...) BLEU from 0 to 100 of (..., 9) sums."""
        sums = np.asarray(sums, np.float64)
        matches, totals = sums[..., 0:8:2], sums[..., 1:8:2]
        length, reference = sums[..., 1], sums[..., 8]
        missing = matches == 0
        # The k-th order without a match counts as if it had 2^-k matches.
        smoothed = np.where(missing, 0.5 ** np.cumsum(missing, axis=-1), matches)
        with np.errstate(divide="ignore", invalid="ignore"):
            log_precision = np.mean(np.log(smoothed / totals), axis=-1)
            log_brevity = np.minimum(0.0, 1 - reference / length)
            score = 100 * np.exp(log_precision + log_brevity)
        return np.where((totals > 0).all(axis=-1) & ~missing.all(axis=-1), score, 0.0)

    def prepare(self, line: str) -> str:
        """A line as BLEU counts it."""
        line = line.lower() if self.lowercase else line
        return line if self.tokenize == "none" else str(self._official().tokenizer(line.rstrip()))

    def _keeps_words(self) -> bool:
        return self.tokenize == "none"

    def _official(self) -> sacrebleu.BLEU:
        # `force` only silences a warning about text that is tokenised, as ours may well be.
        return sacrebleu.BLEU(tokenize=self.tokenize, lowercase=self.lowercase, force=True)

    def _count(
        self, corpus: _statistics.Corpus, vocabulary: Sequence[str], threads: int
    ) -> NDArray[np.int32]:
        return _statistics.bleu(corpus, threads)


@dataclass(frozen=True)
class Ter(Metric):
    """Translation edit rate with shifts (Snover et al. 2006), as Tercom counts it.

    Two statistics: the fewest edits to any of R references times R, and the sum of the references'
    lengths.

    Attributes:
        lowercase: whether case does not count.
        normalized: whether punctuation and Chinese and Japanese characters are parted from words,
            as text needs that is not tokenised.
    """

    lowercase: bool = True
    normalized: bool = False

    name: ClassVar[str] = "TER"
    width: ClassVar[int] = 2
    sign: ClassVar[int] = -1

    def score(self, sums: NDArray[Any]) -> NDArray[np.float64]:
        """(...) edits for 100 words of the references; 100 for edits where those are empty."""
        sums = np.asarray(sums, np.float64)
        edits, length = sums[..., 0], sums[..., 1]
        return 100 * np.where(length > 0, edits / np.maximum(length, 1), edits > 0)

    def prepare(self, line: str) -> str:
        """A line as TER counts it."""
        if self.normalized:
            return str(self._official().tokenizer(line.rstrip()))
        return line.lower() if self.lowercase else line

    def _keeps_words(self) -> bool:
        return not self.normalized

    def _official(self) -> sacrebleu.TER:
        return sacrebleu.TER(
            normalized=self.normalized,
            asian_support=self.normalized,
            case_sensitive=not self.lowercase,
        )

    def _count(
        self, corpus: _statistics.Corpus, vocabulary: Sequence[str], threads: int
    ) -> NDArray[np.int32]:
        return _statistics.ter(corpus, threads)


@dataclass(frozen=True)
class Chrf(Metric):
    """chrF (Popovic 2015) of characters 1 to 6 without spaces, recall twice as weighty.

    Eighteen statistics: for each order in turn the n-grams of the hypothesis, those of the best
    reference, and their matches.

    Attributes:
        lowercase: whether case does not count.
    """

    lowercase: bool = True

    name: ClassVar[str] = "chrF"
    width: ClassVar[int] = 18

    def score(self, sums: NDArray[Any]) -> NDArray[np.float64]:
        """(...) F from 0 to 100, of precision and recall averaged over the orders that exist."""
        sums = np.asarray(sums, np.float64)
        ours, theirs, matches = (sums[..., i::3] for i in range(3))
        exists = (ours > 0) & (theirs > 0)
        orders = np.maximum(exists.sum(axis=-1), 1)
        precision = np.where(exists, matches / np.maximum(ours, 1), 0.0).sum(axis=-1) / orders
        recall = np.where(exists, matches / np.maximum(theirs, 1), 0.0).sum(axis=-1) / orders
        weighted = 4 * precision + recall
        return np.where(weighted > 0, 500 * precision * recall / np.where(weighted, weighted, 1), 0)

    def prepare(self, line: str) -> str:
        """A line as chrF counts it."""
        return line.lower() if self.lowercase else line

    def _keeps_words(self) -> bool:
        return True

    def _official(self) -> OfficialMetric:
        return sacrebleu.CHRF(lowercase=self.lowercase)

    def _count(
        self, corpus: _statistics.Corpus, vocabulary: Sequence[str], threads: int
    ) -> NDArray[np.int32]:
        offsets = np.zeros(len(vocabulary) + 1, np.int64)
        np.cumsum([len(word) for word in vocabulary], out=offsets[1:])
        letters: dict[str, int] = {}
        characters = [letters.setdefault(c, len(letters)) for word in vocabulary for c in word]
        return _statistics.chrf(corpus, np.array(characters, np.int32), offsets, threads)


# Of tokenised, lower-cased text.
BLEU, TER, CHRF = Bleu(), Ter(), Chrf()
TOKENISED: tuple[Metric, ...] = (BLEU, TER, CHRF)

_OWN_TOKENISERS = {"zh": "zh", "ja": "char"}  # ja-mecab needs a dictionary that is not installed


def detokenised_metrics(language: str, *, lowercase: bool = True) -> tuple[Metric, ...]:
    """BLEU, TER and chrF of text that is not tokenised, each with its own tokenisation.

    Args:
        language: of the text, an ISO 639-1 code.
        lowercase: whether case does not count: so for translations that are all lower-case.
    """
    if not language:
        raise InputError("no language")
    tokenize = _OWN_TOKENISERS.get(language, "13a")
    return (Bleu(lowercase, tokenize), Ter(lowercase, normalized=True), Chrf(lowercase))
