"""A pretrained causal language model as a model of tokenised sentences."""

from collections.abc import Sequence
from pathlib import Path

import numpy as np
from numpy.typing import NDArray
from typing_extensions import override

from nlmt.errors import InputError
from nlmt.lm.protocol import LanguageModel
from nlmt.pretrained.batches import batches, windows
from nlmt.pretrained.folder import TOKENISER, model_files
from nlmt.pretrained.libraries import import_libraries
from nlmt.pretrained.network import CausalNetwork
from nlmt.pretrained.settings import PretrainedSettings
from nlmt.pretrained.subwords import Subwords
from nlmt.pretrained.texts import Texts


class PretrainedModel(LanguageModel):
    """Log-probabilities of sentences, each the sum over the sub-words of its running text.

    Every word has an id: the vocabulary is open. Sentences with equal running texts are scored
    once. The result depends on the other sentences of a call, and on the number of threads, only by
    rounding (docs/pretrained.md).
    """

    def __init__(self, settings: PretrainedSettings, *, threads: int = 1) -> None:
        """Load the model of the settings.

        Raises:
            InputError: missing libraries; a folder that is refused, damaged or incomplete; no such
                language.
        """
        folder = Path(settings.path)
        model_files(folder)
        self._settings = settings
        self._texts = Texts(settings.language, settings.casing)
        libraries = import_libraries()
        self._subwords = Subwords(folder, libraries, end=settings.end == "eos")
        self._network = CausalNetwork(settings, libraries, threads)
        if self._subwords.size > self._network.size:
            what = f"{self._subwords.size} sub-words, but the network has {self._network.size}"
            raise InputError(what, path=folder / TOKENISER, hint="it belongs to another model")

    @override
    def lookup(self, words: Sequence[str]) -> NDArray[np.int32]:
        return self._texts.lookup(words)

    @override
    def score_sentences(
        self, ids: NDArray[np.int32], offsets: NDArray[np.int64]
    ) -> NDArray[np.float64]:
        texts = self._texts.of_sentences(ids, offsets)
        numbers = {text: number for number, text in enumerate(dict.fromkeys(texts))}
        scores = self._score_texts(list(numbers))
        return scores[[numbers[text] for text in texts]]

    def _score_texts(self, texts: Sequence[str]) -> NDArray[np.float64]:
        """Natural-log probabilities (texts,), each summed in the order of its sub-words."""
        sequences = self._subwords.encode(texts)
        rows = list(windows(sequences, self._network.most))
        parts: dict[tuple[int, int], NDArray[np.float64]] = {}  # by sequence and part
        for batch in batches(rows, self._settings.batch_tokens):
            for row, scores in zip(batch, self._network.score(batch), strict=True):
                parts[row.sequence, row.part] = scores
        sums = np.zeros(len(texts))
        for sequence, part in sorted(parts):
            sums[sequence] += parts[sequence, part].sum()
        return sums
