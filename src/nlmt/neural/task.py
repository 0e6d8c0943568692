"""What is to be learnt: a configuration and its texts as numbers."""

import hashlib
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from nlmt.errors import InputError
from nlmt.io.files import read_lines
from nlmt.neural.backoff import BackoffModel
from nlmt.neural.config import NeuralConfig
from nlmt.neural.data import Corpus, Sampling, Texts, read_corpus
from nlmt.neural.model import NeuralLM
from nlmt.neural.parameters import Parameters
from nlmt.neural.short_list import ShortList, train_backoff
from nlmt.neural.structure import Structure, build_structure, fingerprint
from nlmt.ngram.training import ORDERS
from nlmt.vocabulary import Vocabulary, count_words


@dataclass(frozen=True, eq=False)
class Task:
    """A model to be trained.

    Attributes:
        config: parts and training.
        vocabulary: of the training texts, or of the model to start from.
        structure: of the output layer.
        texts: all training texts, one after the other.
        sampling: how many examples of which text a pass has: words and sentence ends, or sentences
            where the network reads them from their beginning.
        counts: (V,) how often each word is predicted in a pass, on average.
        dev: for early stopping.
        start: parameters to start from; None for random ones.
    """

    config: NeuralConfig
    vocabulary: Vocabulary
    structure: Structure
    texts: Texts
    sampling: Sampling
    counts: NDArray[np.float64]
    dev: Corpus
    start: Parameters | None = None

    @classmethod
    def read(
        cls,
        config: NeuralConfig,
        texts: Sequence[Path | str],
        dev: Path | str,
        classes: Path | str | None = None,
        backoff: Path | str | None = None,
        start: NeuralLM | None = None,
    ) -> "Task":
        """Read the texts and the classes.

        Args:
            config: parts and training.
            texts: for training; `resampling` of the configuration has a share for each.
            dev: for early stopping.
            classes: file of word classes, where the output needs one.
            backoff: ARPA file for a short-list; None for a Kneser-Ney model of the texts.
            start: model to go on from; the vocabulary and the classes are its.

        Raises:
            InputError: a text that is too short or unreadable, classes that are missing or do not
                fit, shares that are more or fewer than the texts, a model of other parts.
        """
        shares = config.training.resampling or (1.0,) * len(texts)
        if len(shares) != len(texts):
            raise InputError(
                f"resampling: {len(shares)} shares for {len(texts)} training texts",
                mend="give one share for each text, in their order",
            )
        ngrams: BackoffModel | None = None
        if start is not None:
            _check_parts(config, start)
            vocabulary = start.vocabulary
        else:
            words: Counter[str] = sum((count_words(read_lines(t)) for t in texts), Counter())
            if config.architecture.output != "short-list":
                vocabulary = Vocabulary.from_counts(words, config.architecture.min_count)
            elif backoff is not None:
                ngrams, vocabulary = BackoffModel.read(backoff, words)
            else:
                order = min(config.architecture.order, max(ORDERS))
                ngrams, vocabulary = train_backoff(texts, order, words)
        corpora = [read_corpus(text, vocabulary, at_least=2) for text in texts]
        dev_corpus = read_corpus(dev, vocabulary, at_least=1)
        counts = np.zeros(len(vocabulary))
        for share, corpus in zip(shares, corpora, strict=True):
            counts += share * corpus.target_counts(vocabulary)
        if start is not None:
            structure = start.structure
        else:
            structure = build_structure(config.architecture, vocabulary, counts, classes, ngrams)
        windows = config.architecture.network == "feed-forward"
        sizes = tuple(corpus.events if windows else corpus.sentences for corpus in corpora)
        sampling = Sampling(sizes, shares)
        return cls(
            config,
            vocabulary,
            structure,
            Texts(corpora),
            sampling,
            counts,
            dev_corpus,
            None if start is None else start.parameters,
        )

    @property
    def trained(self) -> NDArray[np.bool_]:
        """(V,) the words that the output layer learns to predict: of a short-list its own."""
        if isinstance(self.structure, ShortList):
            return self.structure.place >= 0
        return np.ones(len(self.vocabulary), dtype=bool)

    def fingerprint(self) -> dict[str, str]:
        """What a checkpoint has to agree with."""
        settings = {key: repr(value) for key, value in self.config.to_dict().items()}
        start = hashlib.sha256()
        for name, values in (self.start or {}).items():
            start.update(name.encode() + np.ascontiguousarray(values).tobytes())
        return settings | {
            "training text": f"{self.texts.fingerprint()} {self.sampling.sizes}",
            "dev text": self.dev.fingerprint(),
            "classes": fingerprint(self.structure, self.vocabulary),
            "model to start from": start.hexdigest(),
        }


def _check_parts(config: NeuralConfig, start: NeuralLM) -> None:
    """Refuse to go on from a model of other parts, by the name of the key."""
    own, wanted = vars(start.config.architecture), vars(config.architecture)
    for key, value in own.items():
        if wanted[key] != value:
            raise InputError(
                f"{key}: {wanted[key]!r}, but the model to start from has {value!r}",
                mend=f"leave {key} out",
            )
