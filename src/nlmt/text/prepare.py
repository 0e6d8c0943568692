"""Preparation of a bitext from raw lines to tokens, in bounded memory."""

from collections import Counter
from collections.abc import Sequence
from contextlib import ExitStack
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import numpy.typing as npt

from nlmt.chunks import in_chunks, numbered_chunks, ordered_map
from nlmt.errors import InputError
from nlmt.io.files import atomic_text, read_parallel
from nlmt.io.shards import Shard
from nlmt.steps import counted
from nlmt.text.distinct import DistinctCounter, word_hashes
from nlmt.text.sample import share_of
from nlmt.text.tokenise import DEFAULT_TOKENISATION, PIPE, Tokenisation, warn_of_general_rules

WHOLE = Shard(1, 1)
_SIDES = ("source", "target")

Pair = tuple[str, ...]


@dataclass(frozen=True)
class _Task:
    """Pairs to prepare."""

    languages: tuple[str, str]
    tokenisation: Tokenisation
    max_length: int | None
    first: int  # number of the first pair in the text, from 0
    pairs: list[Pair]


@dataclass(frozen=True)
class _Prepared:
    """Prepared pairs: the lines of each side, counts, and the words' hashes.

    Attributes:
        without_word: number of the first line of dev or test that has no token, with its side.
    """

    sides: tuple[list[str], list[str]]
    counts: Counter[str]
    words: tuple[npt.NDArray[np.uint64], npt.NDArray[np.uint64]]
    without_word: tuple[int, int] | None


def prepare_bitext(
    source: Path | str,
    target: Path | str,
    languages: tuple[str, str],
    outputs: tuple[Path | str, Path | str],
    *,
    max_length: int | None,
    tokenisation: Tokenisation = DEFAULT_TOKENISATION,
    shard: Shard = WHOLE,
    share: float = 1.0,
    seed: int = 1,
    threads: int = 1,
) -> dict[str, int]:
    """Normalise, tokenise and lower-case both sides of a bitext, or of a shard of it.

    Args:
        source: raw text, one sentence per line.
        target: its translation, line by line.
        languages: codes of source and target.
        outputs: paths for the tokens of each side, one sentence per line.
        max_length: for training text: pairs with a side without tokens or with more than this many
            are dropped and counted. None, for dev and test: every line is kept, and one without a
            token is an error.
        tokenisation: settings of tokenisation.
        shard: the lines to prepare; counts are then of only these.
        share: of the pairs, a sample by the seed; others are not counted.
        seed: of the sample.
        threads: processes; the result does not depend on their number.

    Returns:
        The counts of the run report.

    Raises:
        InputError: unknown language, a tokenisation not available for it, not UTF-8, sides of
            different length, no text, or a line of dev or test without a token.
    """
    for language in languages:
        tokenisation.of(language)
        warn_of_general_rules(language)
    first, pairs = shard.of(lambda: read_parallel(source, target))
    pairs = share_of(pairs, share=share, seed=seed, first=first)
    tasks = (
        _Task(languages, tokenisation, max_length, number, chunk)
        for number, chunk in numbered_chunks(pairs, first=first)
    )
    totals = _Totals()
    with ExitStack() as stack:
        texts = [stack.enter_context(atomic_text(output)) for output in outputs]
        for prepared in counted(
            ordered_map(_prepare, tasks, threads), "prepare text", unit="thousands of pairs"
        ):
            if prepared.without_word is not None:
                side, line = prepared.without_word
                raise InputError(
                    "a line without a word",
                    path=(source, target)[side],
                    line=line + 1,
                    hint="remove the line from both sides",
                )
            totals.add(prepared.counts, prepared.words)
            for text, lines in zip(texts, prepared.sides, strict=True):
                text.writelines(f"{line}\n" for line in lines)
        if totals.counts["kept"] == 0 and shard.count == 1:
            raise InputError(
                "no sentence is left", path=source, hint="check the lengths of its lines"
            )
    return totals.report()


def gather_shards(
    shards: Sequence[tuple[Path | str, Path | str]],
    counts: Sequence[dict[str, int]],
    outputs: tuple[Path | str, Path | str],
) -> dict[str, int]:
    """Join shards of a bitext to the same bytes as when prepared whole; return the joint counts.

    Raises:
        InputError: a shard is missing or damaged, or no sentence is left.
    """
    totals = _Totals()
    for one in counts:
        totals.add(Counter(one), ())
    with ExitStack() as stack:
        texts = [stack.enter_context(atomic_text(output)) for output in outputs]
        for paths in shards:
            for chunk in in_chunks(read_parallel(*paths)):
                words = []
                for side, text in enumerate(texts):
                    lines = [pair[side] for pair in chunk]
                    text.writelines(f"{line}\n" for line in lines)
                    words.append(_hashes(lines))
                totals.add(Counter(), words)
        if totals.counts["kept"] == 0:
            raise InputError("no sentence is left", path=outputs[0])
    return totals.report()


class _Totals:
    """The counts of the run report, added up."""

    def __init__(self) -> None:
        self.counts: Counter[str] = Counter()
        self._words = (DistinctCounter(), DistinctCounter())

    def add(self, counts: Counter[str], words: Sequence[npt.NDArray[np.uint64]]) -> None:
        self.counts += counts
        for counter, hashes in zip(self._words, words, strict=False):
            counter.add(hashes)

    def report(self) -> dict[str, int]:
        """The counts in the order of the report."""
        names = ["read", "empty", "too_long"]
        words: dict[str, int] = {}
        for side, counter in zip(_SIDES, self._words, strict=True):
            names += [f"{side}_tokens", f"{side}_words", f"{side}_escaped_pipes"]
            words[f"{side}_words"] = counter.count()
        return {name: words.get(name, self.counts[name]) for name in [*names, "kept"]}


def _prepare(task: _Task) -> _Prepared:
    """Tokenise and clean some pairs."""
    tokenisers = [task.tokenisation.of(language) for language in task.languages]
    kept: tuple[list[str], list[str]] = ([], [])
    counts: Counter[str] = Counter(read=len(task.pairs))
    without_word: tuple[int, int] | None = None
    for number, pair in enumerate(task.pairs):
        texts = [tokeniser(text) for tokeniser, text in zip(tokenisers, pair, strict=True)]
        lengths = [len(text.split()) for text in texts]
        if min(lengths) == 0:
            if task.max_length is None and without_word is None:
                without_word = (lengths.index(0), task.first + number)
            counts["empty"] += 1
        elif task.max_length is not None and max(lengths) > task.max_length:
            counts["too_long"] += 1
        else:
            counts["kept"] += 1
            for side, name in enumerate(_SIDES):
                kept[side].append(texts[side])
                counts[f"{name}_tokens"] += lengths[side]
                if PIPE in texts[side]:
                    counts[f"{name}_escaped_pipes"] += texts[side].split().count(PIPE)
    return _Prepared(kept, counts, (_hashes(kept[0]), _hashes(kept[1])), without_word)


def _hashes(lines: Sequence[str]) -> npt.NDArray[np.uint64]:
    """Hashes of the distinct words of some lines."""
    return word_hashes({word for line in lines for word in line.split()})
