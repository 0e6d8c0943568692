"""Training texts of language models: joined, sampled and restricted in bounded memory."""

import logging
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence, Set
from pathlib import Path

from nlmt.errors import InputError
from nlmt.io.files import read_lines, write_lines
from nlmt.text.sample import Sample, sample_lines
from nlmt.text.tokenise import DEFAULT_TOKENISATION, Tokenisation, tokenise_lines
from nlmt.vocabulary import SPECIAL, UNKNOWN


def prepare_monolingual(
    lines: Iterable[str],
    language: str,
    output: Path | str,
    *,
    max_length: int,
    tokenisation: Tokenisation = DEFAULT_TOKENISATION,
    threads: int = 1,
) -> None:
    """Tokenise raw text of one language; drop lines that would be dropped in a bitext.

    Raises:
        InputError: unknown language; or any error of `lines`.
    """
    read = kept = 0

    def usable() -> Iterator[str]:
        nonlocal read, kept
        for line in tokenise_lines(lines, language, threads, tokenisation=tokenisation):
            read += 1
            if 0 < len(line.split()) <= max_length:
                kept += 1
                yield line

    write_lines(output, usable())
    logging.info("%s: %d of %d lines kept", output, kept, read)


def gather_text(
    texts: Sequence[Path | str],
    output: Path | str,
    *,
    words_of: Path | str | None = None,
    min_count: int = 1,
    most_frequent: int | None = None,
    sample: Sample | None = None,
    seed: int = 1,
) -> None:
    """Write a training text of language models; words that are not kept become `<unk>`.

    Args:
        texts: tokenised, one sentence per line; joined in this order.
        output: path of the text.
        words_of: tokenised text whose words alone are kept; None: all are.
        min_count: words that occur less often in the sample are not kept.
        most_frequent: number of words of the sample to keep, the most frequent ones; None: all.
        sample: size of the sample of sentences.
        seed: of the sample.

    Raises:
        InputError: a text is missing or damaged, has fewer sentences or tokens than the sample, or
            none.
    """

    def lines() -> Iterator[str]:
        return (line for path in texts for line in read_lines(path))

    def chosen() -> Iterator[str]:
        return sample_lines(lines, sample or Sample(), seed=seed)

    kept = None if words_of is None else set(_words(read_lines(words_of)))
    if min_count > 1 or most_frequent is not None:
        kept = frequent_words(chosen(), min_count, most_frequent, among=kept)
    write_lines(output, _counted(restrict_vocabulary(chosen(), kept), output))


def _counted(lines: Iterable[str], output: Path | str) -> Iterator[str]:
    """The lines, of which there must be one; logs their number."""
    count = 0
    for line in lines:
        count += 1
        yield line
    if not count:
        raise InputError("no sentence to train on", path=output)
    logging.info("%s: %d sentences", output, count)


def frequent_words(
    lines: Iterable[str],
    min_count: int = 1,
    most_frequent: int | None = None,
    *,
    among: Set[str] | None = None,
) -> set[str]:
    """The words that occur at least `min_count` times in tokenised `lines`.

    With `among`, those of its words alone; with `most_frequent`, at most so many, the most frequent
    ones; ties are broken by code-point order.
    """
    counts = Counter(word for word in _words(lines) if among is None or word in among)
    kept = [word for word, count in counts.items() if count >= min_count]
    if most_frequent is not None:
        kept = sorted(kept, key=lambda word: (-counts[word], word))[:most_frequent]
    return set(kept)


def restrict_vocabulary(lines: Iterable[str], kept: Set[str] | None) -> Iterator[str]:
    """Replace words that are not kept by `<unk>`, as in Baltescu and Blunsom (2015, section 3).

    The marks that language models reserve, `<s>` and `</s>`, are not words, so they become `<unk>`
    as well, where all words are kept (None) too. Each line stays a line.
    """
    for line in lines:
        yield " ".join(
            word if (kept is None or word in kept) and word not in SPECIAL else UNKNOWN
            for word in line.split(" ")
            if word
        )


def _words(lines: Iterable[str]) -> Iterator[str]:
    return (word for line in lines for word in line.split(" ") if word)
