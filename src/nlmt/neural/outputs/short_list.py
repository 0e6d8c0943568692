"""A softmax over the most frequent words, and a back-off model for all others.

Schwenk 2010, equations 7 and 8: P(w | h) = P_N(w | h) P_S(h) for a word of the short-list, where
P_S(h) is the back-off model's probability of all of them together; the back-off model's P(w | h)
for the others.
"""

from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray
from typing_extensions import override

from nlmt.errors import InputError
from nlmt.io.files import read_lines, write_lines
from nlmt.io.temporary import temporary_folder
from nlmt.lm.kinds import TrainingData
from nlmt.neural import _kernel
from nlmt.neural.outputs.layout import Arrays, ListArrays, OutputArrays, OutputLayout
from nlmt.neural.settings.architecture import Architecture
from nlmt.neural.text.files import TextFiles
from nlmt.ngram import train_arpa
from nlmt.ngram.backoff import BackoffModel, Level
from nlmt.ngram.training import ORDERS, job_memory
from nlmt.vocabulary import Vocabulary

if TYPE_CHECKING:
    from torch import nn

HEADER = "short-list"


@dataclass(frozen=True, eq=False)
class ShortList(OutputLayout):
    """The words of the short-list, and the model of the others.

    Attributes:
        listed: (s,) the words with a row of the output layer.
        backoff: over all V words.
        mass: P_S(h) for every context of the back-off model; see `BackoffModel.mass`.
    """

    listed: NDArray[np.int32]
    backoff: BackoffModel
    mass: tuple[NDArray[np.float64], ...]

    keys = ("short_list", "order")  # `order` is the back-off model's
    contrasts = True
    decodes = True
    all_words = True  # which the back-off model knows
    name = "listed words"

    @classmethod
    @override
    def read(
        cls, settings: Architecture, texts: TextFiles, data: TrainingData
    ) -> tuple[Vocabulary, Callable[[NDArray[np.float64]], OutputLayout]]:
        backoff, vocabulary = read_backoff(texts, settings.order, data)
        return vocabulary, lambda counts: cls.most_frequent(
            settings.short_list, counts, backoff, vocabulary
        )

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
    @override
    def load(cls, path: Path, vocabulary: Vocabulary, arrays: Arrays) -> "ShortList":
        number = {word: i for i, word in enumerate(vocabulary.words)}
        heading, *words = list(read_lines(path)) or [""]
        known = bool(words) and all(word in number for word in words)
        if heading != HEADER or not known or len(set(words)) < len(words):
            what = "no short-list of words of the vocabulary"
            raise InputError(what, path=path, hint="it belongs to another model")
        listed = np.array([number[word] for word in words], dtype=np.int32)
        nothing = np.zeros(0)
        levels: list[Level] = []
        mass: list[NDArray[np.float64]] = []
        while (begin := f"backoff.{len(levels)}.") + "mass" in arrays:
            log_p, log_backoff = (arrays.get(begin + x, nothing) for x in ("log_p", "log_backoff"))
            levels.append(Level(arrays.get(begin + "keys", nothing), log_p, log_backoff))
            mass.append(arrays[begin + "mass"])
        sizes = [len(level.keys) for level in levels]
        flat = all(part.ndim == 1 for name, part in arrays.items() if name.startswith("backoff."))
        fits = flat and bool(sizes) and sizes[0] == len(vocabulary)
        fits = fits and [len(one) for one in mass] == [1, *sizes[:-1]]
        for level, below in zip(levels, [1, *sizes], strict=False):
            fits = fits and len(level.log_p) == len(level.log_backoff) == len(level.keys) > 0
            fits = fits and bool(np.all(np.diff(level.keys) > 0))
            fits = fits and level.keys[0] >= 0 and level.keys[-1] < below * len(vocabulary)
        if not fits:
            what = "the arrays of the model's back-off model do not fit"
            raise InputError(what, path=path, hint="it belongs to another model")
        return cls(listed, BackoffModel(len(vocabulary), tuple(levels)), tuple(mass))

    @override
    def arrays(self) -> dict[str, NDArray[Any]]:
        return {
            f"backoff.{k}.{name}": values
            for k, (level, mass) in enumerate(zip(self.backoff.levels, self.mass, strict=True))
            for name, values in {**vars(level), "mass": mass}.items()
        }

    @override
    def arrays_fingerprint(self) -> str:
        return self.backoff.fingerprint()

    @override
    def rows(self, vocabulary: Vocabulary) -> list[str]:
        return [HEADER, *(vocabulary.words[word] for word in self.listed)]

    @property
    @override
    def words(self) -> int:
        return self.backoff.words

    @property
    @override
    def count(self) -> int:
        return len(self.listed)

    @cached_property
    def place(self) -> NDArray[np.int32]:
        """Row of each word (V,), -1 for words outside the list."""
        place = np.full(self.words, -1, dtype=np.int32)
        place[self.listed] = np.arange(len(self.listed))
        return place

    @property
    @override
    def predicted(self) -> NDArray[np.bool_]:
        return self.place >= 0

    @property
    @override
    def history(self) -> int:
        return self.backoff.order - 1

    @override
    def shapes(self, dim: int) -> dict[str, tuple[int, ...]]:
        return {"output_weight": (self.count, dim), "output_bias": (self.count,)}

    @override
    def unigram_biases(self, counts: NDArray[np.float64]) -> dict[str, NDArray[np.float64]]:
        own = counts[self.listed]
        return {"output_bias": np.log(own / own.sum())}

    @override
    def complete(
        self,
        histories: NDArray[np.int32],
        of: NDArray[np.int64],
        words: NDArray[np.int32],
        layer: Callable[[NDArray[np.bool_]], NDArray[np.float64]],
    ) -> NDArray[np.float64]:
        # Schwenk 2010, equation 7.
        own = self.place[words] >= 0
        result = np.empty(len(words))
        mass = self.backoff.find_mass(self.mass, histories)
        result[own] = layer(own) + np.log(mass)[of[own]]
        result[~own] = self.backoff.log_probabilities(histories[of[~own]], words[~own])
        return result

    @override
    def torch_layer(self, dim: int) -> "nn.Module":
        from nlmt.neural.torch_backend.softmax_output import ShortListOutput

        return ShortListOutput(self.place, self.count, dim)

    @override
    def compiled(self, dim: int) -> _kernel.Output32:
        return _kernel.ClassOutput32(self.place, self.count, dim, True)

    @classmethod
    @override
    def typical_products(cls, settings: Architecture, words: int) -> int:
        return settings.short_list

    @override
    def decoder_arrays(self, parameters: Arrays) -> OutputArrays:
        return OutputArrays(
            parameters["output_weight"],
            parameters["output_bias"],
            short_list=ListArrays(self.place, self.backoff, self.mass),
        )


def read_backoff(
    texts: TextFiles, order: int, data: TrainingData
) -> tuple[BackoffModel, Vocabulary]:
    """The back-off model of a short-list, and its words by falling count in the training texts.

    Words of encoded texts keep their numbers.

    `order` is that of a Kneser-Ney model of the texts, unless a model is given (`data.backoff`).

    Raises:
        InputError: texts without words; only some texts are encoded, or with different words; the
            model lacks some of the words; there is no model, and rare words were left out.
    """
    counts = texts.count_words()
    if data.backoff is not None:
        model, vocabulary = BackoffModel.read(data.backoff, counts)
    else:
        texts.require_all_words()
        with temporary_folder() as folder:
            text, trained = folder / "text", folder / "arpa"
            write_lines(text, texts.lines())
            memory = job_memory(data.memory_mb)
            train_arpa(text, trained, order=min(order, max(ORDERS)), memory=memory)
            model, vocabulary = BackoffModel.read(trained, counts)
    given = texts.common_vocabulary()
    if given is not None and vocabulary.words[: len(given)] != given.words:
        known = set(vocabulary.words)
        lost = next(word for word in given.words if word not in known)
        what = f"the back-off model does not know {lost!r}, a word of the encoded texts"
        raise InputError(
            what, path=data.backoff, hint="encode without --vocabulary, or with its words"
        )
    return model, vocabulary
