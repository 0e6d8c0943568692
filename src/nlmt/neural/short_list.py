"""A softmax over the most frequent words, and a back-off model for all others.

Schwenk 2010, equations 7 and 8: P(w | h) = P_N(w | h) P_S(h) for a word of the short-list, where
P_S(h) is what the back-off model gives all of them together; the back-off model's for the others.
"""

import tempfile
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from nlmt.errors import InputError
from nlmt.io.files import read_lines, write_lines
from nlmt.neural import _kernel
from nlmt.neural.backoff import BackoffModel, Level
from nlmt.neural.reading import count_texts
from nlmt.neural.tensors import Tensors
from nlmt.neural.text_files import TextFiles
from nlmt.ngram import train_arpa
from nlmt.ngram.training import ORDERS
from nlmt.vocabulary import Vocabulary

HEADER = "short-list"


@dataclass(frozen=True, eq=False)
class ShortList:
    """Some words of a vocabulary, and the model of the others.

    Attributes:
        listed: (s,) the words with a row of the output layer.
        backoff: over all V words.
        mass: P_S(h) for every context of the back-off model; see `BackoffModel.mass`.
    """

    listed: NDArray[np.int32]
    backoff: BackoffModel
    mass: tuple[NDArray[np.float64], ...]
    name = "listed words"

    @classmethod
    def most_frequent(
        cls, size: int, counts: NDArray[np.float64], backoff: BackoffModel, vocabulary: Vocabulary
    ) -> "ShortList":
        """The `size` words with the highest counts (V,); `<unk>` and `<s>` are not among them."""
        order = np.argsort(-counts, kind="stable")
        eligible = order[(order != vocabulary.unknown) & (order != vocabulary.begin)]
        listed = eligible[:size].astype(np.int32)
        return cls(listed, backoff, backoff.mass(listed))

    @classmethod
    def load(cls, path: Path | str, tensors: Tensors, vocabulary: Vocabulary) -> "ShortList":
        """Read the words that `rows` gave, and what `arrays` gave.

        Raises:
            InputError: a file that is damaged, or does not fit the vocabulary.
        """
        number = {word: i for i, word in enumerate(vocabulary.words)}
        heading, *words = [*read_lines(path), ""][:-1] or [""]
        known = bool(words) and all(word in number for word in words)
        if heading != HEADER or not known or len(set(words)) < len(words):
            what = "no short-list of words of the vocabulary"
            raise InputError(what, path=path, hint="it belongs to another model")
        listed = np.array([number[word] for word in words], dtype=np.int32)
        nothing = np.zeros(0)
        levels: list[Level] = []
        mass: list[NDArray[np.float64]] = []
        while (begin := f"backoff.{len(levels)}.") + "mass" in tensors:
            log_p, log_backoff = (tensors.get(begin + x, nothing) for x in ("log_p", "log_backoff"))
            levels.append(Level(tensors.get(begin + "keys", nothing), log_p, log_backoff))
            mass.append(tensors[begin + "mass"])
        sizes = [len(level.keys) for level in levels]
        fits = bool(sizes) and sizes[0] == len(vocabulary)
        fits = fits and [len(one) for one in mass] == [1, *sizes[:-1]]
        for level, below in zip(levels, [1, *sizes], strict=False):
            fits = fits and len(level.log_p) == len(level.log_backoff) == len(level.keys) > 0
            fits = fits and bool(np.all(np.diff(level.keys) > 0))
            fits = fits and level.keys[0] >= 0 and level.keys[-1] < below * len(vocabulary)
        if not fits:
            what = "the arrays of the model's back-off model do not fit"
            raise InputError(what, path=path, hint="it belongs to another model")
        return cls(listed, BackoffModel(len(vocabulary), tuple(levels)), tuple(mass))

    def arrays(self) -> Tensors:
        """The back-off model and the mass of the short-list."""
        return {
            f"backoff.{k}.{name}": values
            for k, (level, mass) in enumerate(zip(self.backoff.levels, self.mass, strict=True))
            for name, values in {**vars(level), "mass": mass}.items()
        }

    def rows(self, vocabulary: Vocabulary) -> list[str]:
        """The words of the list, with a heading."""
        return [HEADER, *(vocabulary.words[word] for word in self.listed)]

    @property
    def words(self) -> int:
        """V."""
        return self.backoff.words

    @property
    def count(self) -> int:
        """Number of words of the list."""
        return len(self.listed)

    @cached_property
    def place(self) -> NDArray[np.int32]:
        """(V,) row of each word, -1 for those that are not in the list."""
        place = np.full(self.words, -1, dtype=np.int32)
        place[self.listed] = np.arange(len(self.listed))
        return place

    def shapes(self, dim: int) -> dict[str, tuple[int, ...]]:
        """See `Structure`."""
        return {"output_weight": (self.count, dim), "output_bias": (self.count,)}

    def unigram_biases(self, counts: NDArray[np.float64]) -> dict[str, NDArray[np.float64]]:
        """See `Structure`: within the list."""
        own = counts[self.listed]
        return {"output_bias": np.log(own / own.sum())}

    def score(
        self,
        histories: NDArray[np.int32],
        of: NDArray[np.int64],
        words: NDArray[np.int32],
        listed: Callable[[NDArray[np.bool_]], NDArray[np.float64]],
    ) -> NDArray[np.float64]:
        """Natural-log probability (n,) of words (n,): Schwenk 2010, equation 7.

        Args:
            histories: (m, k) last words, the oldest first.
            of: (n,) row of the history of each word.
            words: (n,).
            listed: scores of those of the words that are chosen (n,), within the short-list.
        """
        own = self.place[words] >= 0
        result = np.empty(len(words))
        mass = self.backoff.find_mass(self.mass, histories)
        result[own] = listed(own) + np.log(mass)[of[own]]
        result[~own] = self.backoff.log_probabilities(histories[of[~own]], words[~own])
        return result

    def compiled(self, dim: int) -> _kernel.Output32:
        """See `Structure`; words that are not in the list are not covered."""
        return _kernel.ClassOutput32(self.place, self.count, dim, True)


def read_backoff(
    files: TextFiles, order: int, arpa: Path | str | None
) -> tuple[BackoffModel, Vocabulary]:
    """The back-off model of a short-list, and its words by falling counts in the training texts.

    Words that encoded texts have been numbered with keep their numbers.

    Args:
        files: the training texts.
        order: of a Kneser-Ney model of these texts, unless one is given.
        arpa: the model that is given.

    Raises:
        InputError: texts without words; some of them are encoded and others are not, or with
            different words; the model lacks some of them; there is none, and rare words were left
            out.
    """
    given = files.common_vocabulary()
    if given is None:
        counts, _ = count_texts(files.paths)
        if not counts:
            hint = "give a longer text, one sentence a line"
            raise InputError("no sentence with words", path=files.paths[0], hint=hint)
    else:
        counts = Counter({word: len(given) - i for i, word in enumerate(given.words)})
        others = [path for path in files.paths if path not in files.encoded]
        if others:
            what = "not encoded, as other texts are, whose words a short-list would be left with"
            raise InputError(what, path=others[0], hint="encode all texts in one call")
    if arpa is not None:
        model, vocabulary = BackoffModel.read(arpa, counts)
    else:
        model, vocabulary = train_backoff(files, min(order, max(ORDERS)), counts)
    if given is not None and vocabulary.words[: len(given)] != given.words:
        known = set(vocabulary.words)
        lost = next(word for word in given.words if word not in known)
        what = f"the back-off model does not know {lost!r}, a word of the encoded texts"
        raise InputError(what, path=arpa, hint="encode without --vocabulary, or with its words")
    return model, vocabulary


def train_backoff(
    files: TextFiles, order: int, counts: Counter[str]
) -> tuple[BackoffModel, Vocabulary]:
    """A Kneser-Ney model of texts, and its words by falling `counts`."""
    for path, encoded in files.encoded.items():
        if encoded.corpus.target_counts(encoded.vocabulary)[encoded.vocabulary.unknown]:
            what = "encoded without its rare words, which the back-off model of a short-list needs"
            raise InputError(what, path=path, hint="encode with --min-count 1, or give --backoff")
    with tempfile.TemporaryDirectory() as folder:
        text, arpa = Path(folder) / "text", Path(folder) / "arpa"
        write_lines(text, files.lines())
        train_arpa(text, arpa, order=order)
        return BackoffModel.read(arpa, counts)
