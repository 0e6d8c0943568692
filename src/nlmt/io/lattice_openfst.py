"""Lattices in OpenFst's text format, as a folder of acceptors.

`<sentence>.fst.txt` has one line per word, `from to word cost`, and the number of the final state;
`fstcompile --acceptor --isymbols=words.txt` reads it. A cost is the negative score of an arc with
the weights, on the first word of its phrase; an arc without words is `<eps>`. Two further files
have the features: `<sentence>.features.tsv` has a header of names and the feature values of each of
these lines, `weights.tsv` has the weights. Without them, as from OpenFst's own tools, a lattice has
one feature, `Cost`, with weight -1.
"""

import re
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path

from nlmt.errors import InputError
from nlmt.io.files import read_lines, write_lines, write_text
from nlmt.io.lattice import Lattice
from nlmt.io.lattice_builder import LatticeBuilder
from nlmt.io.lattice_text import format_lattice, group_names, split_fields, value_names
from nlmt.io.nbest import flatten_weights

EPSILON = "<eps>"
_COST = "Cost"
_STATE = re.compile("[0-9]{1,9}")
_SUFFIX = ".fst.txt"
_FORM = "from to word [cost], or a final state [cost]: fstprint --acceptor"


def read_openfst(folder: Path | str) -> Iterator[Lattice]:
    """Yield the lattices of a folder, by the number before `.fst.txt`.

    Raises:
        InputError: a malformed line, features that do not fit, a cycle; names file and line.
    """
    folder = Path(folder)
    names, weights = [_COST], [-1.0]
    if (folder / "weights.tsv").is_file():
        names, weights = _read_weights(folder / "weights.tsv")
    paths = folder.glob(f"[0-9]*{_SUFFIX}")
    numbers = sorted(int(p.name[: -len(_SUFFIX)]) for p in paths if _STATE.match(p.name))
    for number in numbers:
        features = folder / f"{number}.features.tsv"
        values = _read_features(features, names) if features.is_file() else None
        if values is None and names != [_COST]:
            raise InputError("no such file", path=features, hint="remove weights.tsv as well")
        yield _read_acceptor(folder / f"{number}{_SUFFIX}", number, names, weights, values)


def write_openfst(folder: Path | str, lattices: Iterable[Lattice]) -> None:
    """Write lattices to a folder, created if missing, with the weights of the first one.

    Raises:
        InputError: a word spelt `<eps>`.
    """
    folder = Path(folder)
    words: dict[str, int] = {EPSILON: 0}
    first = True
    for lattice in lattices:
        for word in lattice.word_ids.tolist():
            spelling = lattice.words[word]
            if spelling == EPSILON:
                raise InputError(f"sentence {lattice.sentence} has the word {EPSILON}")
            words.setdefault(spelling, len(words))
        arcs, features = format_lattice(lattice, "openfst")
        write_text(folder / f"{lattice.sentence}{_SUFFIX}", arcs)
        write_text(folder / f"{lattice.sentence}.features.tsv", features)
        if first:
            names = value_names(lattice.feature_names)
            flat = flatten_weights(lattice.feature_names, lattice.weights)
            pairs = zip(names, flat.tolist(), strict=True)
            write_lines(folder / "weights.tsv", (f"{name}\t{weight!r}" for name, weight in pairs))
            first = False
    write_lines(folder / "words.txt", (f"{word}\t{number}" for word, number in words.items()))


def _read_weights(path: Path) -> tuple[list[str], list[float]]:
    names, weights = [], []
    for line, text in enumerate(read_lines(path), start=1):
        name, _, weight = text.partition("\t")
        names.append(name)
        weights += _reals([weight], path, line)
    return names, weights


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


def _read_acceptor(
    path: Path,
    sentence: int,
    names: list[str],
    weights: list[float],
    values: list[list[float]] | None,
) -> Lattice:
    features = group_names(names)
    flat = iter(weights)
    by_label = {label: [next(flat) for _ in range(width)] for label, width in features}
    lines = list(_read_lines(path))
    states = sorted({state for ends, _, _ in lines for state in ends})
    numbers = {state: number for number, state in enumerate(states)}
    finals = [(numbers[ends[0]], cost) for ends, _, cost in lines if len(ends) == 1]
    if not finals:
        raise InputError("no final state", path=path)
    steps = [line for line in lines if len(line[0]) == 2]
    if values is not None and len(steps) != len(values):
        raise InputError(f"{len(steps)} arcs, but {len(values)} lines of features", path=path)
    builder = LatticeBuilder(sentence, features, by_label)
    for place, (ends, word, cost) in enumerate(steps):
        row = [cost] if values is None else values[place]
        builder.add(numbers[ends[0]], numbers[ends[1]], word, row)
    end, only_cost = finals[0]
    if len(finals) > 1 or only_cost != 0:
        if values is not None:
            raise InputError("final states with costs, or several, and features", path=path)
        end = len(numbers)
        for state, cost in finals:
            builder.add(state, end, [], [cost])
    try:
        return builder.build(max(len(numbers), end + 1), numbers[lines[0][0][0]], end)
    except InputError as error:
        raise InputError(str(error), path=path) from error


def _read_lines(path: Path) -> Iterator[tuple[list[int], list[str], float]]:
    """One or two states, the word and the cost of each line."""
    for line, text in enumerate(read_lines(path), start=1):
        fields = split_fields(text)
        count = 1 if len(fields) < 3 else 2
        if len(fields) not in (1, 2, 3, 4) or not all(map(_STATE.fullmatch, fields[:count])):
            raise InputError("not a line of an acceptor", path=path, line=line, hint=_FORM)
        word = [] if count == 1 or fields[2] == EPSILON else [fields[2]]
        costs = fields[1 if count == 1 else 3 :]
        yield [int(f) for f in fields[:count]], word, _reals(costs, path, line)[0] if costs else 0.0


def _reals(fields: Sequence[str], path: Path, line: int) -> list[float]:
    try:
        values = [float(field) for field in fields]
    except ValueError:
        values = [float("nan")]
    if not all(abs(value) < 1e30 for value in values):
        raise InputError("not a finite number", path=path, line=line)
    return values
