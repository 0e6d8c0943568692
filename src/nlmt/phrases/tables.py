"""Lexical, phrase and reordering tables of a word-aligned bitext, in Moses' formats.

Extraction follows Och and Ney (2004), the lexical weights Koehn, Och and Marcu (2003), the
lexicalised reordering model (word-based, monotone, swap or other, towards the previous and the
next phrase) Koehn et al. (2005). Instead of phrase pairs, the tables may have the tuples of
n-gram-based translation (Mariño et al. 2006), with orientations between tuples (Crego, Mariño and
Yvon 2011).
"""

import logging
from collections.abc import Iterator
from contextlib import ExitStack
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

from nlmt.errors import InputError
from nlmt.io.fields import split_fields
from nlmt.io.files import atomic_path, atomic_text, read_parallel
from nlmt.phrases._phrases import (
    LONGEST_PHRASE,
    LONGEST_SENTENCE,
    EncodedBitext,
    Lexicon,
    TableCounts,
    write_tables,
)

DEFAULT_MEMORY = 4 << 30
LINES = 1 << 20  # of a lexical table, made at a time

log = logging.getLogger(__name__)


@dataclass(frozen=True)
class TablePaths:
    """Paths of the tables.

    Attributes:
        phrase_table: `source ||| target ||| p(f|e) lex(f|e) p(e|f) lex(e|f) ||| alignment |||
            count(e) count(f) count(f,e) ||| |||`, sorted as `LC_ALL=C sort` does; gzip.
        reordering_table: `source ||| target |||` and the probabilities of monotone, swap and
            other towards the previous and then the next phrase; gzip.
        f2e: lines `target source p(target|source)`.
        e2f: lines `source target p(source|target)`.
    """

    phrase_table: Path
    reordering_table: Path
    f2e: Path
    e2f: Path


def build_tables(
    source: Path,
    target: Path,
    alignment: Path,
    outputs: TablePaths,
    *,
    units: Literal["phrases", "tuples"] = "phrases",
    max_length: int = LONGEST_PHRASE,
    threads: int = 1,
    memory: int = DEFAULT_MEMORY,
) -> TableCounts:
    """Extract and score the phrase pairs or tuples of a bitext; write all tables or none.

    The bytes do not depend on `threads` and `memory`. If a phrase pair has several alignments, each
    direction takes the most frequent one for its lexical weight, and the table shows that of
    p(e|f).

    Args:
        source: tokenised text, one sentence per line, words separated by spaces.
        target: its translation, line for line.
        alignment: the links of each pair, source-target from 0: `0-0 1-2`.
        outputs: the files to write.
        units: `tuples` are those of `nlmt.tuples`: for each, the smallest consistent phrase pair
            with all its words. Source words without links are phrase pairs without target words.
        max_length: longest phrase on either side, in words, 1 to 7.
        threads: for extraction, scoring and compression.
        memory: bytes to work in; the rest goes to unnamed temporary files in the phrase table's
            folder. Both vocabularies and the word pairs of the lexical tables (about 32 bytes each)
            come in addition.

    Raises:
        InputError: files of different length, a malformed link or one outside its sentences,
            `|||` as a word, an empty bitext, no phrase pair, a `max_length` out of range.
    """
    if not 1 <= max_length <= LONGEST_PHRASE:
        raise InputError(f"phrases of {max_length} words", hint=f"1 to {LONGEST_PHRASE}")
    folder = outputs.phrase_table.parent
    folder.mkdir(parents=True, exist_ok=True)
    bitext = _read(source, target, alignment, EncodedBitext(str(folder), memory // 4))
    lexicon = Lexicon(bitext, memory // 4)
    with ExitStack() as stack:
        phrases, reordering, f2e, e2f = (
            stack.enter_context(atomic_path(path))
            for path in (outputs.phrase_table, outputs.reordering_table, outputs.f2e, outputs.e2f)
        )
        for path, inverse in ((f2e, False), (e2f, True)):
            with atomic_text(path) as out:
                out.writelines(_lexical_table(lexicon, bitext, inverse))
        counts = write_tables(
            bitext,
            lexicon,
            units == "tuples",
            max_length,
            max(threads, 1),
            memory // 4 * 3,
            str(folder),
            str(phrases),
            str(reordering),
        )
        if not counts.phrase_pairs:
            raise InputError("no phrase pair fits the links", path=alignment)
    log.info(
        "%d sentence pairs: %d phrase pairs, seen %d times",
        len(bitext),
        counts.phrase_pairs,
        counts.occurrences,
    )
    return counts


def _lexical_table(lexicon: Lexicon, bitext: EncodedBitext, inverse: bool) -> Iterator[str]:
    """Yield the lines of a lexical table, many at a time."""
    for first in range(0, len(lexicon), LINES):
        yield lexicon.format(bitext, inverse, first, LINES)


def _read(source: Path, target: Path, alignment: Path, bitext: EncodedBitext) -> EncodedBitext:
    for number, lines in enumerate(read_parallel(source, target, alignment), start=1):
        try:
            bitext.add(*lines)
        except ValueError as error:
            texts = zip((source, target), map(split_fields, lines[:2]), strict=True)
            faulty = (
                path for path, words in texts if "|||" in words or len(words) > LONGEST_SENTENCE
            )
            raise InputError(str(error), path=next(faulty, alignment), line=number) from error
    if not len(bitext):
        raise InputError("no sentence pair to extract phrases from", path=source)
    bitext.finish()
    return bitext
