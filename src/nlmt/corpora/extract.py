"""From the files of a corpus to train, dev, test and dev2 of one language pair."""

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import replace
from pathlib import Path

from nlmt.corpora.access import pieces, read_parts
from nlmt.corpora.bitext import SentencePair
from nlmt.corpora.readers import READERS
from nlmt.corpora.settings import CorpusSettings
from nlmt.corpora.split import Bitext, SplitSettings, TokenCounter, pair_keys, split_by_document
from nlmt.corpora.text_files import PARTS, WHOLE
from nlmt.errors import InputError
from nlmt.io.parallel import read_parallel
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
    """Read the parts of a corpus that there are, and draw those that are missing.

    What a corpus gives to be held out stays as it is; how many of its sentences are in train too
    is counted as `dev_in_train` and so on.

    Args:
        name: of the corpus.
        corpus: its settings.
        languages: source and target.
        wanted: the parts to make, of train, dev, test and dev2.
        split: how missing parts are drawn, where the corpus has no settings of its own.
        count_tokens: number of tokens of a source sentence, and of a target sentence.
        seed: of the split.
        training: raw text of other corpora, source and target: what is in it is not drawn.
        threads: processes, at most.

    Raises:
        InputError: a file is missing, damaged or does not fit the other; or too little text.
    """
    given: dict[str, list[SentencePair]] = {}
    counts: dict[str, int] = {}
    for part in read_parts(name, corpus, wanted):
        given[part], found = _read(name, corpus, languages, part, threads)
        prefix = "" if part == WHOLE else f"{part}_"
        counts |= {f"{prefix}{key}": count for key, count in found.items()}
    parts = {part: [pair.texts() for pair in given[part]] for part in wanted if part in given}
    drawn = [part for part in wanted if part not in given or part == "train"]
    origin = given.get(WHOLE) or given.get("train")
    if drawn and origin:
        settings = split if corpus.split is None else _overridden(split, corpus.split)
        bitext = split_by_document(
            origin, drawn, settings, count_tokens, seed=seed, seen=_seen(origin, training)
        )
    else:
        bitext = Bitext({})
    if "train" in bitext.parts:
        train_keys = {
            key for source, target, *_ in bitext.parts["train"] for key in pair_keys(source, target)
        }
        for part in parts:
            if part != "train":
                counts[f"{part}_in_train"] = sum(
                    bool(pair_keys(source, target) & train_keys)
                    for source, target, *_ in parts[part]
                )
    parts |= bitext.parts
    sizes = {part: len(parts[part]) for part in PARTS if part in parts}
    return Bitext(parts, counts | bitext.counts | sizes)


def _read(
    name: str, corpus: CorpusSettings, languages: tuple[str, str], part: str, threads: int
) -> tuple[list[SentencePair], Counter[str]]:
    """The pairs of a given part, and what its reader counted."""
    counts: Counter[str] = Counter()
    pairs: list[SentencePair] = []
    found = pieces(name, corpus, languages, part)
    for number, piece in enumerate(found):
        reader = READERS.get(piece.format.kind)
        read = reader.pairs(piece.format, piece.files, languages, counts, threads)
        if len(found) > 1:  # documents of two pieces may have one name
            read = (replace(pair, document=f"{number:03} {pair.document}") for pair in read)
        pairs += read
    if not pairs:
        raise InputError(
            "no sentence pair" if part == WHOLE else f"no sentence pair in the {part} files",
            path=str(found[0].files.source),
            hint="both sides need text in the same lines",
        )
    return pairs, counts


def _overridden(split: SplitSettings, own: object) -> SplitSettings:
    """The settings of the split, with a corpus' own in their place."""
    return split.model_copy(update=to_plain(own))  # type: ignore[arg-type]


def _seen(pairs: Iterable[SentencePair], training: Iterable[tuple[Path, Path]]) -> set[str]:
    """The keys of pairs that are in other training text, which is read line by line."""
    texts = list(training)
    if not texts:
        return set()
    own = {key for pair in pairs for key in pair_keys(pair.source, pair.target)}
    return {
        key
        for source_path, target_path in texts
        for source, target in read_parallel(source_path, target_path)
        for key in pair_keys(source, target) & own
    }
