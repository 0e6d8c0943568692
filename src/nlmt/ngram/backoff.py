"""A back-off n-gram model as arrays, and the probability mass of a set of words in it.

Equations 7 and 8 of Schwenk 2010, Continuous-space language models for statistical machine
translation: the words of a short-list share their joint mass in a back-off model.
"""

import hashlib
import math
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import groupby
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from nlmt.errors import InputError, in_file
from nlmt.io.files import read_lines
from nlmt.vocabulary import BEGIN, SPECIAL, Vocabulary

NATURAL = math.log(10.0)  # times a logarithm to base 10
# `<s>` is never predicted; ARPA files give it any number.
NEVER = -100.0
LARGEST = 1e38  # that is a float also as a natural logarithm
# An ARPA file may have -inf, or numbers as large as floats: they count as the probability that
# KenLM gives unknown words where the model does not, as in the decoder (language_model.h).
MOST_LOG10, UNKNOWN_LOG10 = 1e6, -100.0
_COUNT = re.compile("[0-9]{1,18}")
# Sums of differences may be below zero by a rounding error.
LEAST_MASS = 1e-12
BLOCK = 10_000  # n-grams of a file in memory at a time, some 300 bytes each
PIECE = 10_000_000  # n-grams whose words are in memory at a time, some 100 bytes each

Ngrams = tuple[list[list[str]], list[float], list[float]]
Words = NDArray[np.int32]
Indices = NDArray[np.int64]  # of n-grams within their order


@dataclass(frozen=True, eq=False)
class Level:
    """All n-grams of one order, sorted.

    Attributes:
        keys: (N,) V times the index, one order below, of the n-gram without its last word, plus the
            last word.
        log_p: (N,) natural logarithm of the last word's probability after the others.
        log_backoff: (N,) natural logarithm of the n-gram's back-off weight.
    """

    keys: Indices
    log_p: NDArray[np.float32]
    log_backoff: NDArray[np.float32]


@dataclass(frozen=True, eq=False)
class BackoffModel:
    """P(w | h) for words that are numbers of a vocabulary.

    Attributes:
        words: V.
        levels: of order 1, 2 and so on; the first has every word, in order.
    """

    words: int
    levels: tuple[Level, ...]

    @classmethod
    def read(cls, path: Path | str, counts: dict[str, int]) -> tuple["BackoffModel", Vocabulary]:
        """Read an ARPA file; its words are the vocabulary, ordered by falling `counts`.

        Raises:
            InputError: a file that is not an ARPA file, is truncated, lacks `<unk>`, or has a
                word twice.
        """
        unigrams = list(read_unigrams(path))
        for word in SPECIAL:
            if word not in unigrams:
                raise InputError(f"no {word} among its words", path=path)
        ordinary = [word for word in unigrams if word not in SPECIAL]
        ordinary.sort(key=lambda word: (-counts.get(word, 0), word))
        with in_file(path):
            vocabulary = Vocabulary((*SPECIAL, *ordinary))
        number = {word: i for i, word in enumerate(vocabulary.words)}
        return cls.build(read_ngrams(path), number, path), vocabulary

    @classmethod
    def build(
        cls, entries: Iterable[Ngrams], number: Mapping[str, int], path: Path | str
    ) -> "BackoffModel":
        """Build the model from n-grams.

        Args:
            entries: from `read_ngrams`.
            number: id of each word, 0 .. V - 1; each word has a unigram.
            path: of the file, for messages.

        Raises:
            InputError: n-grams that do not fit together.
        """
        model = cls(len(number), ())
        for _, blocks in by_order(entries):
            # Not the words: of billions of n-grams they are tens of gigabytes.
            parts = [
                (
                    model._keys(number_ngrams(ngrams, number, path), path),
                    *(np.array(n, np.float32) for n in numbers),
                )
                for ngrams, *numbers in blocks
            ]
            keys, log_p, log_backoff = (np.concatenate(part) for part in zip(*parts, strict=True))
            del parts  # which would be in memory beside their sorting
            model = model._with_level(keys, log_p, log_backoff, path)
        model.levels[0].log_p[number[BEGIN]] = NEVER
        return model

    @property
    def order(self) -> int:
        """Length of the longest n-grams."""
        return len(self.levels)

    def find(self, ngrams: Words) -> Indices:
        """Index (m,) of n-grams (m, k) within their order; -1 for those that the model lacks."""
        places = ngrams[:, 0].astype(np.int64)
        for column, level in zip(ngrams.T[1:], self.levels[1:], strict=False):
            keys = places * self.words + column
            at = np.minimum(np.searchsorted(level.keys, keys), len(level.keys) - 1)
            places = np.where((places >= 0) & (level.keys[at] == keys), at, -1)
        return places

    def log_probabilities(self, contexts: Words, words: Words) -> NDArray[np.float64]:
        """Natural-log probability (m,) of words (m,) after contexts (m, c), oldest word first."""
        longest = min(self.order - 1, contexts.shape[1])
        ngrams = np.column_stack([contexts[:, contexts.shape[1] - longest :], words])
        result = np.zeros(len(words))
        open_ = np.arange(len(words))  # requests without a probability yet
        for skipped in range(longest + 1):
            rest = ngrams[open_, skipped:]
            places = self.find(rest)
            found = places >= 0
            result[open_[found]] += self.levels[rest.shape[1] - 1].log_p[places[found]]
            open_, rest = open_[~found], rest[~found]
            if len(open_) == 0:
                break
            # Add the context's back-off weight, if the model has the context.
            places = self.find(rest[:, :-1])
            weights = self.levels[rest.shape[1] - 2].log_backoff
            result[open_] += np.where(places >= 0, weights[np.maximum(places, 0)], 0.0)
        return result

    def mass(self, listed: Words) -> tuple[NDArray[np.float64], ...]:
        """The joint probability P_S(h) of the words `listed` after every context of the model.

        Returns:
            for contexts of no, one, two ... words, the mass after the context of each index.
        """
        inside = np.zeros(self.words, dtype=bool)
        inside[listed] = True
        result = [np.exp(self.levels[0].log_p[inside], dtype=np.float64).sum(keepdims=True)]
        rows: Words = np.zeros((1, 0), np.int32)  # the words of a level's n-grams
        for level, above in zip(self.levels, self.levels[1:], strict=False):
            shorter, rows = rows, np.empty((len(level.keys), rows.shape[1] + 1), np.int32)
            weight = np.exp(level.log_backoff, dtype=np.float64)
            mass = np.empty(len(level.keys))
            for piece in _pieces(len(level.keys)):
                of, rows[piece, -1] = np.divmod(level.keys[piece], self.words)
                rows[piece, :-1] = shorter[of]
                mass[piece] = weight[piece] * self.find_mass(tuple(result), rows[piece, 1:])
            for piece in _pieces(len(above.keys)):
                of, word = np.divmod(above.keys[piece], self.words)
                chosen = inside[word]
                of, word = of[chosen], word[chosen].astype(np.int32)
                own = np.exp(above.log_p[piece][chosen], dtype=np.float64)
                backed_off = np.exp(self.log_probabilities(rows[of, 1:], word))
                # Words with an n-gram have its probability instead of the back-off's.
                begin = of.min(initial=len(mass))
                gained = np.bincount(of - begin, own - weight[of] * backed_off)
                mass[begin : begin + len(gained)] += gained
            result.append(np.clip(mass, LEAST_MASS, 1.0, out=mass))
        return tuple(result)

    def find_mass(
        self, mass: tuple[NDArray[np.float64], ...], contexts: Words
    ) -> NDArray[np.float64]:
        """P_S (m,) after contexts (m, c), for their longest suffix that the model has."""
        result = np.full(len(contexts), mass[0][0])
        open_ = np.arange(len(contexts))
        for length in range(min(len(mass) - 1, contexts.shape[1]), 0, -1):
            places = self.find(contexts[open_, contexts.shape[1] - length :])
            found = places >= 0
            result[open_[found]] = mass[length][places[found]]
            open_ = open_[~found]
        return result

    def fingerprint(self) -> str:
        """SHA-256 of all n-grams and their numbers."""
        digest = hashlib.sha256()
        for level in self.levels:
            for values in vars(level).values():
                digest.update(np.ascontiguousarray(values).data)
        return digest.hexdigest()

    def _keys(self, rows: Words, path: Path | str) -> Indices:
        """Keys (N,) of n-grams (N, k) of the next order."""
        if len(self.levels) == 0:
            return rows[:, 0].astype(np.int64)
        before = self.find(rows[:, :-1])
        if len(before) and before.min() < 0:
            what = f"an n-gram of order {rows.shape[1]} without the one that begins it"
            raise InputError(what, path=path)
        return before * self.words + rows[:, -1]

    def _with_level(
        self,
        keys: Indices,
        log_p: NDArray[np.float32],
        log_backoff: NDArray[np.float32],
        path: Path | str,
    ) -> "BackoffModel":
        """The model extended by the n-grams of the next order."""
        order = np.argsort(keys)
        keys = keys[order]
        if np.any(keys[1:] == keys[:-1]):
            raise InputError(f"an n-gram of order {len(self.levels) + 1} occurs twice", path=path)
        level = Level(keys, log_p[order], log_backoff[order])
        return BackoffModel(self.words, (*self.levels, level))


def _pieces(number: int) -> Iterator[slice]:
    """Slices of an array of this length."""
    return (slice(start, start + PIECE) for start in range(0, number, PIECE))


def by_order(entries: Iterable[Ngrams]) -> Iterator[tuple[int, Iterator[Ngrams]]]:
    """Blocks of n-grams, grouped by order."""
    return groupby(entries, key=lambda block: len(block[0][0]))


def number_ngrams(
    ngrams: Sequence[Sequence[str]], number: Mapping[str, int], path: Path | str
) -> Words:
    """Ids (N, k) of the words of n-grams.

    Raises:
        InputError: a word without an id.
    """
    try:
        ids = [number[word] for ngram in ngrams for word in ngram]
    except KeyError as error:
        raise InputError(f"{error} is not a unigram", path=path) from error
    return np.array(ids, np.int32).reshape(len(ngrams), -1)


def read_unigrams(path: Path | str) -> Iterator[str]:
    """The words of an ARPA file, in its order.

    Raises:
        InputError: as in `read_ngrams`.
    """
    _, blocks = next(by_order(read_ngrams(path)))
    return (ngram[0] for ngrams, _, _ in blocks for ngram in ngrams)


def read_ngrams(path: Path | str, size: int = BLOCK) -> Iterator[Ngrams]:
    """The n-grams of an ARPA file with natural-log probabilities and back-off weights.

    At most `size` n-grams, of one order, are yielded, and in memory, at a time. The longest orders
    may be empty, as lmplz leaves them for a text of short sentences, or where all are pruned.

    Raises:
        InputError: a file that is not an ARPA file, or is truncated.
    """

    def fault(what: str) -> InputError:
        return InputError(what, path=path, line=line, hint="give an ARPA file, as lmplz writes it")

    line, order, counts, seen = 0, 0, {}, 0
    found, shorter = 0, 1  # n-grams of this order yielded so far, and of the one before
    ngrams: list[list[str]] = []
    log_p: list[float] = []
    log_backoff: list[float] = []
    for line, row in enumerate(read_lines(path), start=1):  # noqa: B007
        if row.startswith("ngram "):
            number, _, count = row[len("ngram ") :].partition("=")
            if not (_COUNT.fullmatch(number.strip()) and _COUNT.fullmatch(count.strip())):
                raise fault(f"not a count of n-grams: {row!r}")
            counts[int(number)] = int(count)
        elif row.startswith("\\") and row != "\\data\\":
            if order:
                found += len(ngrams)
                if found != counts.get(order):
                    raise fault(f"{found} n-grams of order {order}, not {counts.get(order)}")
                if found == 0 and order == 1:
                    raise fault("no n-grams of order 1")
                if found > 0 and shorter == 0:
                    raise fault(f"n-grams of order {order}, but none of order {order - 1}")
                if ngrams:
                    yield ngrams, log_p, log_backoff
                ngrams, log_p, log_backoff, found, shorter = [], [], [], 0, found
            seen, order = order, order + 1
            if row == "\\end\\":
                break
            if row != f"\\{order}-grams:":
                raise fault(f"{row!r} instead of the n-grams of order {order}")
        elif order and row:
            if len(ngrams) == size:
                yield ngrams, log_p, log_backoff
                ngrams, log_p, log_backoff, found = [], [], [], found + size
            fields = row.split("\t")
            words = fields[1].split(" ") if len(fields) in (2, 3) else []
            try:
                numbers = [float(fields[0]), float(fields[2]) if len(fields) == 3 else 0.0]
            except (ValueError, IndexError) as error:
                raise fault(f"not an n-gram: {row!r}") from error
            if numbers[0] < -MOST_LOG10:
                numbers[0] = UNKNOWN_LOG10
            if len(words) != order or not all(abs(number) < LARGEST for number in numbers):
                raise fault(f"not an n-gram of order {order}: {row!r}")
            if numbers[0] > 0:  # KenLM refuses it, too
                raise fault(f"a probability above 1: {row!r}")
            ngrams.append(words)
            log_p.append(NATURAL * numbers[0])
            log_backoff.append(NATURAL * numbers[1])
    else:
        raise fault("not an ARPA file, or truncated: there is no \\end\\")
    if seen == 0 or seen != max(counts, default=0):
        raise fault(f"n-grams of {seen} orders instead of {max(counts, default=0)}")
