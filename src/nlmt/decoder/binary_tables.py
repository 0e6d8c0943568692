"""Phrase and reordering tables in one memory-mapped file."""

import logging
import re
from pathlib import Path

from nlmt.decoder._decoder import BinaryTableCounts, build_binary_table, check_binary_table
from nlmt.errors import InputError
from nlmt.io.files import atomic_path, begins_with, check_file, read_lines
from nlmt.steps import step

__all__ = ["BinaryTableCounts", "binarise_tables", "check_binary_table"]

log = logging.getLogger(__name__)

DEFAULT_MEMORY = 1 << 30
_SEPARATOR = re.compile(r"[ \t]\|\|\|[ \t]")
_LINK = re.compile(r"[ \t]*[0-9]+-[0-9]+")
_FIRST_BYTES = b"nlmt tables\r\n\x1a"  # as in cpp/decoder/binary_table.h


def is_binary_table(path: Path) -> bool:
    """Whether there is a file that begins as a binary table does."""
    return begins_with(path, _FIRST_BYTES)


def binarise_tables(
    phrase_table: Path,
    reordering_table: Path | None,
    output: Path,
    *,
    memory: int = DEFAULT_MEMORY,
    threads: int = 1,
) -> BinaryTableCounts:
    """Write one binary table, for a moses.ini to name in place of both text tables.

    Decoding gives the same bytes as from the text. The bytes of the binary table depend only on the
    text tables.

    Args:
        phrase_table: as Moses writes it, plain or gzip; its lines may be in any order.
        reordering_table: of the same phrase pairs; None: the model has no lexicalised reordering.
        output: the file to write; temporary files without a name go into its folder.
        memory: bytes for sorting. The vocabulary and the translations of one source phrase come in
            addition.
        threads: for reading.

    Raises:
        InputError: a file that is missing, damaged or malformed, with its line.
    """
    for path in (phrase_table, reordering_table):
        if path is not None:
            check_file(path)
    if reordering_table is not None:
        _check_columns(phrase_table, reordering_table)
    second = "" if reordering_table is None else str(reordering_table)
    with atomic_path(output) as place, step("sort and write the tables"):
        counts = build_binary_table(
            str(phrase_table), second, str(place), str(place.parent), memory, max(threads, 1)
        )
    for warning in counts.warnings:
        log.warning(warning)
    log.info(
        "%d source phrases, %d translations, %d words, %.1f MB",
        counts.sources,
        counts.entries,
        counts.words,
        output.stat().st_size / 1e6,
    )
    if second and counts.without_reordering:
        log.info("%d translations without reordering scores", counts.without_reordering)
    return counts


def _check_columns(phrase_table: Path, reordering_table: Path) -> None:
    """Refuse tables that are swapped: behind its scores only a phrase table has links."""
    if not _has_links(reordering_table):
        return
    hint = "give it as --phrase-table, and the other file as --reordering-table"
    if _has_links(phrase_table):
        hint = f"{phrase_table} is a phrase table too"
    what = "links in the fourth column, as in a phrase table; a reordering table has none"
    raise InputError(what, path=reordering_table, line=1, hint=hint)


def _has_links(table: Path) -> bool:
    """Whether the first line of a table has links in its fourth column."""
    columns = _SEPARATOR.split(next(read_lines(table), ""), 3)
    return len(columns) > 3 and _LINK.match(columns[3]) is not None
