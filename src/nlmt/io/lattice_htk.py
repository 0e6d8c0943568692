"""Lattices as HTK and SRILM write them, in HTK's standard lattice format.

The score of a link is the sum of its values, each times the scale that the header has for it, and
of the word penalty if it has a word; all are logarithms to the header's `base`, or probabilities
if that is 0. Fields that a link lacks are those of its end node (with `dir=b` of its start node).
`!NULL` and marks of a sentence's ends are no words.
"""

import math
import re
import string
from pathlib import Path
from typing import Any, NamedTuple

from nlmt.errors import in_file
from nlmt.io.files import read_lines
from nlmt.io.lattice import Lattice
from nlmt.io.lattice_builder import LatticeBuilder
from nlmt.io.lattice_text import parse_score, whole_number

Fields = dict[str, Any]  # numbers of those in `_NUMBERS`, text of others

_NO_WORDS = frozenset(["!NULL", "!SENT_START", "!SENT_END", "<s>", "</s>"])
# A value in quotation marks may hold spaces. No space of Unicode parts fields or words, as in C.
_FIELD = re.compile(
    r"""([^\s=]+)=("(?:\\.|[^"\\])*"(?!\S)|'(?:\\.|[^'\\])*'(?!\S)|\S*)\s*""", re.ASCII
)
_WORD = re.compile(r"\S+", re.ASCII)
_ESCAPE = re.compile(rb"\\([0-7]{3}|.)")
_SHORT = {
    "UTTERANCE": "U",
    "NODES": "N",
    "LINKS": "L",
    "WORD": "W",
    "START": "S",
    "END": "E",
    "acoustic": "a",
    "language": "l",
    "ngram": "n",
}


class _Score(NamedTuple):
    """A feature: its field of a link, its scale in the header, and the scale without one."""

    label: str
    field: str
    scale: str
    otherwise: float


_SCORES = (
    _Score("acoustic", "a", "acscale", 1),
    _Score("lm", "l", "lmscale", 1),
    _Score("ngram", "n", "ngscale", 1),
    _Score("pronunciation", "r", "prscale", 1),
    _Score("duration", "ds", "duscale", 0),
    *(_Score(f"x{i}", f"x{i}", f"x{i}scale", 0) for i in range(1, 10)),
)
_ALWAYS = ("acoustic", "lm")  # so that the lattices of a recogniser have the same features
_PENALTY = "wordpenalty"
_NUMBERS = frozenset(
    ["base", "wdpenalty", *(name for one in _SCORES for name in (one.field, one.scale))]
)


def read_htk(path: Path, sentence: int) -> Lattice:
    """Read a lattice; every arc has one word, or none.

    The file has one lattice, of this number.

    Raises:
        InputError: a malformed line, sub-lattices, a cycle; names file and line.
    """
    content = _Htk({}, {}, [])
    for line, text in enumerate(read_lines(path), start=1):
        with in_file(path, line):
            content.add(_fields(text))
    with in_file(path):
        return content.lattice(sentence)


class _Htk(NamedTuple):
    """The content of a file: the header, nodes by number, and links with their own fields."""

    head: Fields
    nodes: dict[int, Fields]
    links: list[tuple[int, int, Fields]]

    def add(self, fields: Fields) -> None:
        """Add the fields of a line."""
        if "SUBLAT" in fields or ("I" in fields and "L" in fields):
            raise ValueError("sub-lattices are not supported")
        if "J" in fields:
            self.links.append((whole_number(fields, "S"), whole_number(fields, "E"), fields))
        elif "E" in fields:
            raise ValueError("a link without J=")
        elif "I" in fields:
            node = whole_number(fields, "I")
            if node in self.nodes:
                raise ValueError(f"node {node} a second time")
            self.nodes[node] = fields
        else:
            self.head.update(fields)

    def lattice(self, sentence: int) -> Lattice:
        """The lattice of all lines."""
        if not self.links:
            raise ValueError("no link: J= S= E=")
        for key, name, found in (("N", "nodes", self.nodes), ("L", "links", self.links)):
            # Where links have all the words, a file may do without lines of nodes.
            if found and key in self.head and whole_number(self.head, key) != len(found):
                what = f"{len(found)} {name}, but {name.upper()}={self.head[key]}: truncated?"
                raise ValueError(what)
        starts, ends = {link[0] for link in self.links}, {link[1] for link in self.links}
        start = self._only("start", starts - ends)
        end = self._only("end", ends - starts)
        place = {node: number for number, node in enumerate(sorted({start, end, *starts, *ends}))}
        base = self.head.get("base", math.e)
        if base < 0 or base == 1:
            raise ValueError(f"base={base:g} is no base of logarithms, nor 0, for probabilities")
        rows = [self._full(link) for link in self.links]
        scores = [score for score in _SCORES if self._has(score, rows)]
        weights = {s.label: [self.head.get(s.scale, s.otherwise)] for s in scores}
        penalty = self.head.get("wdpenalty", 0.0)
        weights[_PENALTY] = [_log(penalty, base) if base > 0 or penalty > 0 else 0.0]
        builder = LatticeBuilder(sentence, weights)
        for (begin, stop, _), fields in zip(self.links, rows, strict=True):
            word = fields.get("W", "!NULL")
            words = [] if word in _NO_WORDS else _WORD.findall(word)
            values = [_log(fields[s.field], base) if s.field in fields else 0.0 for s in scores]
            builder.add(place[begin], place[stop], words, [*values, float(bool(words))])
        return builder.build(len(place), place[start], place[end])

    def _full(self, link: tuple[int, int, Fields]) -> Fields:
        """The fields of a link, completed by its node's."""
        begin, stop, fields = link
        node = begin if self.head.get("dir", "f").startswith("b") else stop
        if "W" not in fields and node not in self.nodes:
            what = f"link J={fields['J']} has no W=, and no line has I={node}: truncated?"
            raise ValueError(what)
        return {**self.nodes.get(node, {}), **fields}

    def _has(self, score: _Score, rows: list[Fields]) -> bool:
        given = score.scale in self.head or any(score.field in fields for fields in rows)
        return given or score.label in _ALWAYS

    def _only(self, key: str, found: set[int]) -> int:
        """The node that the header names, or the only one that can be it."""
        if key in self.head:
            return whole_number(self.head, key)
        if len(found) != 1:
            raise ValueError(f"{len(found)} nodes may be the {key}: name it by {key}=")
        return next(iter(found))


def _fields(text: str) -> Fields:
    """The fields of a line by their short names; a comment has none."""
    fields: Fields = {}
    at, text = 0, text.strip(string.whitespace)
    while at < len(text) and text[at] != "#":
        field = _FIELD.match(text, at)
        if field is None:
            raise ValueError(f"'{_WORD.findall(text, at)[0]}' is not key=value")
        name, value = _SHORT.get(field[1], field[1]), _unquoted(field[2])
        fields[name] = parse_score(value) if name in _NUMBERS else value
        at = field.end()
    return fields


def _unquoted(value: str) -> str:
    r"""A value as it is meant: HTK writes `"New York"`, `\'tis` and `caf\303\251`."""
    if len(value) > 1 and value[0] in "\"'" and value[-1] == value[0]:
        value = value[1:-1]
    meant = _ESCAPE.sub(_character, value.encode())
    try:
        return meant.decode()
    except UnicodeDecodeError as error:
        raise ValueError(f"'{value}' is not UTF-8") from error


def _character(match: re.Match[bytes]) -> bytes:
    """The byte of an escape: its three octal digits, or the character after the backslash."""
    return bytes([int(match[1], 8) & 0xFF]) if len(match[1]) == 3 else match[1]


def _log(value: float, base: float) -> float:
    """The natural logarithm of a score: a logarithm to `base`, or a probability with base 0."""
    if base > 0:
        return value * math.log(base)
    if value <= 0:
        raise ValueError(f"'{value:g}' has no logarithm, and base=0 says that it is none")
    return math.log(value)
