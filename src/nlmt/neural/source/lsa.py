"""Latent semantic analysis of source sentences (Auli et al. 2013, section 5.1)."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from nlmt.neural.text.numbered import NumberedText, runs

# Sentences that the analysis uses at most, evenly spread over the text; power iterations; extra
# directions that make the first ones exact; elements of a product at a time.
SENTENCES, ITERATIONS, FURTHER, PART = 500_000, 4, 20, 1 << 24


@dataclass(frozen=True, eq=False)
class Analysis:
    """The singular value decomposition of terms by sentences, reduced to `dim` directions.

    Attributes:
        words: (S, dim), the paper's T: each word as a row of the singular vectors.
        table: (S, dim) rows that fold a sentence in: its vector is the sum over its different words
            of log(1 + tf), or of tf under tf-idf, times their row.
    """

    words: NDArray[np.float32]
    table: NDArray[np.float32]


def count_terms(
    words: NDArray[np.int32], of: NDArray[np.int64], size: int
) -> tuple[NDArray[np.int64], NDArray[np.int64], NDArray[np.float64]]:
    """The different words of each sentence with their counts: sentence, word, tf."""
    pairs, counts = np.unique(of.astype(np.int64) * size + words, return_counts=True)
    sentence, word = np.divmod(pairs, size)
    return sentence, word, counts.astype(np.float64)


def weigh_log_entropy(
    word: NDArray[np.int64], counts: NDArray[np.float64], size: int, sentences: int
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """log(1 + tf) of each entry, and of each word 1 less its relative entropy (Dumais 1991)."""
    share = counts / np.bincount(word, counts, size)[word]
    entropy = np.bincount(word, share * np.log(share), size)
    return np.log1p(counts), 1 + entropy / np.log(max(sentences, 2))  # 0: alike in all sentences


def weigh_tf_idf(
    word: NDArray[np.int64], counts: NDArray[np.float64], size: int, sentences: int
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Tf of each entry; of each word -log of the share of the sentences that have it.

    Auli et al. 2013, section 5.1.
    """
    return counts, np.log(sentences / np.maximum(np.bincount(word, minlength=size), 1))


# By the key `source_weights`.
WEIGHTS = {"log-entropy": weigh_log_entropy, "tf-idf": weigh_tf_idf}


def analyse(
    texts: Sequence[NumberedText], size: int, dim: int, seed: int, weights: str
) -> Analysis:
    """Latent semantic analysis of source texts.

    Terms by sentences, weighted; the largest singular values by a randomised range finder (Halko,
    Martinsson and Tropp 2011). The vectors of the sentences have a mean squared length of one, to
    which each direction contributes equally: with a mean squared length of dim, feed-forward models
    diverge at their usual rates. Directions that the text does not have are zero.

    The vocabulary of the texts has S words (`size`). The first of the `dim` directions are drawn by
    `seed`; `weights` is one of `WEIGHTS`.
    """
    total = sum(text.sentences for text in texts)
    step = -(-total // SENTENCES)
    words, of, sentences = [], [], 0
    for text in texts:
        chosen = np.arange(0, text.sentences, step)
        begins, ends = text.begins[chosen], text.begins[chosen + 1] - 1  # without `</s>`
        words.append(text.stream[runs(begins, ends)].astype(np.int32))
        of.append(np.repeat(sentences + np.arange(len(chosen)), ends - begins))
        sentences += len(chosen)
    sentence, word, counts = count_terms(np.concatenate(words), np.concatenate(of), size)
    local, weight = WEIGHTS[weights](word, counts, size, sentences)
    values = local * weight[word]
    by_word = np.argsort(word, kind="stable")
    columns = min(dim + FURTHER, size, sentences)
    basis = np.random.default_rng(seed).normal(size=(size, columns))
    for _ in range(ITERATIONS):
        basis = np.linalg.qr(basis)[0]
        folded = product(sentence, word, values, basis, sentences)
        basis = product(word[by_word], sentence[by_word], values[by_word], folded, size)
    basis = np.linalg.qr(basis)[0]
    folded = product(sentence, word, values, basis, sentences)  # (sentences, columns)
    squares, turn = np.linalg.eigh(folded.T @ folded)
    largest = np.argsort(squares)[::-1][:dim]
    squares, directions = squares[largest], basis @ turn[:, largest]  # (S, dim)
    directions *= np.sign(directions[np.abs(directions).argmax(axis=0), np.arange(len(largest))])
    kept = squares > 1e-9 * squares[0]
    scale = np.where(kept, np.sqrt(sentences / dim / np.maximum(squares, 1e-30)), 0.0)
    found = len(largest)
    of_words, table = (np.zeros((size, dim), dtype=np.float32) for _ in range(2))
    of_words[:, :found] = directions * kept
    table[:, :found] = weight[:, None] * directions * scale
    return Analysis(of_words, table)


def product(
    rows: NDArray[np.int64],
    columns: NDArray[np.int64],
    values: NDArray[np.float64],
    dense: NDArray[np.float64],
    size: int,
) -> NDArray[np.float64]:
    """A sparse matrix (size, n), its entries by rising row, times a dense one (n, k)."""
    result = np.zeros((size, dense.shape[1]))
    step = max(1, PART // dense.shape[1])
    for begin in range(0, len(rows), step):
        some = slice(begin, begin + step)
        first = np.flatnonzero(np.diff(rows[some], prepend=-1))
        terms = dense[columns[some]]
        terms *= values[some][:, None]  # in place: they are large
        result[rows[some][first]] += np.add.reduceat(terms, first)
    return result
