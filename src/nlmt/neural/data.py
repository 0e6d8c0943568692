"""Text as numbers: sentences one after the other, and the n-grams that a model learns from."""

import hashlib
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from nlmt.errors import InputError
from nlmt.io.files import read_lines
from nlmt.vocabulary import BEGIN, END, SPECIAL, Vocabulary, split_words

BEGIN_ID, END_ID = SPECIAL.index(BEGIN), SPECIAL.index(END)


@dataclass(frozen=True, eq=False)
class Corpus:
    """The words of a text.

    Attributes:
        ids: (words,) without `<s>` and `</s>`.
        offsets: (sentences + 1,); sentence i is ids[offsets[i]:offsets[i + 1]].
    """

    ids: NDArray[np.int32]
    offsets: NDArray[np.int64]

    @property
    def sentences(self) -> int:
        """Number of sentences."""
        return len(self.offsets) - 1

    @property
    def events(self) -> int:
        """Number of words and sentence ends: what a model predicts."""
        return len(self.ids) + self.sentences

    def target_counts(self, vocabulary: Vocabulary) -> NDArray[np.float64]:
        """(V,) how often each word is predicted."""
        counts = np.bincount(self.ids, minlength=len(vocabulary)).astype(np.float64)
        counts[vocabulary.end] += self.sentences
        return counts

    def targets(self) -> NDArray[np.int32]:
        """(events,) what is predicted: the words of each sentence, then `</s>`."""
        return np.insert(self.ids, self.offsets[1:], END_ID)

    def fingerprint(self) -> str:
        """SHA-256 of words and sentence borders."""
        digest = hashlib.sha256(np.ascontiguousarray(self.ids).data)
        digest.update(np.ascontiguousarray(self.offsets).data)
        return digest.hexdigest()


def encode(lines: Iterable[str], vocabulary: Vocabulary) -> Corpus:
    """Number the words of each line; a line without words is a sentence without words."""
    parts: list[NDArray[np.int32]] = []
    offsets = [0]
    for line in lines:
        ids = vocabulary.lookup(split_words(line))
        parts.append(ids)
        offsets.append(offsets[-1] + len(ids))
    ids = np.concatenate(parts) if parts else np.zeros(0, dtype=np.int32)
    return Corpus(ids, np.array(offsets, dtype=np.int64))


def read_corpus(path: Path | str, vocabulary: Vocabulary, *, at_least: int) -> Corpus:
    """Read a text of one sentence a line.

    Raises:
        InputError: fewer than `at_least` sentences with words, or an unreadable file.
    """
    corpus = encode(read_lines(path), vocabulary)
    filled = int(np.count_nonzero(np.diff(corpus.offsets)))
    if filled < at_least:
        what = f"{filled} sentences with words, at least {at_least} are needed"
        raise InputError(what, path=path, mend="give a longer text, one sentence a line")
    return corpus


def join(corpora: Sequence[Corpus]) -> Corpus:
    """Several texts as one."""
    begins = np.cumsum([0, *(len(corpus.ids) for corpus in corpora)])[:-1]
    offsets = [corpus.offsets[1:] + at for corpus, at in zip(corpora, begins, strict=True)]
    return Corpus(
        np.concatenate([corpus.ids for corpus in corpora]), np.concatenate([[0], *offsets])
    )


def pad(corpus: Corpus, sentences: NDArray[np.int64], *, begin: bool) -> NDArray[np.int32]:
    """Sentences as rows of one length: `<s>` where `begin` is set, words, `</s>`, then -1."""
    lengths = np.diff(corpus.offsets)[sentences]
    columns = np.arange(lengths.max(initial=0))
    inside = columns < lengths[:, None]
    rows = np.full((len(sentences), len(columns) + 1), -1, dtype=np.int32)
    rows[:, :-1][inside] = corpus.ids[(corpus.offsets[sentences][:, None] + columns)[inside]]
    rows[np.arange(len(sentences)), lengths] = END_ID
    return np.insert(rows, 0, BEGIN_ID, axis=1) if begin else rows


@dataclass(frozen=True)
class Sampling:
    """Which examples of several texts, one after the other, make up a pass.

    Each pass draws its share of each text anew, without repetition (Schwenk 2007).

    Attributes:
        sizes: examples of each text.
        shares: above 0, up to 1.
    """

    sizes: tuple[int, ...]
    shares: tuple[float, ...]

    @property
    def examples(self) -> int:
        """Number of examples of a pass."""
        return sum(self._drawn())

    def indices(self, seed: int, number: int) -> NDArray[np.int64]:
        """The examples of pass `number` in random order; the same for the same seed."""
        random = np.random.default_rng([seed, number])
        drawn = self._drawn()
        if drawn == self.sizes:
            return random.permutation(sum(self.sizes))
        begins = np.cumsum([0, *self.sizes])[:-1]
        parts = [
            begin + random.permutation(size)[:count]
            for begin, size, count in zip(begins, self.sizes, drawn, strict=True)
        ]
        return random.permutation(np.concatenate(parts))

    def _drawn(self) -> tuple[int, ...]:
        """How many of each text."""
        pairs = zip(self.sizes, self.shares, strict=True)
        return tuple(max(1, round(size * share)) for size, share in pairs)


class Windows:
    """The n-grams of a corpus, `<s>` repeated to the left of each sentence as OxLM does.

    The padded text is kept, a window is a slice of it: a row of `take` is built when it is needed.
    """

    def __init__(self, corpus: Corpus, order: int, vocabulary: Vocabulary) -> None:
        lengths = np.diff(corpus.offsets)
        starts = corpus.offsets[:-1] + np.arange(len(lengths)) * order  # in the padded text
        self.order = order
        self._text = np.full(len(corpus.ids) + len(lengths) * order, vocabulary.begin, np.int32)
        sentence = np.repeat(np.arange(len(lengths)), lengths)
        within = np.arange(len(corpus.ids)) - corpus.offsets[:-1][sentence]
        self._text[starts[sentence] + order - 1 + within] = corpus.ids
        self._text[starts + order - 1 + lengths] = vocabulary.end
        events = lengths + 1
        first = np.repeat(starts - np.concatenate([[0], np.cumsum(events)[:-1]]), events)
        self._starts = first + np.arange(len(first))  # of each window

    def __len__(self) -> int:
        return len(self._starts)

    def take(self, indices: NDArray[np.int64]) -> NDArray[np.int32]:
        """Rows (len(indices), order): the context, oldest word first, then the word."""
        rows = self._text[self._starts[indices][:, None] + np.arange(self.order)]
        return np.ascontiguousarray(rows)

    def targets(self, indices: NDArray[np.int64]) -> NDArray[np.int32]:
        """The last words of windows."""
        return self._text[self._starts[indices] + self.order - 1]
