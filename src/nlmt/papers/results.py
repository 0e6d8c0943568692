"""Our tables as tidy frames: one row per cell, with its runs and the published value."""

import csv
import math
import statistics
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import astuple, dataclass, field
from pathlib import Path
from typing import Any

import pandas as pd

from nlmt.errors import InputError
from nlmt.evaluation import Difference
from nlmt.evaluation.rank_correlation import RankCorrelation
from nlmt.io.files import read_lines, write_text
from nlmt.report.table import NOT_RUN

ALL_PAIRS = "all pairs"  # for values that do not depend on the pair
NOTHING = "0"  # in `differences`, the name of the number 0
RESULT_COLUMNS = (
    *("pair", "row", "column", "unit", "value", "stdev"),
    *("published", "published_unit", "difference", "p", "against"),
    # The system or model, or one of several measurements of it: `model:test`; of a value that
    # follows from several, all of them; none of sizes and correlations.
    "part",
    "runs",  # the value of each
    "differences",  # from each other part: the difference, its standard error, degrees of freedom
    *("signature", "machine", "note"),
)
_NUMBERS = ("value", "stdev", "published", "difference", "p")


@dataclass(frozen=True)
class Measurement:
    """The measurement for one cell.

    Attributes:
        value: as in the table.
        runs: the value of each run or repetition; empty if there is only one.
        differences: by name of another system or model, the difference from it.
        baseline: the system or model whose p the table shows; empty: none.
        chosen_of: the number of measurements of which this one was chosen by its value; p is
            multiplied by it (Bonferroni).
        vocabulary: of a perplexity; only perplexities with equal ones compare; empty: unknown.
        signature: of a metric.
        machine: on which a time was measured.
        note: what a reader must know.
    """

    value: float
    runs: tuple[float, ...] = ()
    differences: Mapping[str, Difference] = field(default_factory=dict)
    baseline: str = ""
    chosen_of: int = 1
    vocabulary: str = ""
    signature: str = ""
    machine: str = ""
    note: str = ""


def system_of(part: str) -> str:
    """The system or model of a part."""
    return part.partition(":")[0]


def mean_over(runs: Sequence[float]) -> Measurement:
    """The mean over runs."""
    return Measurement(statistics.fmean(runs), tuple(runs))


def result_row(
    pair: str, row: str, column: str, unit: str, part: str, measured: Measurement | None
) -> dict[str, Any]:
    """One row of a frame; a row without a measurement was not run.

    Row and column are those of the paper; the part is the system or model that was measured.
    """
    cell = {"pair": pair, "row": row, "column": column, "unit": unit, "part": part}
    if measured is None:
        return {**cell, "value": math.nan}
    shown = measured.differences.get(measured.baseline)
    spread = float(pd.Series(measured.runs).std()) if len(measured.runs) > 1 else math.nan
    return {
        **cell,
        "value": measured.value,
        "stdev": spread,
        "p": math.nan if shown is None else min(1.0, measured.chosen_of * shown.p_value),
        "against": "" if shown is None else measured.baseline,
        "runs": " ".join(map(repr, measured.runs)),
        "differences": " ".join(
            f"{name}={':'.join(map(repr, astuple(one)))}"
            for name, one in measured.differences.items()
        ),
        "signature": measured.signature,
        "machine": measured.machine,
        "note": measured.note,
    }


def result_frame(rows: Iterable[Mapping[str, Any]]) -> pd.DataFrame:
    """A frame with all columns of `RESULT_COLUMNS`: numbers, and texts, which may be empty."""
    frame = pd.DataFrame(list(rows)).reindex(columns=RESULT_COLUMNS)
    for column in RESULT_COLUMNS:
        if column in _NUMBERS:
            frame[column] = frame[column].astype(float)
        else:
            frame[column] = frame[column].astype(object).fillna("").astype(str)
    return frame


def records(frame: pd.DataFrame) -> list[dict[str, Any]]:
    """The rows of a frame."""
    return [dict(zip(frame.columns, row, strict=True)) for row in frame.itertuples(index=False)]


def is_result_frame(frame: pd.DataFrame) -> bool:
    """Whether a frame comes from `result_frame`."""
    return tuple(frame.columns) == RESULT_COLUMNS


def run_values(row: Mapping[str, Any]) -> list[float]:
    """The values of the runs of a row."""
    return [float(value) for value in str(row["runs"]).split()]


def differences(row: Mapping[str, Any]) -> dict[str, Difference]:
    """The differences of a row, by name of the other system or model."""
    found = {}
    for part in str(row["differences"]).split():
        name, _, numbers = part.rpartition("=")
        values = [float(number) for number in numbers.split(":")]
        found[name] = Difference(*values) if len(values) == 3 else RankCorrelation(*values)
    return found


def write_frame(path: Path | str, frame: pd.DataFrame) -> None:
    """Write a frame as TSV with numbers in full; a value that was not measured is `not run`."""
    if "value" in frame:
        frame = frame.assign(value=frame["value"].astype(object).fillna(NOT_RUN))
    write_text(path, frame.to_csv(sep="\t", index=False, lineterminator="\n"))


def read_tables(paths: Iterable[Path | str]) -> dict[str, pd.DataFrame]:
    """The tables of a paper in several files, by file name without its ending.

    Raises:
        InputError: as in `read_frame`; a frame that is not of `result_frame`.
    """
    tables: dict[str, pd.DataFrame] = {}
    for path in paths:
        tables[Path(path).stem] = frame = read_frame(path)
        if not is_result_frame(frame):
            raise InputError("not a table of a paper", path=path, hint="make it by result_frame")
    return tables


def read_frame(path: Path | str) -> pd.DataFrame:
    """Read a frame that `write_frame` wrote.

    Raises:
        InputError: no such file, or a damaged one; names the file.
    """
    heading, *rows = list(csv.reader(read_lines(path), delimiter="\t")) or [[]]
    if not heading:
        raise InputError("empty", path=path, hint="make it again")
    for line, row in enumerate(rows, 2):
        if len(row) != len(heading):
            what = f"{len(row)} cells, not {len(heading)}"
            raise InputError(what, path=path, line=line, hint="make it again")
    frame = pd.DataFrame(rows, columns=heading, dtype=str)
    if is_result_frame(frame):
        for column in _NUMBERS:
            numbers = frame[column].replace({NOT_RUN: "nan", "": "nan"})
            frame[column] = numbers.astype(float)
    return frame
