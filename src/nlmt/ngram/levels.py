"""All n-grams of one order in a mixture of back-off models, computed from the order below.

An n-gram's key is the numbers of its words, each with the highest byte first: keys are in the order
of the words. The n-grams of all models are sorted by them, and equal ones are merged (`_together`).
A model's probability of an n-gram that it lacks follows from that of the n-gram without its first
word, which the level below has: the n-grams are split by the part of that level in which to look,
each part is looked up with it in memory (`_without_first`), and the results are merged in the order
of the n-grams. Their contexts are the n-grams of the level below in its own order, so that both are
read in parallel (`next_level`).
"""

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from nlmt.errors import InputError
from nlmt.io.records import Array, Numbers, Parts, Records
from nlmt.io.sorted_runs import SortedRuns
from nlmt.ngram.backoff import LEAST_MASS

_WORD = np.dtype(">u4")
# Upper bound on the bytes of all arrays per n-gram, and further bytes per model.
_OF_NGRAM, _OF_MODEL = 200, 100

Words = NDArray[Any]
Floats = NDArray[np.float64]


@dataclass(frozen=True)
class Plan:
    """The parameters of all orders.

    Attributes:
        weights: of the models; they sum to 1.
        size: n-grams in memory at a time.
        folder: for temporary files.
    """

    weights: Sequence[float]
    size: int
    folder: Path

    @classmethod
    def within(cls, memory: int, weights: Sequence[float], folder: Path) -> "Plan":
        """The plan for so many bytes of memory."""
        return cls(weights, max(1, memory // (_OF_NGRAM + _OF_MODEL * len(weights))), folder)

    def mean(self, log_p: Floats) -> Floats:
        """Logarithm (n,) of the weighted mean of probabilities with logarithms (n, models).

        Models with weight 0 are ignored.
        """
        parts = zip(self.weights, log_p.T, strict=True)
        mean = np.logaddexp.reduce([math.log(w) + values for w, values in parts if w > 0], axis=0)
        return np.asarray(np.minimum(mean, 0.0))  # KenLM refuses what rounding puts above


@dataclass(frozen=True)
class Level:
    """All n-grams of one order, sorted; both arrays have a record for each.

    Attributes:
        order: their length.
        ngrams: `key`; `log_p` (models,), natural logarithm of the probability of the last word
            after the others, NaN for a model that lacks the n-gram; `log_backoff` (models,),
            logarithm of the back-off weight, then 0.
        found: `log_p` of the mixture; `of_models` (models,), `log_p` of each model, even if it
            lacks the n-gram.
    """

    order: int
    ngrams: Records
    found: Records

    @classmethod
    def empty(cls, order: int, plan: Plan) -> "Level":
        """A level without n-grams."""
        models = (len(plan.weights),)
        numbers = [("log_p", np.float32, models), ("log_backoff", np.float32, models)]
        ngram = [("key", f"S{_WORD.itemsize * order}"), *numbers]
        found = [("log_p", np.float32), ("of_models", np.float64, models)]
        ngrams = Records(plan.folder / f"ngrams{order}", ngram)
        return cls(order, ngrams, Records(plan.folder / f"found{order}", found))

    def add_found(self, mean: Floats, of_models: Floats) -> None:
        """Write the results for the next n-grams."""
        found = np.empty(len(mean), self.found.dtype)
        found["log_p"], found["of_models"] = mean, of_models
        self.found.append(found)

    def remove(self) -> None:
        """Delete its files."""
        self.ngrams.remove()
        self.found.remove()


@dataclass(frozen=True)
class Finished:
    """Consecutive n-grams of the mixture.

    Attributes:
        words: (n, order) numbers of their words.
        log_p: (n,) natural logarithms of probabilities.
        log_backoff: (n,) natural logarithms of back-off weights; None for the longest n-grams.
    """

    words: Words
    log_p: NDArray[np.float32]
    log_backoff: NDArray[np.float32] | None


def record_type(order: int) -> np.dtype[Any]:
    """The type of an n-gram of one model, with natural-log probability and back-off weight."""
    numbers = [("log_p", np.float32), ("log_backoff", np.float32)]
    return np.dtype([("key", f"S{_WORD.itemsize * order}"), *numbers])


def model_records(words: Words, log_p: Sequence[float], log_backoff: Sequence[float]) -> Array:
    """Records of n-grams (n, order) of one model."""
    records = np.empty(len(words), record_type(words.shape[1]))
    records["key"] = _keys(words)
    records["log_p"], records["log_backoff"] = log_p, log_backoff
    return records


def first_level(log_p: NDArray[np.float32], log_backoff: NDArray[np.float32], plan: Plan) -> Level:
    """The level of the words, from natural logarithms (V, models)."""
    level = Level.empty(1, plan)
    ngrams = np.empty(len(log_p), level.ngrams.dtype)
    ngrams["key"] = _keys(np.arange(len(log_p))[:, None])
    ngrams["log_p"], ngrams["log_backoff"] = log_p, log_backoff
    level.ngrams.append(ngrams)
    of_models = log_p.astype(np.float64)
    level.add_found(plan.mean(of_models), of_models)
    return level


def next_level(below: Level, runs: SortedRuns, level: Level, plan: Plan) -> Iterator[Finished]:
    """Fill a level, and yield the n-grams of the one below, which are then finished.

    Args:
        below: the n-grams one order below.
        runs: of the type `record_type`; its sources are the models.
        level: an empty one.
        plan: parameters of all orders.

    Raises:
        InputError: n-grams that do not fit together.
    """
    answers, part_of = _without_first(below, runs, level, plan)
    context = row = 0
    begun = (0.0, 0.0)  # masses after the first context, from n-grams read before
    while context < len(below.ngrams):
        contexts = below.ngrams.read(context, plan.size)
        ngrams = level.ngrams.read(row, plan.size)
        begins = _cut(ngrams["key"], slice(-1))
        inside = int(np.searchsorted(begins, contexts["key"][-1], "right"))
        row += inside
        complete = inside < len(ngrams) or row == len(level.ngrams)
        ngrams = ngrams[:inside]
        of = _find(contexts["key"], begins[:inside], "begins")
        if not complete:
            contexts = contexts[: of[-1] + 1]
        shorter = answers.take(part_of(_cut(ngrams["key"], slice(1, None))))
        own = ngrams["log_p"].astype(np.float64)
        backed_off = contexts["log_backoff"][of] + shorter["of_models"]
        of_models = np.where(np.isnan(own), backed_off, own)
        mean = plan.mean(of_models)
        level.add_found(mean, of_models)
        # Joint mass of the words with an n-gram after each context, in this level and below.
        log_p = (mean, shorter["log_p"].astype(np.float64))
        masses = [
            np.bincount(np.r_[0, of], np.r_[before, np.exp(values)], len(contexts))
            for before, values in zip(begun, log_p, strict=True)
        ]
        begun = (0.0, 0.0) if complete else (masses[0][-1], masses[1][-1])
        finished = len(contexts) if complete else len(contexts) - 1
        yield Finished(
            _words(contexts["key"][:finished]),
            below.found.read(context, finished)["log_p"],
            _log_backoff(masses[0][:finished], masses[1][:finished]),
        )
        context += finished
    if row < len(level.ngrams):
        raise _incomplete(level.order, "begins")
    answers.remove()


def longest(level: Level, plan: Plan) -> Iterator[Finished]:
    """The n-grams of the last level."""
    pieces = zip(level.ngrams.pieces(plan.size), level.found.pieces(plan.size), strict=True)
    return (Finished(_words(ngrams["key"]), found["log_p"], None) for ngrams, found in pieces)


def _log_backoff(mean: NDArray[Any], below: NDArray[Any]) -> NDArray[np.float32]:
    """Logarithm of the weight with which the probabilities after a context sum to one.

    Args:
        mean: (n,) joint mass of the words with an n-gram in the mixture; 0 if there are none.
        below: (n,) their mass one order below.
    """
    left, left_below = (np.maximum(1 - mass, LEAST_MASS) for mass in (mean, below))
    return np.where(mean > 0, np.log(left / left_below), 0.0).astype(np.float32)


def _without_first(
    below: Level, runs: SortedRuns, level: Level, plan: Plan
) -> tuple[Parts, "partial[Numbers]"]:
    """Write the n-grams of a level, and look each up, without its first word, in the level below.

    Returns:
        The results, in parts; and a function that gives the part of keys.
    """
    size = plan.size
    # Parts of the level below that fit into memory, by their first keys.
    starts = range(0, len(below.ngrams), size)
    firsts = np.concatenate([below.ngrams.read(start, 1)["key"] for start in starts])
    part_of = partial(_part, firsts)
    questions = Parts(plan.folder / "questions", firsts.dtype, len(firsts))
    for ngrams in _together(runs, level.ngrams.dtype):
        level.ngrams.append(ngrams)
        ends = _cut(ngrams["key"], slice(1, None))
        questions.append(part_of(ends), ends)
    runs.remove()
    answers = Parts(plan.folder / "answers", below.found.dtype, len(firsts))
    for start, question, answer in zip(starts, questions.parts, answers.parts, strict=True):
        keys = np.ascontiguousarray(below.ngrams.read(start, size)["key"])
        found = below.found.read(start, size)
        for piece in question.pieces(size):
            answer.append(found[_find(keys, piece, "ends")])
        question.remove()
    return answers, part_of


def _together(runs: SortedRuns, dtype: np.dtype[Any]) -> Iterator[Array]:
    """The distinct n-grams of all models, in order."""
    last = None  # of the keys before; that of n-grams of `<unk>` alone equals b""
    for models, records in runs.merged():
        key = records["key"]
        new = np.r_[True, key[1:] != key[:-1]]
        if key[0] == last or np.any((models[1:] == models[:-1]) & ~new[1:]):
            order = dtype["key"].itemsize // _WORD.itemsize
            raise InputError(f"an n-gram of order {order} occurs twice")
        place = new.cumsum() - 1
        ngrams = np.zeros(place[-1] + 1, dtype)
        ngrams["key"] = key[new]
        ngrams["log_p"] = np.nan
        for name in ("log_p", "log_backoff"):
            ngrams[name][place, models] = records[name]
        last = key[-1]
        yield ngrams


def _part(firsts: Array, keys: Array) -> Numbers:
    """The part that has each key, if any has it."""
    return np.maximum(np.searchsorted(firsts, keys, "right") - 1, 0)


def _find(keys: Array, wanted: Array, role: str) -> Numbers:
    """Indices of keys among sorted ones."""
    at = np.minimum(np.searchsorted(keys, wanted), len(keys) - 1)
    if np.any(keys[at] != wanted):
        raise _incomplete(wanted.dtype.itemsize // _WORD.itemsize + 1, role)
    return at


def _incomplete(order: int, role: str) -> InputError:
    what = f"an n-gram of order {order} without the one that {role} it"
    return InputError(what, hint="give models that lmplz has estimated")


def _keys(words: Words) -> Array:
    """Keys (n,) of n-grams (n, order)."""
    return np.ascontiguousarray(words, _WORD).view(f"S{_WORD.itemsize * words.shape[1]}")[:, 0]


def _words(keys: Array) -> Words:
    """The n-grams (n, order) of keys (n,)."""
    order = keys.dtype.itemsize // _WORD.itemsize
    return np.ascontiguousarray(keys).view(_WORD).reshape(-1, order)


def _cut(keys: Array, words: slice) -> Array:
    """Keys of some of the words of n-grams."""
    return _keys(_words(keys)[:, words])
