"""Perplexity of a text, computed in the same way for every language model.

Two conventions are common and both are reported, because they differ by several points if the text
has words outside the vocabulary:

- *with OOV*: every word and the `</s>` of every sentence is an event; a word outside the vocabulary
  has the model's probability of `<unk>`.
- *without OOV*: words outside the vocabulary are in the contexts of the words after them, but are
  not events. (KenLM's `query` prints both.)
"""

import math
from collections.abc import Iterable, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from nlmt.chunks import in_chunks
from nlmt.errors import InputError
from nlmt.io.files import read_lines
from nlmt.lm.conditioned_text import ConditionedText, read_given
from nlmt.lm.protocol import (
    LanguageModel,
    SourceModel,
    SourceWordModel,
    WordModel,
    number_words,
    sums_of_sentences,
)
from nlmt.steps import counted, step
from nlmt.vocabulary import UNKNOWN

BLOCK = 100_000  # lines in memory at a time
GIVEN_BLOCK = 5000  # with their sources, of which a model may have kilobytes for each word


@dataclass(frozen=True)
class Perplexity:
    """Sums over a text of at least one sentence, and the resulting perplexities.

    Attributes:
        log_probability: natural logarithm, of all words and the `</s>` of each sentence.
        log_probability_without_oov: without the words outside the vocabulary.
        words: number of words, including those outside the vocabulary, but not `<s>` and `</s>`.
        sentences: number of sentences, which is the number of `</s>`.
        oov: number of words outside the vocabulary.
    """

    log_probability: float
    log_probability_without_oov: float
    words: int
    sentences: int
    oov: int

    def __post_init__(self) -> None:
        if self.sentences < 1 or not 0 <= self.oov <= self.words:
            raise ValueError(
                f"a perplexity needs a sentence and 0 <= oov <= words, not {self.sentences} "
                f"sentences, {self.words} words, {self.oov} of them out of vocabulary"
            )

    @property
    def events(self) -> int:
        """Number of words and sentence ends, by which the log-probability is divided."""
        return self.words + self.sentences

    @property
    def perplexity(self) -> float:
        """Perplexity per word and `</s>`, words outside the vocabulary included."""
        return _exp(-self.log_probability / self.events)

    @property
    def perplexity_without_oov(self) -> float:
        """Perplexity per word and `</s>`, words outside the vocabulary left out."""
        return _exp(-self.log_probability_without_oov / (self.events - self.oov))

    def to_dict(self) -> dict[str, float | int]:
        """All sums and both perplexities under their names, ready for JSON."""
        return {
            **asdict(self),
            "events": self.events,
            "perplexity": self.perplexity,
            "perplexity_without_oov": self.perplexity_without_oov,
        }


def measure(model: LanguageModel, lines: Iterable[str]) -> Perplexity:
    """Perplexity of a model on a text, one sentence a line.

    Words are out of vocabulary if the model gives them the id of `<unk>`; of interpolated models,
    if no model knows them.

    Raises:
        InputError: a text without a line; a word outside the vocabulary of a model that scores
            whole sentences only.
    """
    return _sums(model, lines).perplexity()


def _sums(model: LanguageModel, lines: Iterable[str]) -> "PerplexitySums":
    unknown = model.lookup([UNKNOWN])[0]
    sums = PerplexitySums()
    with step("measure the perplexity") as progress:
        for block in in_chunks(lines, BLOCK):
            ids, offsets = number_words(model, block)
            if isinstance(model, WordModel):
                sums.add_words(model.score_words(ids, offsets), ids == unknown, offsets)
            else:
                sums.add_sentences(model.score_sentences(ids, offsets), ids == unknown)
            progress.done += len(block)
    return sums


def _sums_given(model: SourceModel, text: ConditionedText) -> "PerplexitySums":
    unknown = model.lookup([UNKNOWN])[0]
    sums = PerplexitySums()
    blocks = text.blocks(GIVEN_BLOCK)
    for block in counted(blocks, "measure the perplexity", unit="blocks of sentences"):
        rows = block.ids, block.offsets, block.source
        if isinstance(model, SourceWordModel):
            sums.add_words(model.score_words_given(*rows), block.ids == unknown, block.offsets)
        else:
            sums.add_sentences(model.score_sentences_given(*rows), block.ids == unknown)
    return sums


def measure_text(
    model: LanguageModel, text: Path | str, source: Sequence[Path | str] = ()
) -> Perplexity:
    """Perplexity of a model on a file, given its source where there is one.

    `source` are the source sentences and, if the model needs it, the alignment, line for line.

    Raises:
        InputError: as in `measure` and `ConditionedText.read`; source files for a model that takes
            none.
    """
    return measure_sentences(model, text, source)[0]


def measure_sentences(
    model: LanguageModel, text: Path | str, source: Sequence[Path | str] = ()
) -> tuple[Perplexity, NDArray[np.float64]]:
    """Perplexity as of `measure_text`, and the natural-log probability of each sentence.

    Raises:
        InputError: as in `measure_text`.
    """
    given = read_given(model, text, *source) if source else None
    sums = _sums_given(*given) if given else _sums(model, read_lines(text))
    return sums.perplexity(text), sums.of_sentences()


class PerplexitySums:
    """Sums over the blocks of a text."""

    def __init__(self) -> None:
        self._total = self._without_oov = 0.0
        self._words = self._sentences = self._oov = 0
        self._of_sentences: list[NDArray[np.float64]] = []

    def add_words(
        self, scores: NDArray[np.float64], unknown: NDArray[np.bool_], offsets: NDArray[np.int64]
    ) -> None:
        """Add scores (words + sentences,), given which words (words,) are unknown."""
        out = np.insert(unknown, offsets[1:], False)
        self._of_sentences.append(sums_of_sentences(scores, offsets))
        self._total += float(scores.sum())
        self._without_oov += float(scores[~out].sum())
        self._words += len(unknown)
        self._sentences += len(offsets) - 1
        self._oov += int(out.sum())

    def add_sentences(self, scores: NDArray[np.float64], unknown: NDArray[np.bool_]) -> None:
        """Add scores (sentences,); none of the words (words,) may be unknown."""
        if unknown.any():
            what = "a model of whole sentences cannot leave out unknown words"
            raise InputError(what, hint="measure it on words of its vocabulary")
        self._of_sentences.append(scores)
        self._total += float(scores.sum())
        self._without_oov = self._total
        self._words += len(unknown)
        self._sentences += len(scores)

    def of_sentences(self) -> NDArray[np.float64]:
        """Natural-log probability of each sentence."""
        return np.concatenate(self._of_sentences)

    def perplexity(self, text: Path | str | None = None) -> Perplexity:
        """The perplexity of a text, whose path is for messages."""
        if self._sentences == 0:
            what = "no perplexity of a text without a line"
            raise InputError(what, path=text, hint="give a longer text")
        return Perplexity(self._total, self._without_oov, self._words, self._sentences, self._oov)


def _exp(exponent: float) -> float:
    """Exponential of `exponent`; infinity if too large for a float."""
    try:
        return math.exp(exponent)
    except OverflowError:
        return math.inf
