"""Scores of an n-best list's hypotheses by further models, in a small file beside the list.

A compressed table of tab-separated values:

    # first 1000 of each sentence of the list <SHA-256 of its file>
    NLM0	NLM1
    -21.5	-23.0417

with a line for each hypothesis, and numbers of six digits as in lists.
"""

import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from nlmt.errors import InputError
from nlmt.io.files import atomic_text, check_file, file_hash, read_whole
from nlmt.io.nbest import NbestList, iter_nbest, read_feature_names, read_nbest

_HEAD = re.compile(r"# first ([0-9]{1,18}) of each sentence of the list ([0-9a-f]{64})")
_AGAIN = "make it again"


def write_scores(
    path: Path | str,
    nbest: Path | str,
    scores: Mapping[str, NDArray[np.float64]],
    *,
    first: int,
) -> None:
    """Write scores of the list at `nbest`.

    Values (N,) are by label, in the order of the list; `first` is the number of hypotheses of each
    sentence that have scores, the first ones.

    Raises:
        InputError: the list has a feature of the same label.
    """
    taken = [name for name, _ in read_feature_names(nbest) if name in scores]
    if taken:
        what = f"the list has a feature {taken[0]} already"
        raise InputError(what, path=nbest, hint="give it another label in the list")
    line = "\t".join(["%.6g"] * len(scores)) + "\n"
    with atomic_text(path) as text:
        text.write(f"# first {first} of each sentence of the list {file_hash(Path(nbest))}\n")
        text.write("\t".join(scores) + "\n")
        columns = (values.tolist() for values in scores.values())
        text.write("".join(map(line.__mod__, zip(*columns, strict=True))))


def read_scored(nbest: Path | str, scores: Path | str | None) -> NbestList:
    """Read a whole list with further scores, if any, as features after its own.

    Hypotheses without scores are left out.

    Raises:
        InputError: a malformed file; scores of another list.
    """
    block = read_nbest(nbest)
    if scores is None:
        return block
    (scored,) = _Columns.read(scores, nbest).add_to([block])
    return scored


def iter_scored(
    nbest: Path | str,
    scores: Path | str | None,
    *,
    keep_alignments: bool = False,
) -> Iterator[NbestList]:
    """Yield a list in blocks as `read_scored` has it; as it is, where `scores` is None.

    The blocks need not have whole sentences.

    Raises:
        InputError: as `read_scored`.
    """
    blocks = iter_nbest(nbest, whole_sentences=False, keep_alignments=keep_alignments)
    return blocks if scores is None else _Columns.read(scores, nbest).add_to(blocks)


class FirstOfEach:
    """The first hypotheses of each sentence of a list that comes in blocks."""

    def __init__(self, first: int | None) -> None:
        """Begin a list.

        Args:
            first: number of hypotheses of each sentence; None: all.
        """
        self._first = first
        self._sentence, self._before = -1, 0  # the last one so far, and the number of its rows

    def rows(self, block: NbestList) -> NDArray[np.int64]:
        """Rows, rising, of the next block that are among the first of their sentence."""
        starts = block.sentence_starts()
        lengths = np.diff(starts)
        ranks = np.arange(len(block)) - np.repeat(starts[:-1], lengths)
        if len(block):
            ranks[: lengths[0]] += self._before if int(block.sentence[0]) == self._sentence else 0
            self._sentence, self._before = int(block.sentence[-1]), int(ranks[-1]) + 1
        return np.flatnonzero(ranks < self._first) if self._first else np.arange(len(block))


@dataclass(frozen=True, eq=False)
class _Columns:
    """Scores of a list's hypotheses.

    `values` has the shape (N, columns); `first` is the number of hypotheses of each sentence that
    have scores.
    """

    path: Path | str
    labels: list[str]
    values: NDArray[np.float64]
    first: int

    @classmethod
    def read(cls, path: Path | str, nbest: Path | str) -> "_Columns":
        """Read the scores of a list."""
        first_line, _, table = read_whole(path).partition("\n")
        head = _HEAD.fullmatch(first_line)
        if head is None:
            raise InputError("no scores of an n-best list", path=path, line=1)
        if head[2] != file_hash(check_file(nbest)):
            raise InputError(f"scores of another list than {nbest}", path=path, hint=_AGAIN)
        names, _, numbers = table.partition("\n")
        labels = names.split("\t")
        try:
            values = np.array(numbers.split(), np.float64).reshape(-1, len(labels))
        except ValueError as error:
            raise InputError("malformed scores", path=path, hint=_AGAIN) from error
        if not np.isfinite(values).all():
            raise InputError("malformed scores", path=path, hint=_AGAIN)
        return cls(path, labels, values, int(head[1]))

    def add_to(self, blocks: Iterable[NbestList]) -> Iterator[NbestList]:
        """The blocks of the list, with those of their hypotheses that have scores."""
        selected, done = FirstOfEach(self.first), 0
        for block in blocks:
            rows = selected.rows(block)
            values = self.values[done : done + len(rows)]
            done += len(rows)
            if len(values) < len(rows):
                raise InputError("fewer scores than hypotheses", path=self.path, hint=_AGAIN)
            kept = block if len(rows) == len(block) else block.take(rows)
            names = [*kept.feature_names, *((label, 1) for label in self.labels)]
            features = np.hstack([kept.features, values])
            yield replace(kept, features=features, feature_names=names)
        if done < len(self.values):
            raise InputError("more scores than hypotheses", path=self.path, hint=_AGAIN)
