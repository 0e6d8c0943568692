"""Links for target words without any, which decide the tuple that such a word is part of.

A tuple without source words could never be chosen, so a target word without links is part of the
tuple before it or after it: of the one that is likelier to have it (Mariño et al. 2006). As tuples
follow from links alone, a word of the tuple before it gets a link; others need none.
"""

from collections.abc import Iterator, Sequence
from itertools import accumulate, pairwise
from operator import mul
from pathlib import Path

import numpy as np

from nlmt.chunks import numbered_chunks
from nlmt.errors import InputError
from nlmt.io.fields import split_fields
from nlmt.io.files import read_lines, read_parallel, write_lines
from nlmt.io.links import parse_links

BLOCK = 20_000  # sentence pairs held at a time

Lexicon = dict[str, float]  # p(target|source) of `target source`

# The least probability above 0 in the file of a lexicon; counts for pairs with 0, and for others.
_LEAST = 1e-7


def attach_unlinked(source: Path, target: Path, alignment: Path, lexicon: Path, out: Path) -> None:
    """Write the links of a bitext, and those that attach target words to the tuple before them.

    A run of target words without links is divided between the linked words on both sides such that
    the product of the probabilities is largest; each word takes its likeliest source word there.
    If several divisions are equally likely, most words are left to the next tuple.

    Args:
        source: tokenised text, one sentence per line.
        target: its translation, line for line.
        alignment: the links of each pair, source-target from 0: `0-0 1-2`.
        lexicon: lines `target source p(target|source)` (`nlmt.phrases.TablePaths.f2e`).
        out: all links, in the same form.

    Raises:
        InputError: files of different length, a malformed link or one outside its sentences, a
            line of the lexicon without a probability.
    """
    write_lines(out, _attached(source, target, alignment, _read_lexicon(lexicon)))


def _read_lexicon(path: Path) -> Lexicon:
    lexicon: Lexicon = {}
    for number, line in enumerate(read_lines(path), start=1):
        words, _, probability = line.rpartition(" ")
        try:
            lexicon[words] = float(probability)
            if not 0 <= lexicon[words] <= 1:
                raise ValueError(f"{probability} is not from 0 to 1")
        except ValueError as error:
            what = f"no probability at the end of {line!r}"
            raise InputError(what, path=path, line=number, hint="make it again") from error
    return lexicon


def _attached(source: Path, target: Path, alignment: Path, lexicon: Lexicon) -> Iterator[str]:
    lines = read_parallel(source, target, alignment)
    for first_line, block in numbered_chunks(lines, BLOCK, 1):
        *texts, links = zip(*block, strict=True)
        sides = [[split_fields(line) for line in text] for text in texts]
        lengths = (np.array([len(words) for words in side], np.int64) for side in sides)
        found = parse_links(links, *lengths, path=alignment, first_line=first_line)
        positions, spans = found.positions.tolist(), pairwise(found.offsets.tolist())
        for sources, targets, line, (begin, end) in zip(*sides, links, spans, strict=True):
            added = _links_to_former(sources, targets, positions[begin:end], lexicon)
            yield " ".join([line, *(f"{i}-{j}" for i, j in added)])


def _links_to_former(
    sources: Sequence[str], targets: Sequence[str], links: list[list[int]], lexicon: Lexicon
) -> list[tuple[int, int]]:
    """Links of the target words that are part of the tuple before them.

    `links` are sorted by target, then source position.
    """
    linked: dict[int, list[int]] = {}
    for i, j in links:
        linked.setdefault(j, []).append(i)

    def probability(j: int, i: int) -> float:
        return max(_LEAST, lexicon.get(f"{targets[j]} {sources[i]}", 0.0))

    def likeliest(j: int, given: Sequence[int]) -> int:
        return max(given, key=lambda i: probability(j, i))

    added = []
    for (before, former), (after, latter) in pairwise(linked.items()):
        run = range(before + 1, after)
        chosen = [likeliest(j, former) for j in run]
        ratios = (
            probability(j, i) / probability(j, likeliest(j, latter))
            for i, j in zip(chosen, run, strict=True)
        )
        products = list(accumulate(ratios, mul, initial=1.0))
        added += [*zip(chosen, run, strict=True)][: products.index(max(products))]
    return added
