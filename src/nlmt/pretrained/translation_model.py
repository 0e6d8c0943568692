"""A pretrained encoder-decoder model as a model of sentences given their source."""

from collections.abc import Iterator, Sequence
from pathlib import Path

import numpy as np
from numpy.typing import NDArray
from typing_extensions import override

from nlmt.errors import InputError
from nlmt.lm.protocol import SourceModel, SourcePositions
from nlmt.pretrained.folder import model_files
from nlmt.pretrained.libraries import import_libraries
from nlmt.pretrained.network import TranslationNetwork
from nlmt.pretrained.settings import PretrainedSettings
from nlmt.pretrained.texts import Texts
from nlmt.pretrained.translation_subwords import TranslationSubwords


class PretrainedTranslationModel(SourceModel):
    """Log-probabilities of translations, each the sum over its sub-words given the source.

    Both vocabularies are open. Equal translations of equal sources are scored once. The result
    depends on the other sentences of a call, and on the number of threads, only by rounding.
    """

    needs_source = True
    needs_alignment = False

    def __init__(self, settings: PretrainedSettings, *, threads: int = 1) -> None:
        """Load the model of the settings.

        The settings have a `source_language`.

        Raises:
            InputError: missing libraries; a folder that is refused, damaged or incomplete; no such
                language.
        """
        self._folder = folder = Path(settings.path)
        model_files(folder, translates=True)
        detokenised = settings.language is not None
        self._texts = Texts(settings.language, settings.casing)
        self._sources = Texts(settings.source_language if detokenised else None, settings.casing)
        libraries = import_libraries()
        self._subwords = TranslationSubwords(settings, libraries)
        self._network = TranslationNetwork(settings, libraries, threads)
        self._batch_tokens = settings.batch_tokens

    @override
    def lookup(self, words: Sequence[str]) -> NDArray[np.int32]:
        return self._texts.lookup(words)

    @override
    def lookup_source(self, words: Sequence[str]) -> NDArray[np.int32]:
        return self._sources.lookup(words)

    @override
    def score_sentences(
        self, ids: NDArray[np.int32], offsets: NDArray[np.int64]
    ) -> NDArray[np.float64]:
        raise InputError("the model scores translations given their source", hint="give the source")

    @override
    def score_sentences_given(
        self, ids: NDArray[np.int32], offsets: NDArray[np.int64], source: SourcePositions
    ) -> NDArray[np.float64]:
        texts = self._texts.of_sentences(ids, offsets)
        sources = self._sources.of_sentences(source.ids, source.offsets)
        begins = offsets[:-1] + np.arange(len(texts))  # with </s> after each sentence
        pairs = [
            (sources[of], text) for of, text in zip(source.of[begins].tolist(), texts, strict=True)
        ]
        of_source: dict[str, dict[str, float]] = {}
        for one, text in pairs:
            of_source.setdefault(one, {})[text] = 0.0
        for one, found in of_source.items():
            found.update(self._score(one, list(found)))
        return np.array([of_source[one][text] for one, text in pairs])

    def _score(self, source: str, targets: Sequence[str]) -> Iterator[tuple[str, float]]:
        """Translations of a source sentence with their scores."""
        of_source, encoded = self._subwords.encode(source, targets)
        self._check_size(of_source, self._network.size)
        self._check_size([i for ids in encoded for i in ids], self._network.target_size)
        longest = max(len(of_source), *map(len, encoded))
        if self._network.most is not None and longest > self._network.most:
            what = f"{longest} sub-words, but the model sees {self._network.most}: {source!r}"
            raise InputError(what, hint="leave such sentences out, or cut them")
        order = sorted(range(len(targets)), key=lambda row: -len(encoded[row]))
        while order:
            size = max(1, self._batch_tokens // max(1, len(encoded[order[0]])))
            batch, order = order[:size], order[size:]
            scores = self._network.score(of_source, [encoded[row] for row in batch])
            for row, found in zip(batch, scores, strict=True):
                yield targets[row], float(found.sum())

    def _check_size(self, ids: Sequence[int], size: int) -> None:
        """Refuse sub-words that the network does not have."""
        if max(ids) >= size:
            what = f"sub-word {max(ids)}, but the network has {size}"
            raise InputError(what, path=self._folder, hint="the tokeniser is of another model")
