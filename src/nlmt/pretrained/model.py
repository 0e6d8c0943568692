"""A pretrained causal language model as a model of tokenised sentences."""

from collections.abc import Sequence
from itertools import pairwise
from pathlib import Path

import numpy as np
from numpy.typing import NDArray
from typing_extensions import override

from nlmt.errors import InputError
from nlmt.lm.protocol import LanguageModel
from nlmt.pretrained.batches import batches, windows
from nlmt.pretrained.folder import TOKENISER, model_files
from nlmt.pretrained.libraries import import_libraries
from nlmt.pretrained.network import Network
from nlmt.pretrained.settings import PretrainedSettings
from nlmt.pretrained.subwords import Subwords
from nlmt.text import Detokeniser


class PretrainedModel(LanguageModel):
    """Log-probabilities of sentences, each the sum over the sub-words of its running text.

    Every word has an id: the vocabulary is open. Sentences with equal running texts are scored
    once. The result depends on the other sentences of a call, and on the number of threads, only by
    rounding (docs/pretrained.md).
    """

    def __init__(self, settings: PretrainedSettings, *, threads: int = 1) -> None:
        """Load the model of the settings.

        Args:
            settings: checked.
            threads: of the CPU.

        Raises:
            InputError: missing libraries; a folder that is refused, damaged or incomplete; no such
                language.
        """
        folder = Path(settings.path)
        model_files(folder)
        self._settings = settings
        self._detokenise = None if settings.language is None else Detokeniser(settings.language)
        libraries = import_libraries()
        self._subwords = Subwords(folder, libraries, end=settings.end == "eos")
        self._network = Network(
            folder,
            libraries,
            precision=settings.precision,
            device=settings.device,
            threads=threads,
        )
        if self._subwords.size > self._network.size:
            what = f"{self._subwords.size} sub-words, but the network has {self._network.size}"
            raise InputError(what, path=folder / TOKENISER, hint="it belongs to another model")
        self._words: list[str] = []
        self._ids: dict[str, int] = {}

    @override
    def lookup(self, words: Sequence[str]) -> NDArray[np.int32]:
        for word in words:
            if word not in self._ids:
                self._ids[word] = len(self._words)
                self._words.append(word)
        return np.array([self._ids[word] for word in words], np.int32)

    @override
    def score_sentences(
        self, ids: NDArray[np.int32], offsets: NDArray[np.int64]
    ) -> NDArray[np.float64]:
        words = [self._words[i] for i in ids.tolist()]
        texts = [self.running_text(words[a:b]) for a, b in pairwise(offsets.tolist())]
        numbers = {text: number for number, text in enumerate(dict.fromkeys(texts))}
        scores = self._score_texts(list(numbers))
        return scores[[numbers[text] for text in texts]]

    def running_text(self, tokens: Sequence[str]) -> str:
        """The text of a sentence for the model's own tokeniser."""
        line = " ".join(tokens)
        text = line if self._detokenise is None else self._detokenise(line)
        return text if self._settings.casing == "as-is" else _with_capital(text)

    def _score_texts(self, texts: Sequence[str]) -> NDArray[np.float64]:
        """Natural-log probabilities (texts,), each summed in the order of its sub-words."""
        sequences = self._subwords.encode(texts)
        rows = list(windows(sequences, self._network.most))
        parts: dict[tuple[int, int], NDArray[np.float64]] = {}  # by sequence and part
        for batch in batches(rows, self._settings.batch_tokens):
            for row, scores in zip(batch, self._network.score(batch, pad=0), strict=True):
                parts[row.sequence, row.part] = scores
        sums = np.zeros(len(texts))
        for sequence, part in sorted(parts):
            sums[sequence] += parts[sequence, part].sum()
        return sums


def _with_capital(text: str) -> str:
    """The text with its first letter capitalised."""
    for place, letter in enumerate(text):
        if letter.isalpha():
            return text[:place] + letter.upper() + text[place + 1 :]
    return text
