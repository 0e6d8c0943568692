"""Moses n-best lists: reading as arrays, whole or in blocks, and rewriting with other features.

A line of a list is

    12 ||| the words  ||| LM0= -25.7 TranslationModel0= 0 -2.7 0 -0.2 ||| -4.3 ||| 0-1=0-1 ||| 0-0

that is sentence, hypothesis, features, total and, if requested from the decoder, segmentation and
word alignment. Older lists have `lm: -25.7`. Gzip files are recognised by their first bytes.
"""

import math
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TypeVar

import numpy as np
from numpy.typing import ArrayLike, NDArray

from nlmt.errors import InputError
from nlmt.io import _nbest
from nlmt.io.files import atomic_path, check_file
from nlmt.io.weights import Weights

BLOCK_BYTES = 64 << 20  # of a list's text in memory at a time
Number = TypeVar("Number", bound=np.generic)

# Moses would treat a label with `_` as a sparse feature.
LABEL = re.compile(r"[A-Za-z][-.0-9A-Za-z]*")


@dataclass(frozen=True, eq=False)
class NbestList:
    """An n-best list, or part of one, with N hypotheses of F feature values each.

    Attributes:
        sentence: (N,) number of the input sentence, non-decreasing.
        words: the list's vocabulary, in order of first appearance.
        ids: the words of all hypotheses, concatenated.
        offsets: (N + 1,) hypothesis i is ids[offsets[i]:offsets[i + 1]].
        features: (N, F), language models as natural logs.
        feature_names: label and number of values, in the order of the columns of `features`.
        totals: (N,) the model scores in the list.
        alignments: UTF-8 text after the totals of all hypotheses, `0-1=0-1 ||| 0-0`, if read.
        alignment_offsets: (N + 1,) into `alignments`.
        first_line: number of the first hypothesis' line in the file.
        path: of the file, for messages.
    """

    sentence: NDArray[np.int32]
    words: list[str]
    ids: NDArray[np.int32]
    offsets: NDArray[np.int64]
    features: NDArray[np.float64]
    feature_names: list[tuple[str, int]]
    totals: NDArray[np.float64]
    alignments: bytes | None = None
    alignment_offsets: NDArray[np.int64] | None = None
    first_line: int = 1
    path: Path | str | None = None

    def __len__(self) -> int:
        """Number of hypotheses."""
        return len(self.sentence)

    def text(self, i: int) -> str:
        """The words of hypothesis `i`, separated by single spaces."""
        return " ".join([self.words[w] for w in self.ids[self.offsets[i] : self.offsets[i + 1]]])

    def alignment(self, i: int) -> str:
        """The columns after the total of hypothesis `i`; empty if there are none."""
        if self.alignments is None or self.alignment_offsets is None:
            raise ValueError("the list was read without keep_alignments")
        begin, end = self.alignment_offsets[i : i + 2]
        return self.alignments[begin:end].decode("utf-8").strip()

    def sentence_starts(self) -> NDArray[np.int64]:
        """First row of each sentence's list, then N (sentences + 1,)."""
        changes = np.flatnonzero(np.diff(self.sentence)) + 1
        ends = [len(self)] if len(self) else []
        return np.concatenate(([0], changes, ends)).astype(np.int64)

    def take(self, rows: NDArray[np.int64]) -> "NbestList":
        """Some of the hypotheses, by their distinct rows, rising."""
        ids, offsets = take_rows(self.ids, self.offsets, rows)
        alignments, ends = self.alignments, self.alignment_offsets
        if alignments is not None and ends is not None:
            taken, ends = take_rows(np.frombuffer(alignments, np.uint8), ends, rows)
            alignments = taken.tobytes()
        return replace(
            self,
            sentence=self.sentence[rows],
            ids=ids,
            offsets=offsets,
            features=self.features[rows],
            totals=self.totals[rows],
            alignments=alignments,
            alignment_offsets=ends,
        )


def take_rows(
    values: NDArray[Number], offsets: NDArray[np.int64], rows: NDArray[np.int64]
) -> tuple[NDArray[Number], NDArray[np.int64]]:
    """Distinct rows of a ragged array, concatenated in rising order, and their offsets."""
    if len(rows) == len(offsets) - 1:
        return values, offsets
    lengths, taken = np.diff(offsets), np.zeros(len(offsets) - 1, dtype=bool)
    taken[rows] = True
    new_offsets = np.concatenate(([0], np.cumsum(lengths[rows])))
    return values[np.repeat(taken, lengths)], new_offsets


def read_nbest(path: Path | str, *, keep_alignments: bool = False) -> NbestList:
    """Read a whole list; an empty file is a list without hypotheses.

    Raises:
        InputError: a malformed line, a score that is not a finite number, labels that change
            between lines, sentences out of order, broken UTF-8, a damaged gzip stream; names file
            and line.
    """
    whole = next(_read_blocks(path, _EVERYTHING, True, keep_alignments), None)
    if whole is not None:
        return whole
    none = np.zeros(0, np.int32)
    start = np.zeros(1, np.int64)
    rest, rest_offsets = (b"", start) if keep_alignments else (None, None)
    nothing, features = np.zeros(0), np.zeros((0, 0))
    return NbestList(none, [], none, start, features, [], nothing, rest, rest_offsets, path=path)


def iter_nbest(
    path: Path | str,
    *,
    whole_sentences: bool = True,
    keep_alignments: bool = False,
) -> Iterator[NbestList]:
    """Yield a list in blocks of about `BLOCK_BYTES` of text, each with its own vocabulary.

    With `whole_sentences` the hypotheses of a sentence stay in one block; columns after the total
    are read with `keep_alignments`.

    Raises:
        InputError: as `read_nbest`.
    """
    yield from _read_blocks(path, BLOCK_BYTES, whole_sentences, keep_alignments)


def read_feature_names(path: Path | str) -> list[tuple[str, int]]:
    """Labels of a list and their numbers of values, from its first line."""
    return _nbest.NbestReader(str(check_file(path)), False).labels


def add_features(
    in_path: Path | str,
    out_path: Path | str,
    features: Mapping[str, ArrayLike],
    *,
    weights: Weights | None = None,
    first: int | None = None,
    sort: bool = False,
    size: int | None = None,
    distinct: bool = False,
) -> int:
    """Copy a list with features added or replaced; the rest stays byte for byte.

    New features come after the last one; a feature that the list already has keeps its position.
    Numbers are written with six digits, as in Moses.

    Args:
        in_path: the list.
        out_path: the new list, compressed if it ends in `.gz`; atomic.
        features: by label, values (N,) or (N, width) in the order of the list, for the lines
            selected by `first`.
        weights: one weight for each value of each label, to recompute the totals; weights of
            other labels are ignored. None: the totals stay.
        first: number of lines of each sentence to copy, the first ones of the list; None: all.
        sort: whether to sort each sentence's list by totals, the highest first, stably. Memory
            holds the lines of one sentence.
        size: largest number of lines of each sentence to write, if sorted; None: all.
        distinct: whether to write only the best of a sentence's hypotheses with the same words, if
            sorted.

    Returns:
        the number of hypotheses copied.

    Raises:
        InputError: as in `read_nbest`; a label that Moses would not read, a width that differs from
            the list's, a missing weight, a wrong number of values, a new total that is not a finite
            number.
    """
    if (size is not None or distinct) and not sort:
        raise ValueError("size and distinct are for sorted lists")
    columns = {label: _as_columns(label, values) for label, values in features.items()}
    written = [(label, values.shape[1]) for label, values in columns.items()]
    blank = np.zeros((0, 0))  # for any number of hypotheses
    values = np.concatenate(list(columns.values()), axis=1) if columns else blank
    flat: list[float] = []
    if weights is not None:
        names = read_feature_names(in_path)
        names += [name for name in written if name[0] not in {label for label, _ in names}]
        flat = list(flatten_weights(names, weights, path=in_path))
    with atomic_path(out_path) as temporary:
        return _nbest.rewrite(
            [str(check_file(in_path))],
            str(temporary),
            written,
            np.ascontiguousarray(values),
            flat,
            _at_most(first),
            sort,
            _at_most(size),
            distinct,
        )


def merge_nbests(
    in_paths: Sequence[Path | str],
    out_path: Path | str,
    *,
    weights: Weights | None = None,
    size: int | None = None,
) -> int:
    """Merge lists, keeping the best hypothesis with the same words; return how many were read.

    Each sentence's list is sorted by totals, the highest first; equal ones keep the order of the
    lists. Memory holds the lines of one sentence of all lists.

    Args:
        in_paths: the lists; a sentence may be missing in some of them.
        out_path: the new list, compressed if it ends in `.gz`; atomic.
        weights: as in `add_features`; totals with different weights are not comparable.
        size: largest number of lines of each sentence to write; None: all.

    Raises:
        InputError: as in `read_nbest`; lists with different features, a missing weight.
    """
    flat: list[float] = []
    if weights is not None:
        labels = ((path, read_feature_names(path)) for path in in_paths)
        named, names = next((found for found in labels if found[1]), (None, []))
        flat = list(flatten_weights(names, weights, path=named))
    inputs, nothing = [str(check_file(path)) for path in in_paths], np.zeros((0, 0))
    with atomic_path(out_path) as temporary:
        out = str(temporary)
        every, most = _at_most(None), _at_most(size)
        return _nbest.rewrite(inputs, out, [], nothing, flat, every, True, most, True)


def flatten_weights(
    names: Sequence[tuple[str, int]],
    weights: Weights,
    *,
    path: Path | str | None = None,
) -> NDArray[np.float64]:
    """Weights (F,) in the order of a list's features.

    Raises:
        InputError: a label without weights, with a wrong number of them, or with one that is not a
            finite number; names the label, and the list, if its `path` is given.
    """
    flat: list[float] = []
    for label, width in names:
        found = weights.get(label)
        if found is None:
            have = ", ".join(weights)
            what = f"no weight for the feature {label}"
            raise InputError(what, path=path, hint=f"there are {have}")
        if len(found) != width:
            values = f"{width} value{'s' * (width > 1)}"
            raise InputError(f"{label} has {values}, but {len(found)} weights", path=path)
        if not all(map(math.isfinite, found)):
            raise InputError(f"a weight of {label} is not a finite number", path=path)
        flat.extend(found)
    return np.array(flat, np.float64)


def weighted_totals(nbest: NbestList, weights: Weights) -> NDArray[np.float64]:
    """Model score (N,) of each hypothesis; equal features give equal scores to the last bit.

    Raises:
        InputError: as in `flatten_weights`; a score that is not a finite number.
    """
    totals = np.zeros(len(nbest))
    # Not a matrix product, which may sum the rows at its edges in another order.
    flat = flatten_weights(nbest.feature_names, weights, path=nbest.path)
    with np.errstate(over="ignore", invalid="ignore"):
        for weight, column in zip(flat, nbest.features.T, strict=True):
            totals += weight * column
    if not np.isfinite(totals).all():
        line = nbest.first_line + int(np.argmin(np.isfinite(totals)))
        raise InputError(
            "the new total is not a finite number",
            path=nbest.path,
            line=line,
            hint="a weight or a score is too large",
        )
    return totals


_EVERYTHING = 1 << 62  # more bytes and lines than any list has


def _read_blocks(
    path: Path | str, size: int, whole_sentences: bool, keep_alignments: bool
) -> Iterator[NbestList]:
    """Yield a list in blocks of about `size` bytes of text."""
    reader = _nbest.NbestReader(str(check_file(path)), keep_alignments)
    line = 1
    while (block := reader.read(size, whole_sentences)) is not None:
        sentence, words, ids, offsets, features, totals, rest, rest_offsets = block
        yield NbestList(
            sentence,
            words,
            ids,
            offsets,
            features,
            reader.labels,
            totals,
            alignments=rest if keep_alignments else None,
            alignment_offsets=rest_offsets if keep_alignments else None,
            first_line=line,
            path=path,
        )
        line += len(sentence)


def _at_most(size: int | None) -> int:
    if size is not None and size < 1:
        raise ValueError(f"size {size}: at least 1")
    return _EVERYTHING if size is None else size


def _as_columns(label: str, values: ArrayLike) -> NDArray[np.float64]:
    if not LABEL.fullmatch(label):
        raise InputError(f"{label!r} is not a feature label", hint="letters and digits, as in NLM0")
    array = np.asarray(values, np.float64)
    array = array[:, None] if array.ndim == 1 else array
    if not np.isfinite(array).all():
        row = int(np.argwhere(~np.isfinite(array))[0, 0])
        raise ValueError(f"{label}: the score of hypothesis {row} is not a finite number")
    return array
