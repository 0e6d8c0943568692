"""One n-gram model of several texts: a model of each, interpolated into one back-off model.

Weights maximise the probability of a dev text, by expectation maximisation
(`nlmt.lm.interpolation`). The models share one vocabulary: a word that only other texts have gets,
in each model, the probability that discounting leaves for one unseen word, so that every model sums
to one over the words of all texts. The resulting model has every n-gram of any of them, with the
weighted mean of their probabilities; back-off weights make it sum to one. SRILM's `ngram -mix-lm`
does the same: an n-gram that none of them has gets nearly, not exactly, the mean of their
probabilities.

Memory holds the vocabulary, some 250 bytes a word, and as many n-grams as fit into the memory
for sorting; the others are in files beside the model (`nlmt.ngram.levels`). While M texts are
interpolated, these take

- some 40 bytes for each n-gram in the ARPA files of the texts and of the mixture;
- while n-grams of k words are computed, for each of the mixture 12 k + 8 M + 4 bytes until all are
  sorted, then 4 k + 24 M + 8;
- for each of k - 1 words, from which these are computed, 4 k + 16 M.

A model of 2 * 10^9 words in two texts has 5 * 10^9 n-grams of up to five words, a third of them of
five and a third of four: 200 GB for ARPA files of the texts, 130 GB for the finished part of the
mixture, 130 and 85 GB for n-grams of five and four words, together some 550 GB, 110 bytes an
n-gram of the texts (two texts of 449,000 words took 104 bytes).
"""

import logging
import shutil
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import chain, zip_longest
from pathlib import Path
from typing import Any

import numpy as np

from nlmt.errors import InputError
from nlmt.io.fields import split_fields
from nlmt.io.files import atomic_path, atomic_text, read_lines, scratch_folder
from nlmt.io.records import Array
from nlmt.io.sorted_runs import SortedRuns
from nlmt.lm.interpolation import Interpolation
from nlmt.ngram.backoff import (
    BLOCK,
    NATURAL,
    NEVER,
    Ngrams,
    by_order,
    number_ngrams,
    read_ngrams,
    read_unigrams,
)
from nlmt.ngram.levels import (
    Finished,
    Level,
    Plan,
    first_level,
    longest,
    model_records,
    next_level,
    record_type,
)
from nlmt.ngram.model import NgramModel
from nlmt.ngram.training import MEMORY, TRIE, Storage, build_binary, memory_bytes, train_arpa
from nlmt.ngram.unknown import STAND_IN, rename_stand_in, with_stand_in
from nlmt.vocabulary import BEGIN, SPECIAL, UNKNOWN

log = logging.getLogger(__name__)


@dataclass(frozen=True)
class Mixture:
    """The result of interpolation, without the models, whose large files can go.

    Attributes:
        weights: one per text; they sum to 1.
        perplexities: of the dev text, by each model alone.
        perplexity: of the dev text, by the exact interpolation.
    """

    weights: Sequence[float]
    perplexities: Sequence[float]
    perplexity: float

    def to_dict(self, texts: Sequence[str]) -> dict[str, Any]:
        """All figures by the names of the texts, ready for JSON; equal names get numbers."""
        names = [
            f"{text} {number}" if texts.count(text) > 1 else text
            for number, text in enumerate(texts, start=1)
        ]
        parts = zip(names, self.weights, self.perplexities, strict=True)
        return {
            "texts": {text: {"weight": w, "dev_perplexity": p} for text, w, p in parts},
            "dev_perplexity": self.perplexity,
        }


def train_interpolated(
    texts: Sequence[Path],
    dev: Path,
    model: Path,
    *,
    order: int = 5,
    prune: Sequence[int] = (),
    memory: str = MEMORY,
    storage: Storage = TRIE,
) -> Mixture:
    """Estimate a model of each text and write their interpolation as KenLM's binary file.

    The texts, two or more, have a sentence a line, plain or gzip; `dev` determines the weights. The
    folder of the model also gets temporary files. The rest is as in `train_arpa`, for each model.

    Raises:
        InputError: as in `train_arpa`; or an empty dev text.
    """
    words = words_of(texts)
    predicted = len(words) + 2  # with </s> and one unseen word
    unknown = STAND_IN in words
    del words
    with atomic_path(model) as path, scratch_folder(model) as folder:
        arpas = [folder / f"{number}.arpa" for number in range(len(texts))]
        for text, arpa in zip(texts, arpas, strict=True):
            train_arpa(
                text, arpa, order=order, prune=prune, memory=memory, words=predicted, stand_in=True
            )
        found = _tune(arpas, dev, memory)
        for text, weight, alone in zip(texts, found.weights, found.perplexities, strict=True):
            log.info("%s: weight %.4f, dev perplexity %.2f", text, weight, alone)
        log.info("interpolated: dev perplexity %.2f", found.perplexity)
        mixed = folder / "mixed.arpa"
        write_interpolation(arpas, found.weights, mixed, memory)
        for arpa in arpas:
            arpa.unlink()
        if unknown:
            rename_stand_in(mixed)
        build_binary(mixed, path, storage, memory)
    return found


def words_of(texts: Sequence[Path]) -> set[str]:
    """The words of all texts together, with the stand-in for `<unk>`."""
    lines = with_stand_in(chain.from_iterable(map(read_lines, texts)))
    return {word for line in lines for word in split_fields(line)}.difference(SPECIAL)


def _tune(arpas: Sequence[Path], dev: Path, memory: str) -> Mixture:
    """Find the weights that maximise the probability of the dev text."""
    with scratch_folder(arpas[0].with_name("tune")) as folder:
        # KenLM maps binary files, but would load ARPA files into memory.
        paths = [folder / f"{arpa.stem}.binary" for arpa in arpas]
        for arpa, path in zip(arpas, paths, strict=True):
            build_binary(arpa, path, TRIE, memory)
        parts = [NgramModel(path) for path in paths]
        tuned = Interpolation(parts, [1.0] * len(parts)).tuned(with_stand_in(read_lines(dev)))
    return Mixture(tuned.model.weights, tuned.alone, tuned.perplexity)


def write_interpolation(
    arpas: Sequence[Path], weights: Sequence[float], mixed: Path, memory: str = MEMORY
) -> None:
    """Interpolate models of one vocabulary, and write the result as an ARPA file.

    Args:
        arpas: as written by `train_arpa` with `words` and `stand_in`.
        weights: one per model; they sum to 1.
        mixed: path of the result; its folder also gets temporary files.
        memory: beside the vocabulary; as in `train_arpa`.

    Raises:
        InputError: a malformed file; n-grams that do not fit together.
    """
    number: dict[str, int] = {}
    for word in chain(SPECIAL, *map(read_unigrams, arpas)):
        number.setdefault(word, len(number))
    with atomic_path(mixed) as path, scratch_folder(mixed) as folder:
        plan = Plan.within(memory_bytes(memory), weights, folder)
        orders = [by_order(read_ngrams(arpa, min(BLOCK, plan.size))) for arpa in arpas]
        sections = _Sections(list(number), folder)
        level = _unigrams([next(models)[1] for models in orders], arpas, number, plan)
        for models in zip_longest(*orders, fillvalue=(0, ())):  # a model may lack long n-grams
            above = Level.empty(level.order + 1, plan)
            runs = SortedRuns(folder / "runs", record_type(above.order), plan.size)
            for source, ((_, blocks), arpa) in enumerate(zip(models, arpas, strict=True)):
                runs.add(source, (_records(block, number, arpa) for block in blocks))
            sections.write(next_level(level, runs, above, plan))
            level.remove()
            level = above
        sections.write(longest(level, plan))
        level.remove()
        sections.join(path)


def _unigrams(
    models: Sequence[Iterable[Ngrams]],
    arpas: Sequence[Path],
    number: Mapping[str, int],
    plan: Plan,
) -> Level:
    """The level of all words; those without a unigram have the probability of `<unk>`."""
    log_p = np.full((len(number), len(models)), np.nan, np.float32)
    log_backoff = np.zeros_like(log_p)
    for model, (blocks, arpa) in enumerate(zip(models, arpas, strict=True)):
        count = 0
        for ngrams, *numbers in blocks:
            words = number_ngrams(ngrams, number, arpa)[:, 0]
            log_p[words, model], log_backoff[words, model] = numbers
            count += len(words)
        absent = np.isnan(log_p[:, model])
        if count != len(number) - absent.sum():
            raise InputError("an n-gram of order 1 occurs twice", path=arpa)
        log_p[absent, model] = log_p[number[UNKNOWN], model]
    log_p[number[BEGIN]] = NEVER
    return first_level(log_p, log_backoff, plan)


def _records(block: Ngrams, number: Mapping[str, int], arpa: Path) -> Array:
    ngrams, log_p, log_backoff = block
    return model_records(number_ngrams(ngrams, number, arpa), log_p, log_backoff)


class _Sections:
    """An ARPA file, whose counts come first but are known only at the end."""

    def __init__(self, words: Sequence[str], folder: Path) -> None:
        self._words = words
        self._folder = folder
        self._counts: list[int] = []  # of n-grams of each order

    def write(self, ngrams: Iterable[Finished]) -> None:
        """Write all n-grams of the next order."""
        self._counts.append(0)
        with atomic_text(self._path(len(self._counts))) as out:
            for piece in ngrams:
                for start in range(0, len(piece.log_p), BLOCK):
                    lines = self._lines(piece, slice(start, start + BLOCK))
                    out.writelines(lines)
                    self._counts[-1] += len(lines)

    def join(self, path: Path) -> None:
        """Write the file."""
        orders = range(1, len(self._counts) + 1)
        counts = [f"ngram {order}={count}\n" for order, count in enumerate(self._counts, start=1)]
        with path.open("wb") as out:
            out.write("".join(["\\data\\\n", *counts]).encode())
            for order in orders:
                out.write(f"\n\\{order}-grams:\n".encode())
                with self._path(order).open("rb") as section:
                    shutil.copyfileobj(section, out)
                self._path(order).unlink()  # else it would take its space twice
            out.write(b"\n\\end\\\n")

    def _path(self, order: int) -> Path:
        return self._folder / f"section{order}"

    def _lines(self, piece: Finished, part: slice) -> list[str]:
        words = self._words
        ngrams = [" ".join([words[word] for word in row]) for row in piece.words[part].tolist()]
        log10 = (piece.log_p[part].astype(np.float64) / NATURAL).tolist()
        if piece.log_backoff is None:
            return [f"{p:.7g}\t{ngram}\n" for p, ngram in zip(log10, ngrams, strict=True)]
        backoff = (piece.log_backoff[part].astype(np.float64) / NATURAL).tolist()
        return [
            f"{p:.7g}\t{ngram}\t{weight:.7g}\n"
            for p, ngram, weight in zip(log10, ngrams, backoff, strict=True)
        ]
