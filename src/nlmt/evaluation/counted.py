"""Metrics whose statistics are counted by compiled code and checked against sacreBLEU."""

from abc import abstractmethod
from collections.abc import Sequence
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray
from typing_extensions import override

from nlmt.errors import InputError
from nlmt.evaluation import _statistics
from nlmt.evaluation.metric import Metric
from nlmt.io.nbest import NbestList

if TYPE_CHECKING:
    from sacrebleu.metrics.base import Metric as OfficialMetric


class CountedMetric(Metric):
    """A metric of sacreBLEU with our own statistics."""

    @override
    def statistics(
        self, hypotheses: Sequence[str], references: Sequence[Sequence[str]], *, threads: int = 1
    ) -> NDArray[np.int32]:
        check_lines(len(hypotheses), references)
        sentence = np.arange(len(hypotheses), dtype=np.int32)
        return self._count_lines(hypotheses, sentence, references, threads)

    @override
    def nbest_statistics(
        self, nbest: NbestList, references: Sequence[Sequence[str]], *, threads: int = 1
    ) -> NDArray[np.int32]:
        check_lines(len(references[0]) if references else 0, references)
        lines = len(references[0])
        beyond = int(np.searchsorted(nbest.sentence, lines))
        if beyond < len(nbest):
            raise InputError(
                f"the n-best list has a sentence {nbest.sentence[beyond]}, but there are "
                f"{lines} references",
                path=nbest.path,
                line=None if nbest.path is None else nbest.first_line + beyond,
                hint="sentences count from 0; give the references of the text that was decoded",
            )
        # Words of other programs' lists may have spaces of Unicode, at which sacreBLEU parts them.
        if not self._keeps_words() or any(len(word.split()) != 1 for word in nbest.words):
            texts = [nbest.text(i) for i in range(len(nbest))]
            return self._count_lines(texts, nbest.sentence, references, threads)
        vocabulary: dict[str, int] = {}
        prepared = [vocabulary.setdefault(self.prepare(w), len(vocabulary)) for w in nbest.words]
        ids = np.array(prepared, np.int32)[nbest.ids]
        return self._count_ids(ids, nbest.offsets, nbest.sentence, references, vocabulary, threads)

    @override
    def signature(self, references: int) -> str:
        # sacreBLEU has a signature only after scoring. It depends on the text only by the number of
        # references, so one word suffices: TER of 850 sentences would take 3.1 CPU s there.
        self._sacrebleu.corpus_score(["a"], [["a"]] * references)
        return str(self._sacrebleu.get_signature())

    @cached_property
    def _sacrebleu(self) -> Any:
        """SacreBLEU's object, kept because its tokenisers cache lines."""
        return self._official()

    @abstractmethod
    def prepare(self, line: str) -> str:
        """A line as the metric counts it: lower-cased if need be, tokens separated by spaces."""

    def prepare_reference(self, line: str) -> str:
        """A line of a reference as the metric counts it; as a hypothesis, unless overridden."""
        return self.prepare(line)

    @abstractmethod
    def _keeps_words(self) -> bool:
        """Whether `prepare` maps each word to one word, independently of its neighbours."""

    @abstractmethod
    def _official(self) -> "OfficialMetric":
        """Make sacreBLEU's object with the same settings."""

    @abstractmethod
    def _count(
        self, texts: _statistics.EncodedTexts, vocabulary: Sequence[str], threads: int
    ) -> NDArray[np.int32]:
        """Statistics (N, W) of the texts."""

    def _count_lines(
        self,
        hypotheses: Sequence[str],
        sentence: NDArray[np.int32],
        references: Sequence[Sequence[str]],
        threads: int,
    ) -> NDArray[np.int32]:
        vocabulary: dict[str, int] = {}
        ids, offsets = _encode([self.prepare(line) for line in hypotheses], vocabulary)
        return self._count_ids(ids, offsets, sentence, references, vocabulary, threads)

    def _count_ids(
        self,
        ids: NDArray[np.int32],
        offsets: NDArray[np.int64],
        sentence: NDArray[np.int32],
        references: Sequence[Sequence[str]],
        vocabulary: dict[str, int],
        threads: int,
    ) -> NDArray[np.int32]:
        # The references of a sentence are neighbours.
        groups = zip(*references, strict=True)
        lines = [self.prepare_reference(line) for group in groups for line in group]
        encoded = _encode(lines, vocabulary)
        texts = _statistics.EncodedTexts(ids, offsets, sentence, *encoded, len(references))
        return self._count(texts, list(vocabulary), max(threads, 1))


def check_lines(sentences: int, references: Sequence[Sequence[str]]) -> None:
    """Raise InputError if a set of references has another number of lines, or there is none."""
    if not references:
        raise InputError("no references")
    for number, lines in enumerate(references):
        if len(lines) != sentences:
            raise InputError(
                f"{sentences} sentences, but {len(lines)} lines in reference {number}",
                hint="line i of each must belong to the same sentence",
            )


def _encode(
    lines: Sequence[str], vocabulary: dict[str, int]
) -> tuple[NDArray[np.int32], NDArray[np.int64]]:
    """Word ids of all lines, and where each line starts; new words are added to the vocabulary."""
    tokens = [line.split() for line in lines]
    ids = [vocabulary.setdefault(word, len(vocabulary)) for words in tokens for word in words]
    offsets = np.zeros(len(lines) + 1, np.int64)
    np.cumsum([len(words) for words in tokens], out=offsets[1:])
    return np.array(ids, np.int32), offsets
