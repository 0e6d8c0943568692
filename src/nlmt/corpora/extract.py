"""Extraction of train, dev, test and dev2 of one language pair from a corpus' files."""

import logging
from collections import Counter
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from contextlib import ExitStack
from dataclasses import dataclass, replace
from functools import partial
from itertools import chain, combinations
from pathlib import Path

from nlmt.corpora.access import pieces, read_parts
from nlmt.corpora.bitext import SentencePair
from nlmt.corpora.duplicates import Duplicates
from nlmt.corpora.held_out import HeldOutPairs
from nlmt.corpora.readers import READERS
from nlmt.corpora.settings import CorpusSettings
from nlmt.corpora.sources import Piece
from nlmt.corpora.split import SMALLER, Bitext, SplitSettings, Texts, TokenCounter
from nlmt.corpora.spool import Spool
from nlmt.corpora.text_files import PARTS, WHOLE, PartFiles, short_names
from nlmt.errors import InputError
from nlmt.io.files import atomic_text, read_parallel, scratch_folder
from nlmt.io.temporary import temporary_folder
from nlmt.steps import counted

_NUMBER = 3  # digits of a file's number before the names of its documents


@dataclass(frozen=True)
class Extraction:
    """The text of one language pair from a corpus' files.

    The parts that the corpus has are read, the others are drawn. Held-out parts that it has stay
    unchanged; the number of their sentences that are also in train is counted as `dev_in_train` and
    so on.

    Attributes:
        name: of the corpus.
        split: settings for drawing missing parts, unless the corpus has its own.
        count_tokens: number of tokens of a source sentence, and of a target sentence.
        seed: of the split.
        training: raw text of other corpora, source and target, whose sentences are not drawn.
        held_out: raw text of other sets, source and target, whose sentences are neither drawn nor
            left in train.
        threads: processes, at most.
    """

    name: str
    corpus: CorpusSettings
    languages: tuple[str, str]
    split: SplitSettings
    count_tokens: tuple[TokenCounter, TokenCounter]
    seed: int = 1
    training: Sequence[tuple[Path, Path]] = ()
    held_out: Sequence[tuple[Path, Path]] = ()
    threads: int = 1

    def bitext(self, wanted: Sequence[str]) -> Bitext:
        """Make parts, of train, dev, test and dev2, in memory.

        Raises:
            InputError: a file is missing, damaged or does not fit the other; or too little text.
        """
        parts: dict[str, list[Texts]] = {}

        def keep(part: str, texts: Iterable[Texts]) -> None:
            parts[part] = list(texts)

        with temporary_folder() as folder:
            counts = self._extract(wanted, keep, folder)
        return Bitext(parts, counts)

    def write(
        self, outputs: Mapping[str, tuple[Path, Path]], also: Iterable[str] = ()
    ) -> dict[str, int]:
        """Write parts of `bitext` (source and target of each), and return its counts.

        Parts in `also`, but train, are made as well, so that those written share no sentence with
        them.

        The training text is not kept in memory. If a corpus has all parts, it is read twice, once
        to find repeated pairs, once to write it; if parts are drawn, it is on disk in between.

        Raises:
            InputError: as in `bitext`.
        """

        def keep(part: str, texts: Iterable[Texts]) -> None:
            if part in outputs:
                _write(outputs[part], texts)

        with scratch_folder(next(iter(outputs.values()))[0]) as folder:
            wanted = list(dict.fromkeys([*outputs, *also]))
            return self._extract(wanted, keep, folder, set(wanted) - set(outputs))

    def _extract(
        self,
        wanted: Sequence[str],
        keep: Callable[[str, Iterable[Texts]], None],
        folder: Path,
        apart_from: Collection[str] = (),
    ) -> dict[str, int]:
        """Give each wanted part to `keep`, and return the counts.

        Train shares no sentence with the parts in `apart_from`, even if the corpus has them.

        Where several files are joined, the pairs of each that are not drawn are counted, as
        `FILE/train`, `FILE/repeated` and so on, and their target words, as `FILE/train_words`.

        `keep` takes the name and the sentences of a part, those of train one by one. The folder is
        for temporary files.
        """
        read = read_parts(self.name, self.corpus, wanted)
        origin = WHOLE if WHOLE in read else "train"
        found: dict[str, Counter[str]] = {origin: Counter()} if origin in read else {}
        held: dict[str, list[SentencePair]] = {}
        for part in (part for part in read if part != origin):
            found[part] = Counter()
            held[part] = list(self._pairs(part, found[part]))
            keep(part, (pair.texts() for pair in held[part]))
        sizes = {part: len(pairs) for part, pairs in held.items()}
        apart: list[Texts] = []
        drawn = [part for part in wanted if part != "train" and part not in read]
        report: dict[str, int] = {}
        if drawn or "train" in wanted:
            report = {"held_out_length": 0, "held_out_seen": 0}
            first = self._pairs(origin, found[origin])
            texts: Callable[[], Iterator[SentencePair]] = partial(self._pairs, origin, Counter())
            if drawn or origin == WHOLE:
                spool = Spool(first, folder)
                others = [*self.training, *self.held_out]
                split = self.corpus.own_split(self.split)
                bitext, taken = spool.draw(drawn, split, self.count_tokens, self.seed, others)
                report = bitext.counts
                for part, made in bitext.parts.items():
                    keep(part, made)
                    sizes[part] = len(made)
                    apart += made
                if "train" in wanted:
                    texts = spool.by_document(taken)
                    first = texts()
        by_file: Counter[str] = Counter()
        if "train" in wanted:
            own = {part: [pair.texts() for pair in pairs] for part, pairs in held.items()}
            left_out = self._left_out(
                [*apart, *chain(*own.values())], chain(*(own[p] for p in own if p in apart_from))
            )
            files = short_names([piece.files.source for piece in self._pieces(origin)])

            def count(pair: SentencePair, fate: str) -> None:
                if len(files) > 1:
                    key = f"{files[int(pair.document[:_NUMBER])]}/{fate}"
                    by_file[key] += 1
                    by_file[f"{key}_words"] += len(pair.target.split())

            in_train, dropped, sizes["train"] = _train(
                first, texts, held, left_out, keep, count, folder
            )
            report = in_train | report | dropped
        _warn_of_shared(held, report)
        counts = {
            key if part == WHOLE else f"{part}_{key}": count
            for part, one in found.items()
            for key, count in one.items()
        }
        parts = {part: sizes[part] for part in PARTS if part in sizes}
        return counts | report | parts | by_file

    def _pieces(self, part: str) -> list[Piece[PartFiles]]:
        """The files of a given part."""
        return pieces(self.name, self.corpus, self.languages, part)

    def _pairs(self, part: str, counts: Counter[str]) -> Iterator[SentencePair]:
        """The pairs of a given part, at least one of each of its files."""
        found = self._pieces(part)
        for number, piece in enumerate(found):
            none = True
            reader = READERS.get(piece.format.kind)
            pairs = reader.pairs(piece.format, piece.files, self.languages, counts, self.threads)
            for pair in counted(pairs, f"read {piece.files.source.path.name}", unit="pairs"):
                none = False
                if len(found) > 1:  # documents of two pieces may have one name
                    pair = replace(pair, document=f"{number:0{_NUMBER}} {pair.document}")
                yield pair
            if none:
                hint = "both sides need text in the same lines"
                raise InputError("no sentence pair", path=str(piece.files.source), hint=hint)

    def _left_out(self, own: list[Texts], apart: Iterable[Texts]) -> HeldOutPairs | None:
        """The sets that train must share no sentence with: others' and, if filtered, its own.

        Those in `apart` count as others.
        """
        filters = self.corpus.filters
        others = [*apart, *(pair for paths in self.held_out for pair in read_parallel(*paths))]
        if filters is not None:
            return HeldOutPairs([*own, *others], filters.near_duplicates)
        return HeldOutPairs(others, None) if others else None


def _train(
    first: Iterable[SentencePair],
    again: Callable[[], Iterator[SentencePair]],
    held: Mapping[str, Sequence[SentencePair]],
    left_out: HeldOutPairs | None,
    keep: Callable[[str, Iterable[Texts]], None],
    count: Callable[[SentencePair, str], None],
    folder: Path,
) -> tuple[dict[str, int], dict[str, int], int]:
    """Give the pairs of train to `keep`, each once.

    Args:
        first: all pairs.
        again: gives them once more.
        held: pairs of the held-out parts that the corpus has.
        left_out: pairs that are not given, nor those near them.
        keep: as in `Extraction`.
        count: gets each pair with `train`, or the reason for which it is dropped.
        folder: for temporary files.

    Returns:
        Numbers of pairs of each held-out part that are in train; of those dropped, by reason; of
        those kept.
    """
    duplicates = Duplicates(folder)
    for pair in first:
        duplicates.add(pair.texts())
    flags = duplicates.repeated()
    if not len(flags):
        raise InputError("no sentence is left for training", hint=SMALLER)
    keys = {key for pairs in held.values() for pair in pairs for key in pair.compared()}
    seen: set[str] = set()
    dropped = {"repeated": int(flags.sum())}
    if left_out is not None:
        dropped |= dict.fromkeys(left_out.REASONS, 0)

    def train() -> Iterator[Texts]:
        for pair, is_repeated in zip(again(), flags, strict=True):
            if is_repeated:
                count(pair, "repeated")
                continue
            if left_out is not None and (reason := left_out.reason(pair.texts())):
                dropped[reason] += 1
                count(pair, reason)
                continue
            count(pair, "train")
            if keys:
                seen.update(pair.compared() & keys)
            yield pair.texts()

    keep("train", train())
    counts = {
        f"{part}_in_train": sum(bool(pair.compared() & seen) for pair in pairs)
        for part, pairs in held.items()
    }
    return counts, dropped, len(flags) - sum(dropped.values())


def _warn_of_shared(held: Mapping[str, Sequence[SentencePair]], counts: Mapping[str, int]) -> None:
    """Log a warning for each held-out part that mostly repeats train or another one."""

    def warn(part: str, count: int, other: str) -> None:
        if 2 * count > len(held[part]):
            what = "%s: %d of its %d sentence pairs have a side that is in %s, too"
            logging.warning(what, part, count, len(held[part]), other)

    for part in held:
        warn(part, counts.get(f"{part}_in_train", 0), "train")
    for one, other in combinations(held, 2):
        keys = {key for pair in held[other] for key in pair.compared()}
        warn(one, sum(bool(pair.compared() & keys) for pair in held[one]), other)


def _write(outputs: tuple[Path, Path], texts: Iterable[Sequence[str]]) -> None:
    """Write both sides of some pairs."""
    with ExitStack() as stack:
        sides = [stack.enter_context(atomic_text(path)) for path in outputs]
        for pair in texts:
            for side, text in zip(sides, pair, strict=False):
                side.write(f"{text}\n")
