"""A trained model, and its scores and perplexities."""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray
from typing_extensions import override

from nlmt.errors import InputError
from nlmt.lm.perplexity import Perplexity
from nlmt.lm.protocol import (
    ScoringStatistics,
    SourceModel,
    SourcePositions,
    Stepper,
    SteppingModel,
    WordModel,
    sums_of_sentences,
)
from nlmt.neural import _kernel
from nlmt.neural.model_files import StoredModel
from nlmt.neural.outputs.layout import OutputLayout
from nlmt.neural.parts import NETWORKS
from nlmt.neural.score.layers import make_output_layer
from nlmt.neural.score.ngrams import NgramScorer
from nlmt.neural.score.scorer import Scorer, perplexity
from nlmt.neural.score.sentences import SentenceScorer
from nlmt.neural.settings.neural import NeuralConfig
from nlmt.neural.source.vectors import SourceEncoder
from nlmt.neural.tensors import Parameters
from nlmt.neural.text.files import NO_SOURCE
from nlmt.neural.text.numbered import NumberedText


@dataclass(eq=False)
class NeuralLM(StoredModel, WordModel, SourceModel, SteppingModel):
    """A neural language model.

    Attributes:
        threads: of the CPU; scores do not depend on it, except a transformer's in rounding.
        normalised: whether `score_sentences` and `score_ngrams` divide by the normaliser. Without
            it scores are not probabilities, but cost less; perplexities are always exact.
    """

    threads: int = 1
    normalised: bool = True

    @classmethod
    def load(cls, folder: Path | str, *, threads: int = 1) -> "NeuralLM":
        """Read a model's folder.

        Raises:
            InputError: a file is missing, damaged, or does not fit the others; numbers that are not
                finite.
        """
        return cls(**vars(cls.read(Path(folder))), threads=threads)

    @cached_property
    def _scorer(self) -> Scorer:
        parts = self.config, self.layout, self.parameters
        return make_scorer(*parts, self.threads, self.encoder)

    @property
    @override
    def order(self) -> int | None:
        return None if self.config.reads_sentences else self.config.order

    @override
    def lookup(self, words: Sequence[str]) -> NDArray[np.int32]:
        return self.vocabulary.lookup(words)

    @property
    @override
    def needs_source(self) -> bool:
        return self.source_vocabulary is not None

    @property
    @override
    def needs_alignment(self) -> bool:
        return self.config.needs_alignment

    @property
    def linked_words(self) -> int:
        """Number of linked source words that it sees; see `nlmt.lm.protocol.linked_words`."""
        return self.config.linked_words

    @override
    def lookup_source(self, words: Sequence[str]) -> NDArray[np.int32]:
        if self.source_vocabulary is None:
            raise InputError(NO_SOURCE, hint="leave the source out")
        return self.source_vocabulary.lookup(words)

    @override
    def score_sentences_given(
        self, ids: NDArray[np.int32], offsets: NDArray[np.int64], source: SourcePositions
    ) -> NDArray[np.float64]:
        return self.score_sentences_with_statistics(ids, offsets, source)[0]

    def score_sentences_with_statistics(
        self,
        ids: NDArray[np.int32],
        offsets: NDArray[np.int64],
        source: SourcePositions | None = None,
    ) -> tuple[NDArray[np.float64], ScoringStatistics]:
        """Natural-log probability of each sentence with its `</s>`, and statistics of the call.

        The arguments are those of `LanguageModel.score_sentences`, and the source of a model that
        is conditioned on it.

        Raises:
            InputError: a missing or unexpected source.
        """
        scores, statistics = self._events(ids, offsets, source)
        return sums_of_sentences(scores, offsets), statistics

    @override
    def score_words(
        self, ids: NDArray[np.int32], offsets: NDArray[np.int64]
    ) -> NDArray[np.float64]:
        return self._events(ids, offsets, None)[0]

    def score_words_given(
        self, ids: NDArray[np.int32], offsets: NDArray[np.int64], source: SourcePositions
    ) -> NDArray[np.float64]:
        """Natural-log probability (words + sentences,) of each word and `</s>` given the source."""
        return self._events(ids, offsets, source)[0]

    def _events(
        self,
        ids: NDArray[np.int32],
        offsets: NDArray[np.int64],
        source: SourcePositions | None,
    ) -> tuple[NDArray[np.float64], ScoringStatistics]:
        """Scores of words and sentence ends."""
        self._check_source(source)
        return self._scorer.events(ids, offsets, source, normalised=self.normalised)

    def _check_source(self, source: object | None) -> None:
        if self.needs_source and source is None:
            what = "the model is conditioned on the source, but none is given"
            aligned = " and alignment" if self.needs_alignment else ""
            raise InputError(what, hint=f"give source sentences{aligned}")
        if not self.needs_source and source is not None:
            raise InputError(NO_SOURCE, hint="leave source and alignment out")

    def score_ngrams(
        self,
        contexts: NDArray[np.int32],
        words: NDArray[np.int32],
        source: SourcePositions | None = None,
    ) -> NDArray[np.float64]:
        """Natural-log probability (n,) of words (n,) after contexts (n, order - 1).

        The oldest word of a context comes first; the beginning of a sentence is padded with `<s>`.
        A model that is conditioned on the source takes the positions of the words there.

        Raises:
            InputError: the model is not feed-forward; a missing or unexpected source.
        """
        self._check_source(source)
        return self._scorer.ngrams(contexts, words, source, normalised=self.normalised)[0]

    @override
    def stepper(self) -> Stepper[Any]:
        return self._scorer.stepper(normalised=self.normalised)

    def start(self, n: int) -> Any:
        """The states of n sentences after `<s>`, for `step`."""
        return self.stepper().start(n)

    def step(
        self,
        states: Any,
        words: NDArray[np.int32],
        source: SourcePositions | None = None,
    ) -> tuple[NDArray[np.float64], Any]:
        """Natural-log probability (n,) of a word after each of n states; the states after them.

        A model that is conditioned on the source takes the positions of the words there.

        The scores of the words of a sentence and of `</s>` add up to that of `score_sentences`.
        Rows of states can be taken any number of times and joined (`take` and `join` of `stepper`),
        so that the paths of a lattice go on together.

        Raises:
            InputError: no state, or another number of words; a missing or unexpected source.
        """
        self._check_source(source)
        if not len(states) == len(words) > 0:
            what = f"{len(words)} words for {len(states)} states"
            raise InputError(what, hint="give one word for each state, at least one")
        stepper, rows = self.stepper(), np.arange(len(words))
        scores = stepper.score(states, rows, words, source)
        return scores, stepper.advance(states, rows, words, source)

    def text_perplexity(self, text: NumberedText) -> Perplexity:
        """Exactly normalised perplexity of at least one sentence, with its source if it has one.

        Raises:
            InputError: a missing or unexpected source.
        """
        self._check_source(text.source)
        return perplexity(self._scorer, text, self.vocabulary)

    def mean_abs_log_z(self, text: NumberedText) -> float:
        """Mean |log Z| over the words and sentence ends of a text; see `abs_log_z`."""
        return float(self.abs_log_z(text).sum()) / text.events

    def abs_log_z(self, text: NumberedText) -> NDArray[np.float64]:
        """|log Z| (sentences,) of one or more sentences, summed over events (Devlin et al. 2014).

        Z is the normaliser of a word's score, the product of both under a class-factored output.
        Near 0, unnormalised scores are close to probabilities.

        Raises:
            InputError: a missing or unexpected source.
        """
        self._check_source(text.source)
        sums = []
        for piece in text.pieces():
            words = piece.ids, piece.offsets, piece.source_positions()
            unnormalised = self._scorer.events(*words, normalised=False)[0]
            log_z = np.abs(unnormalised - self._scorer.events(*words)[0])
            sums.append(np.add.reduceat(log_z, piece.begins[:-1]))
        return np.concatenate(sums)


def make_scorer(
    config: NeuralConfig,
    layout: OutputLayout,
    parameters: Parameters,
    threads: int,
    encoder: SourceEncoder | None = None,
) -> Scorer:
    """The scorer of a model with these parameters.

    No score depends on `threads`, except a transformer's in rounding. The encoder is that of the
    source's vectors beside the words, if there are any.
    """
    network = NETWORKS.get(config.network)
    if network.reads_sentences:
        reader = network.reader(config, layout, parameters, threads)
        return SentenceScorer(reader, encoder)
    layers = network.compiled(config, layout, parameters)
    assert isinstance(layers, _kernel.Input32)
    output = make_output_layer(layout, config.hidden_dim, parameters)
    return NgramScorer(config, layout, layers.hidden, output, threads, encoder)
