"""Findings of a paper that numbers in its tables can confirm or refute.

`<folder>/<paper>/claims.yaml` is a list of claims:

    - name: brown_over_frequency_bins
      statement: Brown classes translate better than bins of equal frequency.
      where: section 4, table 7
      tables: [table7]
      metric: BLEU                # the unit of all its cells
      relation: higher            # of each better cell to the worse cell at the same place
      better: [[table7, Class Factored / Brown clustering, BLEU]]
      worse: [[table7, Class Factored / Frequency binning, BLEU]]
      published: [[31.55, 31.07]]

Further keys are `factor` (relations `ratio` and `ratio-above`), `tolerance` (relations `equal`,
`no-higher` and `ratio`; our choice, as the papers only say "about", "similar" or "not
significantly") and `note`, which says why published values are missing or do not satisfy the claim.
"""

import math
import re
from dataclasses import dataclass
from enum import StrEnum
from pathlib import Path
from typing import Any

import pandas as pd
import yaml

from nlmt.errors import InputError
from nlmt.io.files import read_lines
from nlmt.io.yaml_files import parse_yaml
from nlmt.papers.published import in_unit, read_published

_REQUIRED = (
    "name",
    "statement",
    "where",
    "tables",
    "metric",
    "relation",
    "better",
    "worse",
    "published",
)
_OPTIONAL = ("factor", "tolerance", "note")
_NAME = re.compile(r"[a-z][a-z0-9]*(_[a-z0-9]+)*")


class Relation(StrEnum):
    """The relation of a better value to the worse one beside it."""

    LOWER = "lower"
    HIGHER = "higher"
    EQUAL = "equal"  # differ by at most the tolerance
    NO_HIGHER = "no-higher"  # higher by at most the tolerance, or lower by any amount
    RATIO = "ratio"  # worse / better is the factor, within a relative tolerance
    RATIO_ABOVE = "ratio-above"  # worse / better is above the factor


RATIOS = (Relation.RATIO, Relation.RATIO_ABOVE)


@dataclass(frozen=True)
class Cell:
    """A cell of a published table."""

    table: str
    row: str
    column: str


@dataclass(frozen=True)
class Claim:
    """One finding of a paper.

    Attributes:
        name: identifies the claim within its paper.
        statement: the finding in one sentence.
        where: sections and tables of the paper.
        tables: the tables whose cells it compares.
        metric: the unit of all its cells.
        relation: of each better value to the worse one at the same place.
        better: cells.
        worse: as many cells.
        published: the better and the worse value of each pair; None where the paper's is missing.
        factor: of `ratio` and `ratio-above`.
        tolerance: of `equal` and `no-higher`, in units of the metric; of `ratio`, as a share of the
            factor.
        note: why published values are missing or do not satisfy the claim; else empty.
    """

    name: str
    statement: str
    where: str
    tables: tuple[str, ...]
    metric: str
    relation: Relation
    better: tuple[Cell, ...]
    worse: tuple[Cell, ...]
    published: tuple[tuple[float | None, float | None], ...]
    factor: float | None = None
    tolerance: float | None = None
    note: str = ""

    def holds(self, better: float, worse: float) -> bool:
        """Whether two values, the paper's or others, have the relation of the claim."""
        match self.relation:
            case Relation.LOWER:
                return better < worse
            case Relation.HIGHER:
                return better > worse
            case Relation.EQUAL:
                assert self.tolerance is not None
                # Values as printed differ from their decimal fractions in the last bits.
                return abs(better - worse) <= self.tolerance + 1e-9
            case Relation.NO_HIGHER:
                assert self.tolerance is not None
                return better - worse <= self.tolerance + 1e-9
            case Relation.RATIO:
                assert self.factor is not None
                assert self.tolerance is not None
                expected = self.factor * better
                return abs(worse - expected) <= self.tolerance * expected
            case Relation.RATIO_ABOVE:
                assert self.factor is not None
                return worse > self.factor * better

    def published_holds(self) -> bool | None:
        """Whether all published pairs satisfy the claim; None if any value is missing."""
        answers = [
            None if better is None or worse is None else self.holds(better, worse)
            for better, worse in self.published
        ]
        return None if None in answers else all(answers)


def read_claims(folder: Path, paper: str) -> tuple[Claim, ...]:
    """The claims of a paper, checked against its published values.

    Args:
        folder: the folder that has one folder for each paper.
        paper: the name of the paper's folder.

    Raises:
        InputError: the file is damaged, a cell is not among the published values or has another
            unit or value there, or a claim that the published values do not satisfy has no note;
            names file and line.
    """
    path = folder / paper / "claims.yaml"
    published = read_published(folder, paper)
    claims: dict[str, Claim] = {}
    for line, fields in _entries(path):
        try:
            claim = _make_claim(fields)
            _check_published(claim, published)
        except _ClaimError as error:
            raise InputError(str(error), path=path, line=line) from error
        if claim.name in claims:
            raise InputError(f"the name {claim.name!r} is used twice", path=path, line=line)
        claims[claim.name] = claim
    return tuple(claims.values())


class _ClaimError(ValueError):
    """A fault in one claim."""


def _entries(path: Path) -> list[tuple[int, dict[str, Any]]]:
    """Line number and fields of each claim."""
    text = "\n".join(read_lines(path))
    values = parse_yaml(text, path)
    root = yaml.compose(text, Loader=yaml.SafeLoader)
    if not isinstance(root, yaml.SequenceNode) or not values:
        raise InputError("not a list of claims", path=path, line=1)
    entries = []
    for node, fields in zip(root.value, values, strict=True):
        line = node.start_mark.line + 1
        if not isinstance(node, yaml.MappingNode):
            raise InputError("a claim is a mapping of keys to values", path=path, line=line)
        keys = [key.value for key, _ in node.value]
        twice = sorted({key for key in keys if keys.count(key) > 1})
        if twice:
            raise InputError(f"the key {twice[0]!r} is used twice", path=path, line=line)
        entries.append((line, fields))
    return entries


def _make_claim(fields: dict[str, Any]) -> Claim:
    """A claim whose fields have the right form."""
    for key in _REQUIRED:
        if key not in fields:
            raise _ClaimError(f"the key {key!r} is missing")
    for key in fields:
        if key not in (*_REQUIRED, *_OPTIONAL):
            allowed = ", ".join((*_REQUIRED, *_OPTIONAL))
            raise _ClaimError(f"the key {key!r} is not known (allowed: {allowed})")
    texts = ("name", "statement", "where", "metric", "relation", "note")
    for key in (key for key in texts if key in fields):
        if not isinstance(fields[key], str) or not fields[key].strip():
            raise _ClaimError(f"{key}: not a text")
    if not _NAME.fullmatch(fields["name"]):
        raise _ClaimError(f"name: {fields['name']!r} is not made of lower-case words joined by _")
    relations = [relation.value for relation in Relation]
    if fields["relation"] not in relations:
        allowed = ", ".join(relations)
        raise _ClaimError(f"relation: {fields['relation']!r} is not allowed (allowed: {allowed})")
    relation = Relation(fields["relation"])
    needed = {
        "tolerance": (Relation.EQUAL, Relation.NO_HIGHER, Relation.RATIO),
        "factor": RATIOS,
    }
    for key, its_relations in needed.items():
        if (key in fields) != (relation in its_relations):
            negation = "no" if key in fields else "a"
            raise _ClaimError(f"{key}: the relation {relation.value!r} needs {negation} {key}")
        if key in fields and (not _is_number(fields[key]) or fields[key] <= 0):
            raise _ClaimError(f"{key}: not a number above 0")
    claim = Claim(
        name=fields["name"],
        statement=fields["statement"],
        where=fields["where"],
        tables=tuple(fields["tables"]) if isinstance(fields["tables"], list) else (),
        metric=fields["metric"],
        relation=relation,
        better=_cells(fields, "better"),
        worse=_cells(fields, "worse"),
        published=_pairs(fields),
        factor=fields.get("factor"),
        tolerance=fields.get("tolerance"),
        note=fields.get("note", ""),
    )
    if not len(claim.better) == len(claim.worse) == len(claim.published):
        raise _ClaimError("better, worse and published are not of one length")
    used = list(dict.fromkeys(cell.table for cell in (*claim.better, *claim.worse)))
    if sorted(claim.tables) != sorted(used):
        raise _ClaimError(f"tables: the cells are of {', '.join(used)}")
    return claim


def _cells(fields: dict[str, Any], key: str) -> tuple[Cell, ...]:
    """The cells of `better` or `worse`."""
    form = f"{key}: not a list of cells [table, row, column]"
    if not isinstance(fields[key], list) or not fields[key]:
        raise _ClaimError(form)
    for cell in fields[key]:
        is_list = isinstance(cell, list) and len(cell) == 3
        if not is_list or not all(isinstance(name, str) for name in cell):
            raise _ClaimError(form)
    return tuple(Cell(*cell) for cell in fields[key])


def _pairs(fields: dict[str, Any]) -> tuple[tuple[float | None, float | None], ...]:
    """The values of `published`."""
    form = "published: not a list of pairs [better, worse] of numbers or null"
    if not isinstance(fields["published"], list):
        raise _ClaimError(form)
    for pair in fields["published"]:
        is_pair = isinstance(pair, list) and len(pair) == 2
        if not is_pair or not all(value is None or _is_number(value) for value in pair):
            raise _ClaimError(form)
    return tuple((better, worse) for better, worse in fields["published"])


def _is_number(value: object) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool) and math.isfinite(value)


def _check_published(claim: Claim, published: pd.DataFrame) -> None:
    """Compare the cells of a claim with the published values."""
    index = {
        Cell(table, row, column): (unit, None if math.isnan(value) else value)
        for table, row, column, unit, value in zip(
            *(published[name] for name in ("table", "row", "column", "unit", "value")),
            strict=True,
        )
    }
    for cells, values in (
        (claim.better, [better for better, _ in claim.published]),
        (claim.worse, [worse for _, worse in claim.published]),
    ):
        for cell, value in zip(cells, values, strict=True):
            name = f"{cell.table}: row {cell.row!r}, column {cell.column!r}"
            if cell not in index:
                raise _ClaimError(f"{name}: not among the published values")
            unit, expected = index[cell]
            same = None if expected is None else in_unit(expected, unit, claim.metric)
            if unit != claim.metric and same is None:
                raise _ClaimError(
                    f"{name}: its unit is {unit}, that of the claim is {claim.metric}"
                )
            if value != same:
                raise _ClaimError(f"{name}: the published value is {same}, not {value}")
    if claim.published_holds() is not True and not claim.note:
        raise _ClaimError("the published values do not satisfy the claim, and no note says why")
