"""Extraction of tuples from files: from a bitext, and from an n-best list's hypotheses."""

from collections import Counter
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np

from nlmt.chunks import in_chunks
from nlmt.io.files import atomic_text, read_parallel
from nlmt.io.links import links_of_nbest, parse_links
from nlmt.io.nbest import NbestList
from nlmt.tuples.unfolding import Sentences, encode, unfold

BLOCK = 20_000  # sentence pairs held at a time


@dataclass(frozen=True)
class TupleCounts:
    """Counts of extraction.

    `once` counts the different tuples that occur only once.
    """

    pairs: int
    tuples: int
    distinct: int
    once: int

    def __str__(self) -> str:
        """One line for the terminal."""
        return (
            f"{self.pairs:,} sentence pairs, {self.tuples:,} tuples, {self.distinct:,} different, "
            f"{self.once:,} of them seen once"
        )


def extract_tuples(source: Path, target: Path, alignment: Path, out: Path) -> TupleCounts:
    """Write the tuples of a bitext, one line per sentence pair, with 20,000 pairs in memory.

    Texts have a sentence a line, words separated by blanks; links are source-target from 0, `0-0
    1-2`. The tuples are words of a text (`nlmt.tuples.tokens`), which is written whole or not at
    all.

    Raises:
        InputError: files of different length, a malformed link or one outside its sentences.
    """
    seen: Counter[str] = Counter()
    pairs = 0
    lines = read_parallel(source, target, alignment)
    with atomic_text(out) as text:
        for block in in_chunks(lines, BLOCK):
            sources, targets, links = zip(*block, strict=True)
            sides = encode(sources), encode(targets)
            lengths = [side.lengths for side in sides]
            found = parse_links(links, *lengths, path=alignment, first_line=pairs + 1)
            tuples = unfold(*sides, found)
            text.writelines(f"{line}\n" for line in tuples.lines())
            counts = np.bincount(tuples.ids, minlength=len(tuples.words)).tolist()
            seen.update(dict(zip(tuples.words, counts, strict=True)))
            pairs += len(block)
    once = sum(count == 1 for count in seen.values())
    return TupleCounts(pairs, seen.total(), len(seen), once)


def tuples_of_nbest(nbest: NbestList, source: Sentences) -> NbestList:
    """The list with tuples instead of words.

    The list is read with `keep_alignments`.

    Raises:
        InputError: as in `nlmt.io.links.links_of_nbest`.
    """
    links = links_of_nbest(nbest, source.lengths)
    hypotheses = Sentences(nbest.words, nbest.ids, nbest.offsets)
    tuples = unfold(source, hypotheses, links, nbest.sentence)
    return replace(nbest, words=list(tuples.words), ids=tuples.ids, offsets=tuples.offsets)
