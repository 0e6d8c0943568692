"""Lattices in OpenFst's text format, as a folder of acceptors.

`<sentence>.fst.txt` has one line per word, `from to word cost`, and the number of the final state;
`fstcompile --acceptor --isymbols=words.txt` reads it. A cost is the negative score of an arc with
the weights, on the first word of its phrase; an arc without words is `<eps>`. Two further files
keep the features: `<sentence>.features.tsv` has a header of names and the feature values of each
of these lines, `weights.tsv` has the weights. Without them, as from OpenFst's own tools, a lattice
has one feature, `Cost`, of weight -1, or as from Kaldi two, `GraphCost` and `AcousticCost`. Of a
transducer, words are its output.

Kaldi's text archives have several lattices in a file, each after a line with its name and before an
empty one; a cost is `graph,acoustic` with or without the states after it.
"""

import re
from collections.abc import Iterable, Iterator, Sequence
from itertools import chain, groupby, islice
from pathlib import Path
from typing import NamedTuple

from nlmt.errors import InputError, in_file
from nlmt.io.fields import parse_number, split_fields
from nlmt.io.files import read_lines, write_lines, write_text
from nlmt.io.lattice import Lattice
from nlmt.io.lattice_builder import LatticeBuilder
from nlmt.io.lattice_text import (
    format_lattice,
    label_weights,
    numbered_files,
    once_each,
    parse_score,
    value_names,
)
from nlmt.io.nbest import flatten_weights
from nlmt.io.weights import Weights

EPSILON = "<eps>"
_COSTS = (["Cost"], ["GraphCost", "AcousticCost"])  # by their number
# What OpenFst writes for a cost that is not finite; `infinity` and `nan` are words.
_NOT_FINITE = frozenset(["Infinity", "-Infinity", "BadNumber"])
_STATE = re.compile("[0-9]{1,9}")
_SUFFIX = ".fst.txt"
_FORM = "from to word [cost], from to input output [cost], or a final state [cost]"


class _Line(NamedTuple):
    """A line and its number: one state or two, the word if there is one, costs if any."""

    number: int
    states: list[int]
    word: list[str]
    costs: list[float]


def read_openfst(folder: Path | str) -> Iterator[Lattice]:
    """Yield the lattices of a folder, by the number before `.fst.txt`, or their place without one.

    Raises:
        InputError: a malformed line, features that do not fit, a cycle, two lattices of one
            sentence; names file and line.
    """
    return once_each(_read_files(Path(folder)))


def _read_files(folder: Path) -> Iterator[tuple[Path, Lattice]]:
    names: list[str] | None = None
    if (folder / "weights.tsv").is_file():
        names, weights = _read_weights(folder / "weights.tsv")
    for number, path in numbered_files(folder, [_SUFFIX]):
        lines = _read_lines(enumerate(read_lines(path), start=1), path, ours=names is not None)
        if names is None:
            yield path, _with_costs(lines, path, number)
            continue
        features = folder / f"{path.name.removesuffix(_SUFFIX)}.features.tsv"
        if not features.is_file():
            raise InputError("no such file", path=features, hint="remove weights.tsv as well")
        yield path, _lattice(lines, path, number, weights, _read_features(features, names))


def is_kaldi(path: Path) -> bool:
    """Whether a file is a text archive of Kaldi's lattices."""
    first, second = islice(chain(read_lines(path), ["", ""]), 2)
    fields = split_fields(second)
    return len(split_fields(first)) == 1 and len(fields) > 1 and all(map(_STATE.match, fields[:2]))


def read_kaldi(path: Path) -> Iterator[Lattice]:
    """Yield the lattices of a text archive, numbered in their order.

    Raises:
        InputError: a malformed line, a cycle; names file and line.
    """
    blocks = groupby(enumerate(read_lines(path), start=1), key=lambda line: bool(line[1].strip()))
    for number, (_, block) in enumerate(found for found in blocks if found[0]):
        next(block)  # the name
        yield _with_costs(_read_lines(block, path), path, number)


def write_openfst(folder: Path | str, lattices: Iterable[Lattice]) -> None:
    """Write lattices to a folder, created if missing, with the weights of the first one.

    Raises:
        InputError: a word spelt `<eps>`, or a lattice with other features than the first.
    """
    folder = Path(folder)
    words: dict[str, int] = {EPSILON: 0}
    names: list[tuple[str, int]] | None = None
    for lattice in lattices:
        if names is None:
            names = lattice.feature_names
            flat = flatten_weights(names, lattice.weights)
            pairs = zip(value_names(names), flat.tolist(), strict=True)
            write_lines(folder / "weights.tsv", (f"{name}\t{weight!r}" for name, weight in pairs))
        if lattice.feature_names != names:
            raise InputError(f"sentence {lattice.sentence} has other features than the first")
        arcs, features = format_lattice(lattice, "openfst")
        for word in lattice.word_ids.tolist():
            words.setdefault(lattice.words[word], len(words))
        write_text(folder / f"{lattice.sentence}{_SUFFIX}", arcs)
        write_text(folder / f"{lattice.sentence}.features.tsv", features)
    write_lines(folder / "words.txt", (f"{word}\t{number}" for word, number in words.items()))


def _read_weights(path: Path) -> tuple[list[str], Weights]:
    """The names of all values, and their weights."""
    names, weights = [], []
    for line, text in enumerate(read_lines(path), start=1):
        name, _, weight = text.partition("\t")
        names.append(name)
        weights += _reals([weight], path, line)
    with in_file(path):
        return names, label_weights(names, weights)


def _read_features(path: Path, names: list[str]) -> list[list[float]]:
    rows = []
    for line, text in enumerate(read_lines(path), start=1):
        fields = text.split("\t") if text else []
        if line == 1:
            if fields != names:
                raise InputError("other features than weights.tsv", path=path, line=line)
            continue
        if len(fields) != len(names):
            raise InputError(f"{len(fields)} values, not {len(names)}", path=path, line=line)
        rows.append(_reals(fields, path, line))
    return rows


def _with_costs(lines: list[_Line], path: Path, sentence: int) -> Lattice:
    """The lattice whose features are the costs of its lines."""
    width = max((len(line.costs) for line in lines), default=1) or 1
    for line in lines:
        if len(line.costs) not in (0, width):
            raise InputError("costs of one number and of two", path=path, line=line.number)
    values = [line.costs or [0.0] * width for line in lines if len(line.states) == 2]
    weights = {name: [-1.0] for name in _COSTS[width - 1]}
    return _lattice(lines, path, sentence, weights, values, final=True)


def _lattice(
    lines: list[_Line],
    path: Path,
    sentence: int,
    weights: Weights,
    values: list[list[float]],
    *,
    final: bool = False,
) -> Lattice:
    """The lattice of some lines with the values of each step; `final`: of final states, too."""
    numbers = {s: n for n, s in enumerate(sorted({s for line in lines for s in line.states}))}
    finals = [line for line in lines if len(line.states) == 1]
    if not finals:
        raise InputError("no final state", path=path)
    steps = [line for line in lines if len(line.states) == 2]
    if len(steps) != len(values):
        raise InputError(f"{len(steps)} arcs, but {len(values)} lines of features", path=path)
    builder = LatticeBuilder(sentence, weights)
    for (_, ends, word, _), row in zip(steps, values, strict=True):
        builder.add(numbers[ends[0]], numbers[ends[1]], word, row)
    end = numbers[finals[0].states[0]]
    if len(finals) > 1 or any(finals[0].costs):
        if not final:
            what = "final states with costs, or several, and features"
            raise InputError(what, path=path, line=finals[-1].number)
        end = len(numbers)
        for line in finals:
            builder.add(numbers[line.states[0]], end, [], line.costs or [0.0] * len(weights))
    with in_file(path):
        return builder.build(max(len(numbers), end + 1), numbers[lines[0].states[0]], end)


def _read_lines(lines: Iterable[tuple[int, str]], path: Path, *, ours: bool = False) -> list[_Line]:
    """The lines of one acceptor or transducer; if `ours`, its labels are words, also numbers."""
    rows = [(line, split_fields(text)) for line, text in lines]
    # Of a transducer some line has both labels and a cost, or labels that are no cost.
    transducer = any(len(row) == 5 or (len(row) == 4 and not _is_cost(row[3])) for _, row in rows)
    label = 3 if transducer else 2
    labels = [row[label] for _, row in rows if len(row) > label]
    numbered = not ours and all(map(_STATE.fullmatch, labels))
    epsilons = {EPSILON, "0"} if numbered else {EPSILON}
    found = []
    for line, row in rows:
        count = 1 if len(row) < 3 else 2
        costs = row[1 if count == 1 else label + 1 :]
        if (
            len(costs) > 1
            or (count == 2 and len(row) <= label)
            or not row
            or not all(map(_STATE.fullmatch, row[:count]))
        ):
            raise InputError("no line of an acceptor", path=path, line=line, hint=_FORM)
        word = [] if count == 1 or row[label] in epsilons else [row[label]]
        values = _reals(costs[0].split(",")[:2], path, line) if costs else []
        found.append(_Line(line, [int(state) for state in row[:count]], word, values))
    return found


def _is_cost(field: str) -> bool:
    """Whether a field is a number, or two with the states of Kaldi's alignment after them."""
    numbers = set(field.split(",")[:2]) - _NOT_FINITE
    try:
        list(map(parse_number, numbers))
    except ValueError:
        return False
    return True


def _reals(fields: Sequence[str], path: Path, line: int) -> list[float]:
    try:
        return list(map(parse_score, fields))
    except ValueError as error:
        raise InputError("not a finite number", path=path, line=line) from error
