"""Extraction of train, dev, test and dev2 of one language pair from a corpus' files."""

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import ExitStack
from dataclasses import replace
from functools import partial
from pathlib import Path

from nlmt.corpora.access import pieces, read_parts
from nlmt.corpora.bitext import SentencePair, pair_keys
from nlmt.corpora.duplicates import Duplicates
from nlmt.corpora.readers import READERS
from nlmt.corpora.settings import CorpusSettings
from nlmt.corpora.split import NO_TRAIN, SMALLER, Bitext, SplitSettings, Texts, TokenCounter
from nlmt.corpora.spool import Spool
from nlmt.corpora.text_files import PARTS, WHOLE
from nlmt.errors import InputError
from nlmt.io.files import atomic_text, read_parallel, scratch_folder
from nlmt.io.temporary import temporary_folder
from nlmt.settings import to_plain


def extract_bitext(
    name: str,
    corpus: CorpusSettings,
    languages: tuple[str, str],
    wanted: Sequence[str],
    split: SplitSettings,
    count_tokens: tuple[TokenCounter, TokenCounter],
    *,
    seed: int = 1,
    training: Iterable[tuple[Path, Path]] = (),
    threads: int = 1,
) -> Bitext:
    """Read the parts that a corpus has, and draw the others.

    Held-out parts that the corpus has stay unchanged; the number of their sentences that are also
    in train is counted as `dev_in_train` and so on.

    Args:
        name: of the corpus.
        corpus: its settings.
        languages: source and target.
        wanted: the parts to make, of train, dev, test and dev2.
        split: settings for drawing missing parts, unless the corpus has its own.
        count_tokens: number of tokens of a source sentence, and of a target sentence.
        seed: of the split.
        training: raw text of other corpora, source and target, whose sentences are not drawn.
        threads: processes, at most.

    Raises:
        InputError: a file is missing, damaged or does not fit the other; or too little text.
    """
    parts: dict[str, list[Texts]] = {}

    def keep(part: str, texts: Iterable[Texts]) -> None:
        parts[part] = list(texts)

    with temporary_folder() as folder:
        counts = _extract(
            name, corpus, languages, wanted, split, count_tokens, keep, folder,
            seed=seed, training=training, threads=threads,
        )  # fmt: skip
    return Bitext(parts, counts)


def write_bitext(
    name: str,
    corpus: CorpusSettings,
    languages: tuple[str, str],
    outputs: Mapping[str, tuple[Path, Path]],
    split: SplitSettings,
    count_tokens: tuple[TokenCounter, TokenCounter],
    *,
    seed: int = 1,
    threads: int = 1,
) -> dict[str, int]:
    """Write the parts of `extract_bitext`.

    The training text is not kept in memory. If a corpus has all parts, it is read twice, once to
    find repeated pairs, once to write it; if parts are drawn, it is on disk in between.

    Args:
        name: of the corpus.
        corpus: its settings.
        languages: source and target.
        outputs: paths of source and target of each part.
        split: settings for drawing missing parts, unless the corpus has its own.
        count_tokens: number of tokens of a source sentence, and of a target sentence.
        seed: of the split.
        threads: processes, at most.

    Returns:
        The counts, as in `extract_bitext`.

    Raises:
        InputError: as in `extract_bitext`.
    """
    with scratch_folder(next(iter(outputs.values()))[0]) as folder:
        return _extract(
            name, corpus, languages, list(outputs), split, count_tokens,
            lambda part, texts: _write(outputs[part], texts), folder,
            seed=seed, training=(), threads=threads,
        )  # fmt: skip


def _extract(
    name: str,
    corpus: CorpusSettings,
    languages: tuple[str, str],
    wanted: Sequence[str],
    split: SplitSettings,
    count_tokens: tuple[TokenCounter, TokenCounter],
    keep: Callable[[str, Iterable[Texts]], None],
    folder: Path,
    *,
    seed: int,
    training: Iterable[tuple[Path, Path]],
    threads: int,
) -> dict[str, int]:
    """Give each wanted part to `keep`, train without keeping it in memory; return the counts.

    The other arguments are those of `extract_bitext`; the folder is for temporary files.
    """
    read = read_parts(name, corpus, wanted)
    origin = WHOLE if WHOLE in read else "train"
    found: dict[str, Counter[str]] = {origin: Counter()} if origin in read else {}
    held: dict[str, list[SentencePair]] = {}
    for part in (part for part in read if part != origin):
        found[part] = Counter()
        held[part] = list(_pairs(name, corpus, languages, part, found[part], threads))
        keep(part, (pair.texts() for pair in held[part]))
    sizes = {part: len(pairs) for part, pairs in held.items()}
    drawn = [part for part in wanted if part != "train" and part not in read]
    report: dict[str, int] = {}
    if drawn or "train" in wanted:
        report = {"held_out_length": 0, "held_out_seen": 0}
        first = _pairs(name, corpus, languages, origin, found[origin], threads)
        texts: Callable[[], Iterator[SentencePair]] = partial(
            _pairs, name, corpus, languages, origin, Counter(), threads
        )
        if drawn or origin == WHOLE:
            spool = Spool(first, folder)
            settings = split if corpus.split is None else _overridden(split, corpus.split)
            bitext, taken = spool.draw(drawn, settings, count_tokens, seed, _seen(spool, training))
            report = bitext.counts
            for part, made in bitext.parts.items():
                keep(part, made)
                sizes[part] = len(made)
            texts = partial(spool.by_document, taken)
            first = texts()
    if "train" in wanted:
        duplicates = Duplicates(folder)
        for pair in first:
            duplicates.add(pair.texts())
        flags = duplicates.repeated()
        if not len(flags):
            raise InputError(NO_TRAIN, hint=SMALLER)
        keys = {key for pairs in held.values() for pair in pairs for key in pair.compared()}
        seen: set[str] = set()

        def train() -> Iterator[Texts]:
            for pair, is_repeated in zip(texts(), flags, strict=True):
                if not is_repeated:
                    if keys:
                        seen.update(pair.compared() & keys)
                    yield pair.texts()

        keep("train", train())
        report["repeated"] = int(flags.sum())
        sizes["train"] = len(flags) - report["repeated"]
        in_train = {
            f"{part}_in_train": sum(bool(pair.compared() & seen) for pair in pairs)
            for part, pairs in held.items()
        }
        report = in_train | report
    counts = {
        key if part == WHOLE else f"{part}_{key}": count
        for part, one in found.items()
        for key, count in one.items()
    }
    return counts | report | {part: sizes[part] for part in PARTS if part in sizes}


def _write(outputs: tuple[Path, Path], texts: Iterable[Sequence[str]]) -> None:
    """Write both sides of some pairs."""
    with ExitStack() as stack:
        sides = [stack.enter_context(atomic_text(path)) for path in outputs]
        for pair in texts:
            for side, text in zip(sides, pair, strict=False):
                side.write(f"{text}\n")


def _pairs(
    name: str,
    corpus: CorpusSettings,
    languages: tuple[str, str],
    part: str,
    counts: Counter[str],
    threads: int,
) -> Iterator[SentencePair]:
    """The pairs of a given part, at least one."""
    none = True
    found = pieces(name, corpus, languages, part)
    for number, piece in enumerate(found):
        reader = READERS.get(piece.format.kind)
        for pair in reader.pairs(piece.format, piece.files, languages, counts, threads):
            none = False
            # Documents of two pieces may have one name.
            own = len(found) == 1
            yield pair if own else replace(pair, document=f"{number:03} {pair.document}")
    if none:
        raise InputError(
            "no sentence pair" if part == WHOLE else f"no sentence pair in the {part} files",
            path=str(found[0].files.source),
            hint="both sides need text in the same lines",
        )


def _overridden(split: SplitSettings, own: object) -> SplitSettings:
    """The settings of the split, overridden by the corpus' own."""
    return split.model_copy(update=to_plain(own))  # type: ignore[arg-type]


def _seen(pairs: Iterable[SentencePair], training: Iterable[tuple[Path, Path]]) -> set[str]:
    """The keys of pairs that occur in other training text, which is read line by line."""
    texts = list(training)
    if not texts:
        return set()
    own = {key for pair in pairs for key in pair.compared()}
    return {
        key
        for source_path, target_path in texts
        for source, target in read_parallel(source_path, target_path)
        for key in pair_keys(source, target) & own
    }
