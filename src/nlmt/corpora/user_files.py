"""A user's own bitext: line i of one file translates line i of the other."""

from collections.abc import Sequence
from pathlib import Path

from nlmt.corpora.bitext import SentencePair, sentence_key
from nlmt.corpora.split import Bitext, SplitConfig, TextPair, TokenCounter, split_by_document
from nlmt.errors import InputError
from nlmt.io.parallel import read_parallel


def read_user_bitext(
    parts: Sequence[str],
    source: Sequence[Path],
    target: Sequence[Path],
    config: SplitConfig,
    count_source: TokenCounter,
    count_target: TokenCounter,
) -> Bitext:
    """Read the parts that there are; draw others that are wanted from train, line by line.

    What the user gives to be held out stays as it is, but for pairs with an empty side; how many
    of its sentences stand in train too is counted as `dev_in_train` and so on.

    Args:
        parts: names of the parts given, of train, dev, test and dev2; train is one of them.
        source: a file a part.
        target: a file a part.
        config: how a missing part is drawn.
        count_source: number of tokens of a source sentence.
        count_target: number of tokens of a target sentence.

    Raises:
        InputError: no such file, not UTF-8, sides of different length, or an empty part.
    """
    counts: dict[str, int] = {}
    given: dict[str, list[TextPair]] = {}
    for part, source_path, target_path in zip(parts, source, target, strict=True):
        lines = list(read_parallel(source_path, target_path))
        given[part] = [(one, two) for one, two in lines if one.strip() and two.strip()]
        counts[f"{part}_empty"] = len(lines) - len(given[part])
        if not given[part]:
            raise InputError(
                f"no sentence pair in the {part} files",
                path=source_path,
                hint="both sides need text in the same lines",
            )
    missing = SplitConfig(
        seed=config.seed,
        dev=0 if "dev" in given else config.dev,
        test=0 if "test" in given else config.test,
        min_tokens=config.min_tokens,
        max_tokens=config.max_tokens,
        dev2=0 if "dev2" in given else config.dev2,
    )
    # Numbers of equal width sort as they count, so train keeps the order of the file.
    pairs = [SentencePair(f"{n:012}", one, two) for n, (one, two) in enumerate(given["train"])]
    bitext = split_by_document(pairs, missing, count_source, count_target)
    train_keys = _keys(bitext.train)
    for part in ("dev", "test", "dev2"):
        if part in given:
            setattr(bitext, part, given[part])
            counts[f"{part}_in_train"] = sum(
                bool(_keys([pair]) & train_keys) for pair in given[part]
            )
    sizes = {part: len(getattr(bitext, part)) for part in ("train", "dev", "test")}
    if bitext.dev2:
        sizes["dev2"] = len(bitext.dev2)
    bitext.counts = counts | bitext.counts | sizes
    return bitext


def _keys(pairs: Sequence[TextPair]) -> set[tuple[str, str]]:
    sources = {("source", sentence_key(source)) for source, _ in pairs}
    return sources | {("target", sentence_key(target)) for _, target in pairs}
