"""Several texts, one n-gram model: models of each text, interpolated into one back-off model.

Weights are those under which a dev text is most probable, by expectation maximisation
(`nlmt.lm.interpolation`). The models have one vocabulary: a word that only other texts have gets in
each model what discounting leaves for one unseen word, so that every model sums to one over the
words of all texts. The model that is written has every n-gram of any of them, with the weighted
mean of their probabilities; back-off weights are what makes it sum to one. SRILM's `ngram -mix-lm`
does the same: an n-gram that none of them has gets nearly, not exactly, the mean of what they give
it. All n-grams are in memory, those of one order and text at a time with some 300 bytes each, the
others with less than 50.
"""

import logging
import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from nlmt.io.files import atomic_path, read_lines, scratch_folder, write_lines
from nlmt.lm.interpolation import Interpolation
from nlmt.ngram.backoff import LEAST_MASS, NATURAL, BackoffModel, Level, read_ngrams
from nlmt.ngram.model import NgramModel
from nlmt.ngram.training import Estimation, Storage, build_binary, estimate
from nlmt.ngram.unknown import STAND_IN, rename_stand_in, with_stand_in
from nlmt.vocabulary import SPECIAL, split_words

log = logging.getLogger(__name__)


@dataclass(frozen=True)
class Mixture:
    """What interpolation found.

    Attributes:
        weights: one a text; they sum to 1.
        perplexities: of the dev text, by each model alone.
        perplexity: of the dev text, by the exact interpolation.
    """

    weights: Sequence[float]
    perplexities: Sequence[float]
    perplexity: float

    def to_dict(self, texts: Sequence[str]) -> dict[str, Any]:
        """All figures by the names of the texts, ready for JSON."""
        parts = zip(texts, self.weights, self.perplexities, strict=True)
        return {
            "texts": {text: {"weight": w, "dev_perplexity": p} for text, w, p in parts},
            "dev_perplexity": self.perplexity,
        }


def train_interpolated(
    texts: Sequence[Path],
    dev: Path,
    model: Path,
    options: Estimation,
    storage: Storage | None = None,
) -> Mixture:
    """Estimate a model of each text and write their interpolation as KenLM's binary file.

    Args:
        texts: two or more, sentences, one a line, plain or gzip.
        dev: text for the weights.
        model: where the interpolation goes; its folder also holds temporary files.
        options: how each model is estimated.
        storage: how the interpolation is stored.

    Raises:
        InputError: as of `nlmt.ngram.training.estimate`; or an empty dev text.
    """
    words = words_of(texts)
    predicted = len(words) + 2  # with </s> and one unseen word
    with atomic_path(model) as path, scratch_folder(model) as folder:
        arpas = [folder / f"{number}.arpa" for number in range(len(texts))]
        for text, arpa in zip(texts, arpas, strict=True):
            estimate(text, arpa, options, words=predicted, stand_in=True)
        parts = [NgramModel(arpa) for arpa in arpas]
        tuned = Interpolation(parts, [1.0] * len(parts)).tuned(with_stand_in(read_lines(dev)))
        found = Mixture(tuned.model.weights, tuned.alone, tuned.perplexity)
        for text, weight, alone in zip(texts, found.weights, found.perplexities, strict=True):
            log.info("%s: weight %.4f, dev perplexity %.2f", text, weight, alone)
        log.info("interpolated: dev perplexity %.2f", found.perplexity)
        del parts, tuned
        mixed = folder / "mixed.arpa"
        write_interpolation(arpas, found.weights, mixed)
        if STAND_IN in words:
            rename_stand_in(mixed)
        build_binary(mixed, path, storage or Storage(), memory=options.memory)
    return found


def words_of(texts: Sequence[Path]) -> set[str]:
    """The words of all texts together, `<unk>` under its other name."""
    words: set[str] = set()
    for text in texts:
        for line in with_stand_in(read_lines(text)):
            words.update(split_words(line))
    return words.difference(SPECIAL)


def write_interpolation(arpas: Sequence[Path], weights: Sequence[float], mixed: Path) -> None:
    """Interpolate models of one vocabulary, and write the result as an ARPA file.

    Args:
        arpas: as `estimate` writes them with `words` and `stand_in`.
        weights: one a model; they sum to 1.
        mixed: where the result goes.

    Raises:
        InputError: a malformed file.
    """
    unigrams = [ngram[0] for arpa in arpas for ngram in next(read_ngrams(arpa))[0]]
    number = {word: i for i, word in enumerate(dict.fromkeys((*SPECIAL, *unigrams)))}
    models = [BackoffModel.build(read_ngrams(arpa), number, arpa) for arpa in arpas]
    _write(interpolate(models, weights), list(number), mixed)


def interpolate(models: Sequence[BackoffModel], weights: Sequence[float]) -> BackoffModel:
    """One back-off model with the n-grams of several.

    Args:
        models: with the same words, and of one order.
        weights: one a model; they sum to 1.
    """
    words = models[0].words
    alone = np.arange(words, dtype=np.int64)
    unigrams = _mean([model.levels[0].log_p.astype(np.float64) for model in models], weights)
    levels = [_level(alone, unigrams, np.zeros(words))]
    before = alone.astype(np.int32)[:, None]  # the n-grams one order below
    for order in range(2, models[0].order + 1):
        lower = BackoffModel(words, tuple(levels))
        own = [model.ngrams(order) for model in models]
        keys = np.unique(
            np.concatenate([lower.find(rows[:, :-1]) * words + rows[:, -1] for rows in own])
        )
        of, last = np.divmod(keys, words)
        rows = np.column_stack([before[of], last.astype(np.int32)])
        context, word = rows[:, :-1], rows[:, -1]
        mean = _mean([model.log_probabilities(context, word) for model in models], weights)
        backed_off = lower.log_probabilities(context[:, 1:], word)
        # After each context, what is left for the words without an n-gram, here and below.
        contexts = len(before)
        left, below = (
            np.maximum(1 - np.bincount(of, np.exp(values), minlength=contexts), LEAST_MASS)
            for values in (mean, backed_off)
        )
        has_words = np.bincount(of, minlength=contexts) > 0
        backoff = np.where(has_words, np.log(left / below), 0.0)
        levels[-1] = _level(levels[-1].keys, levels[-1].log_p, backoff)
        levels.append(_level(keys, mean, np.zeros(len(keys))))
        before = rows
    return BackoffModel(words, tuple(levels))


def _level(keys: NDArray[np.int64], log_p: NDArray[Any], log_backoff: NDArray[np.float64]) -> Level:
    return Level(keys, log_p.astype(np.float32), log_backoff.astype(np.float32))


def _mean(log_p: Sequence[NDArray[np.float64]], weights: Sequence[float]) -> NDArray[np.float64]:
    """Logarithm of the weighted mean of probabilities; a model with weight 0 has no part in it."""
    used = [(math.log(w), values) for w, values in zip(weights, log_p, strict=True) if w > 0]
    return np.asarray(np.logaddexp.reduce([w + values for w, values in used], axis=0))


def _write(model: BackoffModel, words: Sequence[str], path: Path) -> None:
    """Write an ARPA file."""

    def lines() -> Iterator[str]:
        yield "\\data\\"
        for order, level in enumerate(model.levels, start=1):
            yield f"ngram {order}={len(level.keys)}"
        for order, level in enumerate(model.levels, start=1):
            yield ""
            yield f"\\{order}-grams:"
            rows = model.ngrams(order).tolist()
            log10 = (level.log_p.astype(np.float64) / NATURAL).tolist()
            backoff = (level.log_backoff.astype(np.float64) / NATURAL).tolist()
            for row, p, weight in zip(rows, log10, backoff, strict=True):
                ngram = " ".join([words[word] for word in row])
                tail = f"\t{weight:.7g}" if order < model.order else ""
                yield f"{p:.7g}\t{ngram}{tail}"
        yield ""
        yield "\\end\\"

    write_lines(path, lines())
