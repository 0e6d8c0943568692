"""Lattices in HTK's standard lattice format, one file per lattice.

Ours have links with a word `W=` and values `x1=`, `x2=` and so on, each named by a comment before
its scale. Others, those of HTK and SRILM, are read by `lattice_htk`. The format has no source spans
and no word alignments.
"""

import re
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import NamedTuple

from nlmt.errors import InputError, in_file
from nlmt.io.fields import is_whole_number, split_fields
from nlmt.io.files import read_lines, write_text
from nlmt.io.lattice import Lattice
from nlmt.io.lattice_builder import LatticeBuilder
from nlmt.io.lattice_htk import read_htk
from nlmt.io.lattice_text import (
    format_lattice,
    label_weights,
    numbered_files,
    once_each,
    parse_score,
    whole_number,
)

NULL = "!NULL"
_SENTENCE = "Sentence_"  # before the number in our files
_OF_MOSES = re.compile(r"# .* [0-9]+ of [0-9]+")
_SCALE = re.compile(r"x([0-9]{1,4})scale=(\S+)")
_VALUE = re.compile(r"x([0-9]{1,4})")
_SUFFIXES = (".slf", ".slf.gz", ".lat", ".lat.gz")
# A few bytes can name features for any number of links: values that are not written are bounded.
_FREE_VALUES, _VALUES_PER_VALUE = 1 << 25, 8
_HEAD = ("UTTERANCE", "VERSION", "base", "NODES", "LINKS", "start", "end", "I")


def read_slf(path: Path | str, sentence: int = 0) -> Lattice:
    """Read a lattice; every arc has one word, or none.

    `sentence` is the number of a lattice that is not ours; ours say their number.

    Raises:
        InputError: a malformed line, in ours a field that is not known, a cycle; names file and
            line. Also a lattice that Moses wrote, whose scores are no arc's own.
    """
    path = Path(path)
    if not next(read_lines(path), "").startswith(f"UTTERANCE={_SENTENCE}"):
        return read_htk(path, sentence)
    content = _Slf({}, [], [], [])
    name = ""
    for line, text in enumerate(read_lines(path), start=1):
        with in_file(path, line):
            if _OF_MOSES.fullmatch(text):
                raise InputError(
                    "a lattice of Moses: its scores are sums from the start of the sentence and "
                    "its recombined hypotheses lead nowhere",
                    hint="convert its extended search graph (-output-search-graph-extended)",
                )
            if text.startswith("#") or not text.strip(" \t"):
                name = text[1:].strip(" \t")
            else:
                content.add(text.strip(" \t"), name)
                name = ""
    with in_file(path):
        return content.lattice()


class _Link(NamedTuple):
    start: int
    end: int
    word: str
    values: dict[int, float]


class _Slf(NamedTuple):
    """The content of a file of ours."""

    head: dict[str, str]
    names: list[str]
    scales: list[float]
    links: list[_Link]

    def add(self, text: str, name: str) -> None:
        """Add a line; `name` is the comment before it."""
        if scale := _SCALE.fullmatch(text):
            if int(scale[1]) != len(self.scales) + 1:
                raise ValueError(f"x{scale[1]}scale= is out of order")
            self.names.append(name or f"x{scale[1]}")
            self.scales.append(parse_score(scale[2]))
            return
        fields = _fields(text)
        if "J" in fields:
            self.links.append(_link(fields, len(self.scales)))
        elif unknown := set(fields) - set(_HEAD):
            raise ValueError(f"unknown field: {min(unknown)}=")
        else:
            self.head.update(fields)

    def lattice(self) -> Lattice:
        nodes, start, end = (whole_number(self.head, key) for key in ("NODES", "start", "end"))
        if len(self.links) < whole_number(self.head, "LINKS"):
            what = f"{len(self.links)} links, but LINKS={self.head['LINKS']}: truncated?"
            raise ValueError(what)
        given = sum(len(link.values) for link in self.links)
        if len(self.links) * len(self.scales) > _FREE_VALUES + _VALUES_PER_VALUE * given:
            raise ValueError("too many scales for its links")
        if nodes > 2 * len(self.links) + 2:
            raise ValueError("NODES= exceeds the nodes of the links")
        if max([start, end, *(max(link.start, link.end) for link in self.links)]) >= nodes:
            raise ValueError("a node beyond NODES=")
        weights = label_weights(self.names, self.scales)
        number = self.head["UTTERANCE"].removeprefix(_SENTENCE)
        if not is_whole_number(number, 9):
            raise ValueError("UTTERANCE= has no number of a sentence")
        builder = LatticeBuilder(int(number), weights)
        for link in self.links:
            row = [link.values.get(i, 0.0) for i in range(1, len(self.scales) + 1)]
            builder.add(link.start, link.end, [] if link.word == NULL else [link.word], row)
        return builder.build(nodes, start, end)


def slf_files(folder: Path | str) -> list[tuple[int, Path]]:
    """The lattices of a folder, with the number of those that are not ours."""
    return numbered_files(folder, _SUFFIXES)


def read_slf_folder(folder: Path | str) -> Iterator[Lattice]:
    """Yield the lattices of a folder; those that are not ours are numbered by name, or in order.

    Raises:
        InputError: as in `read_slf`; two lattices of one sentence.
    """
    return once_each((path, read_slf(path, number)) for number, path in slf_files(folder))


def write_slf_folder(folder: Path | str, lattices: Iterable[Lattice]) -> None:
    """Write each lattice to `<sentence>.slf` in a folder, created if missing.

    Raises:
        InputError: a word spelt `!NULL`.
    """
    for lattice in lattices:
        write_text(Path(folder) / f"{lattice.sentence}.slf", format_lattice(lattice, "slf")[0])


def _fields(text: str) -> dict[str, str]:
    fields = {}
    for token in split_fields(text):
        key, equals, value = token.partition("=")
        if not (key and equals):
            raise ValueError(f"'{token}' is not key=value")
        fields[key] = value
    return fields


def _link(fields: dict[str, str], width: int) -> _Link:
    values = {}
    for key, text in fields.items():
        value = _VALUE.fullmatch(key)
        number = int(value[1]) if value else 0
        if 1 <= number <= width:
            values[number] = parse_score(text)
        elif key not in ("J", "S", "E", "W"):
            raise ValueError(f"unknown field of a link, or one without a scale: {key}=")
    word = fields.get("W", "")
    if not word:
        raise ValueError("a link without W=")
    return _Link(whole_number(fields, "S"), whole_number(fields, "E"), word, values)
