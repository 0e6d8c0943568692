"""Findings of a paper that numbers in its tables can confirm or refute.

`<folder>/<paper>/claims.yaml` has a list of claims about published cells; `ClaimSettings` describes
their keys:

    claims:
    - name: brown_over_frequency_bins
      statement: Brown classes translate better than bins of equal frequency.
      where: section 4, table 7
      relation: higher
      better: [[table7, Class Factored / Brown clustering, BLEU]]
      worse: [[table7, Class Factored / Frequency binning, BLEU]]
"""

import math
from collections.abc import Mapping, Sequence
from enum import StrEnum
from pathlib import Path
from statistics import fmean
from typing import Annotated, Any, NamedTuple, Self

from pydantic import BeforeValidator, ConfigDict, model_validator

from nlmt.errors import InputError
from nlmt.evaluation.difference import SIGNIFICANT
from nlmt.io.files import read_lines
from nlmt.io.yaml_files import parse_yaml
from nlmt.io.yaml_places import line_of
from nlmt.papers.published import in_unit, read_published
from nlmt.settings import REQUIRED, Settings, setting
from nlmt.settings_check import read_settings


class Relation(StrEnum):
    """The relation of a better value to the worse one beside it."""

    LOWER = "lower"
    HIGHER = "higher"  # by more than nothing, or by at least `by`
    EQUAL = "equal"  # differ by at most the tolerance
    NO_HIGHER = "no-higher"  # higher by at most the tolerance, or lower by any amount
    # The same, of a paper that tests: nor is it significantly higher.
    NOT_SIGNIFICANTLY_HIGHER = "not-significantly-higher"
    RATIO = "ratio"  # worse / better is the factor, within a relative tolerance
    RATIO_ABOVE = "ratio-above"  # worse / better is above the factor


RATIOS = (Relation.RATIO, Relation.RATIO_ABOVE)
_NEEDED = {
    "tolerance": (
        Relation.EQUAL,
        Relation.NO_HIGHER,
        Relation.NOT_SIGNIFICANTLY_HIGHER,
        Relation.RATIO,
    ),
    "factor": RATIOS,
}
_TEXT = r"\S"  # not empty


class Cell(NamedTuple):
    """A cell of a published table; without a table, the row is a number to compare with."""

    table: str
    row: str
    column: str

    @property
    def number(self) -> float | None:
        """The number, where it is one."""
        return None if self.table else float(self.row)


def _cell(given: Any) -> Any:
    """A cell; of a number, the cell without a table."""
    return Cell("", repr(given), "") if isinstance(given, int | float) else given


class ClaimSettings(Settings):
    """One finding of a paper, as `claims.yaml` states it."""

    model_config = ConfigDict(allow_inf_nan=False)

    name: str = setting(
        REQUIRED,
        "Identifies the claim within its paper.",
        pattern=r"^[a-z][a-z0-9]*(_[a-z0-9]+)*$",
        examples=["brown_over_frequency_bins"],
    )
    statement: str = setting(REQUIRED, "The finding in one sentence.", pattern=_TEXT)
    where: str = setting(REQUIRED, "Sections and tables of the paper.", pattern=_TEXT)
    relation: Relation = setting(
        REQUIRED, "The relation of each better value to the worse one at the same place."
    )
    better: tuple[Cell, ...] = setting(REQUIRED, "Cells: table, row and column.", min_length=1)
    worse: tuple[Annotated[Cell, BeforeValidator(_cell)], ...] = setting(
        REQUIRED,
        "Cells or numbers that the better values are compared with, one by one; a single cell of "
        "either side with all of the other.",
        min_length=1,
    )
    factor: float | None = setting(None, "Factor of `ratio` and `ratio-above`.", gt=0)
    tolerance: float | None = setting(
        None,
        "Tolerance of `equal`, `no-higher` and `not-significantly-higher`, in the unit of "
        "the cells, or of `ratio`, as a share of the factor. Our choice, as papers only say about, "
        "similar or not significantly.",
        gt=0,
    )
    by: float | None = setting(
        None,
        "Least difference of `higher`, in the unit of the cells, where the paper makes it part of "
        "the finding; left out: any difference.",
        gt=0,
    )
    observed: bool = setting(
        False,
        "Whether the paper says only that differences of `by` were observed: ours is above it, and "
        "significant.",
    )
    mean: bool = setting(
        False, "Whether the mean of its differences is judged, of a paper that states an average."
    )
    level: float = setting(
        SIGNIFICANT, "p below which a comparison holds or is opposite.", gt=0, lt=1
    )
    judged_from: tuple[Cell, float] | None = setting(
        None,
        "A cell of our tables, and its least value: below it, or not measured, the finding is not "
        "run, because it is about another size.",
    )
    note: str = setting(
        "",
        "Says why published values are missing or do not satisfy the claim.",
        pattern=_TEXT,
    )

    @model_validator(mode="after")
    def _check(self) -> Self:
        for key, relations in _NEEDED.items():
            given = getattr(self, key) is not None
            if given != (self.relation in relations):
                raise ValueError(
                    f"the relation {self.relation.value!r} needs {'no' if given else 'a'} {key}"
                )
        if self.by is not None and self.relation is not Relation.HIGHER:
            raise ValueError("only the relation 'higher' may have a least difference (by)")
        if self.observed and self.by is None:
            raise ValueError("observed is of a least difference (by)")
        if self.mean and self.relation in RATIOS:
            raise ValueError("a ratio has no mean of differences")
        if self.relation is Relation.RATIO and (self.tolerance or 0) >= 1:
            raise ValueError("the relation 'ratio' needs a tolerance below 1")
        if len({1, len(self.better), len(self.worse)}) > 2:
            raise ValueError("better and worse are not of one length")
        return self


class Claim(ClaimSettings):
    """A finding whose better and worse cells are pairs, with their published values."""

    metric: str = setting(REQUIRED, "The unit of its first cell, which that of the others becomes.")
    published: tuple[tuple[float | None, float | None], ...] = setting(
        REQUIRED, "The better and the worse value of each pair; None where the paper's is missing."
    )

    @property
    def is_ratio(self) -> bool:
        """Whether it is about a ratio, rather than a difference."""
        return self.relation in RATIOS

    @property
    def names_size(self) -> bool:
        """Whether it names a size: a factor, or a least difference."""
        return self.is_ratio or self.by is not None

    @property
    def margin(self) -> float:
        """The tolerance, or the least difference; 0 without either."""
        return self.tolerance or self.by or 0.0

    def zone(self, margin: float) -> tuple[float, float]:
        """The differences, or ratios, for which the claim is true, from least to most.

        The margin is that of a difference, in the unit of the values.
        """
        # Values as printed differ from their decimal fractions in the last bits.
        within, beyond = margin + 1e-9, max(0.0, margin - 1e-9)
        factor, share = self.factor or 1.0, self.tolerance or 0.0
        zones = {
            Relation.LOWER: (-math.inf, 0.0),
            Relation.HIGHER: (beyond, math.inf),
            Relation.EQUAL: (-within, within),
            Relation.NO_HIGHER: (-math.inf, within),
            Relation.NOT_SIGNIFICANTLY_HIGHER: (-math.inf, within),
            Relation.RATIO: (factor * (1 - share), factor * (1 + share)),
            Relation.RATIO_ABOVE: (factor, math.inf),
        }
        return zones[self.relation]

    def holds(self, better: float, worse: float) -> bool:
        """Whether two values of the paper have the relation of the claim."""
        least, most = self.zone(self.margin)
        return least < effect(better, worse, ratio=self.is_ratio) < most

    def published_holds(self) -> bool | None:
        """Whether all published pairs, or their mean, satisfy the claim; None if one is missing."""
        pairs = [mean_pair(self.published)] if self.mean else self.published
        answers = [
            None if better is None or worse is None else self.holds(better, worse)
            for better, worse in pairs
        ]
        return None if None in answers else all(answers)


def mean_pair(
    pairs: Sequence[tuple[float | None, float | None]],
) -> tuple[float | None, float | None]:
    """The means of better and of worse values; None where one is missing."""
    better, worse = (
        None if None in side else fmean(value for value in side if value is not None)
        for side in zip(*pairs, strict=True)
    )
    return better, worse


def effect(better: float, worse: float, *, ratio: bool) -> float:
    """The effect that a claim is about: better less worse, or the ratio of worse to better."""
    if not ratio:
        return better - worse
    return worse / better if better else math.inf


class _Claims(Settings):
    """The content of a file of claims."""

    claims: tuple[ClaimSettings, ...] = setting(REQUIRED, "The findings.", min_length=1)


def read_claims(folder: Path, paper: str) -> tuple[Claim, ...]:
    """The claims of a paper, with its published values from the same folder.

    Raises:
        InputError: the file is damaged, a cell is not among the published values or has another
            unit there, or a claim that the published values do not satisfy has no note; names file
            and line.
    """
    path = folder / paper / "claims.yaml"
    values = parse_yaml("\n".join(read_lines(path)), path)
    if not isinstance(values, dict):
        raise InputError("not a mapping with the key claims", path=path, line=1)
    stated = read_settings(_Claims, values, files=[path]).claims
    published = {
        Cell(*cell): (unit, value)
        for *cell, unit, value in read_published(folder, paper)[
            ["table", "row", "column", "unit", "value"]
        ].itertuples(index=False)
    }
    claims: dict[str, Claim] = {}
    for place, one in enumerate(stated):
        try:
            claim = _with_published(one, published)
            if one.name in claims:
                raise InputError(f"the name {one.name!r} is used twice")
        except InputError as error:
            line = line_of(path, "claims", str(place))
            raise InputError(error.what, path=path, line=line) from error
        claims[one.name] = claim
    return tuple(claims.values())


def _with_published(stated: ClaimSettings, published: Mapping[Cell, tuple[str, float]]) -> Claim:
    """The claim with the published values of its cells, which are given by cell with their unit."""
    count = max(len(stated.better), len(stated.worse))
    better, worse = (cells * (count // len(cells)) for cells in (stated.better, stated.worse))
    metric, _ = published.get(better[0], ("", math.nan))
    values = (tuple(_value(cell, metric, published) for cell in cells) for cells in (better, worse))
    given = {name: getattr(stated, name) for name in stated.model_fields_set}
    given |= {"better": better, "worse": worse, "metric": metric}
    claim = Claim(**given, published=tuple(zip(*values, strict=True)))
    if claim.published_holds() is not True and not claim.note:
        raise InputError("the published values do not satisfy the claim, and no note says why")
    return claim


def _value(cell: Cell, metric: str, published: Mapping[Cell, tuple[str, float]]) -> float | None:
    """The published value of a cell in the unit of a claim, or a number; None if it is missing."""
    if cell.number is not None:
        return cell.number
    name = f"{cell.table}: row {cell.row!r}, column {cell.column!r}"
    if cell not in published:
        raise InputError(f"{name}: not among the published values")
    unit, value = published[cell]
    found = in_unit(value, unit, metric)
    if found is None:
        raise InputError(f"{name}: its unit is {unit}, that of the first cell is {metric}")
    return None if math.isnan(found) else found
