"""Frames of our tables: spread, files, and the published values beside ours."""

import math
from pathlib import Path

import pandas as pd
import pytest
from paper_artefacts import cell

from nlmt.errors import InputError
from nlmt.evaluation import Difference
from nlmt.papers.published import COLUMNS, our_cell, with_published
from nlmt.papers.results import (
    ALL_PAIRS,
    RESULT_COLUMNS,
    Measurement,
    differences,
    is_result_frame,
    read_frame,
    read_tables,
    records,
    result_frame,
    result_row,
    run_values,
    write_frame,
)

DIFFERENCES = {"baseline": Difference(1.0, 0.25, 12.5), "other": Difference(0.5, 0.5, 1.0)}
MEASURED = Measurement(
    31.0, (30.9, 31.1), DIFFERENCES, baseline="other", signature="BLEU|version:2"
)


def rows() -> pd.DataFrame:
    return result_frame(
        [
            result_row("fr-en", "Brown", "BLEU", "BLEU", "brown", MEASURED),
            result_row("fr-en", "bins", "BLEU", "BLEU", "bins", None),
        ]
    )


def published(*values: tuple[str, str, str, float]) -> pd.DataFrame:
    table = [
        ("table7", row, column, unit, value, "page 1", "") for row, column, unit, value in values
    ]
    return pd.DataFrame(table, columns=list(COLUMNS))


def test_a_row_has_spread_and_p_of_its_baseline() -> None:
    row = records(rows())[0]
    assert row["value"] == 31.0
    assert row["stdev"] == pytest.approx(math.sqrt(0.02))
    assert (row["p"], row["against"]) == (0.5, "other")
    assert run_values(row) == [30.9, 31.1]
    assert differences(row) == DIFFERENCES


@pytest.mark.parametrize(("count", "expected"), [(1, 1 / 3), (2, 2 / 3), (4, 1.0)])
def test_p_of_what_was_chosen_among_several_is_corrected(count: int, expected: float) -> None:
    """Of one degree of freedom, p is 1 - 2 atan(t) / pi: a third where t is the root of 3."""
    known = {"baseline": Difference(math.sqrt(3), 1.0, 1.0)}
    best = Measurement(31.0, differences=known, baseline="baseline", chosen_of=count)
    row = result_row("fr-en", "best", "BLEU", "BLEU", "", best)
    assert row["p"] == pytest.approx(expected)


def test_a_single_run_has_no_spread_and_no_p() -> None:
    row = result_frame([result_row("fr-en", "a", "b", "BLEU", "c", Measurement(1.0, (1.0,)))])
    assert row["stdev"].isna().all()
    assert row["p"].isna().all()


def test_frames_are_read_as_they_were_written(tmp_path: Path) -> None:
    path = tmp_path / "table7.tsv"
    write_frame(path, rows())
    assert path.read_text().splitlines()[2].split("\t")[4] == "not run"
    read = read_frame(path)
    assert is_result_frame(read)
    pd.testing.assert_frame_equal(read, rows())


def test_other_frames_are_texts(tmp_path: Path) -> None:
    frame = pd.DataFrame({"model": ["a"], "size": [3]})
    write_frame(tmp_path / "own.tsv", frame)
    assert records(read_frame(tmp_path / "own.tsv")) == [{"model": "a", "size": "3"}]
    with pytest.raises(InputError, match=r"own\.tsv: not a table of a paper"):
        read_tables([tmp_path / "own.tsv"])


@pytest.mark.parametrize("text", ["", "a\tb\n1\t2\t3\n"])
def test_damaged_files_are_named(tmp_path: Path, text: str) -> None:
    (tmp_path / "own.tsv").write_text(text)
    with pytest.raises(InputError, match=r"own\.tsv"):
        read_frame(tmp_path / "own.tsv")


@pytest.mark.parametrize(
    ("row", "column", "unit", "expected"),
    [
        ("KenLM", "fr-en / BLEU", "BLEU", ("fr-en", "KenLM", "BLEU")),
        ("Unnormalised", "en-cs", "BLEU", ("en-cs", "Unnormalised", "BLEU")),
        ("SGD", "Duration", "days", ("zh-en", "SGD", "Duration")),
        ("It-En", "neural LM", "BLEU", ("it-en", "neural LM", "BLEU")),
        ("fr-en", "tokens", "tokens", ("fr-en", "fr-en", "tokens")),
        ("Zh-En", "Phrase-based / Ref.", "BLEU", ("zh-en", "Phrase-based / Ref.", "BLEU")),
        ("a / b", "c / d", "BLEU", ("zh-en", "a / b", "c / d")),
    ],
)
def test_published_cells_are_found_in_our_tables(
    row: str, column: str, unit: str, expected: tuple[str, str, str]
) -> None:
    assert our_cell(row, column, unit, "zh-en") == expected


def test_published_values_come_beside_ours() -> None:
    values = published(
        ("Brown", "BLEU", "BLEU", 30.5),
        ("bins", "BLEU", "BLEU", 30.0),
        ("tree", "BLEU", "BLEU", 29.0),
        ("Brown", "en-cs", "BLEU", 20.0),
    )
    both = with_published(rows(), values, "fr-en")
    assert tuple(both.columns) == RESULT_COLUMNS
    brown = cell(both, "Brown", "BLEU")
    assert (brown["value"], brown["published"], brown["difference"]) == (31.0, 30.5, 0.5)
    # What was not run has a published value all the same, as have cells that ours lacks.
    for pair, row, value in (
        ("fr-en", "bins", 30.0),
        ("fr-en", "tree", 29.0),
        ("en-cs", "Brown", 20.0),
    ):
        missing = cell(both, row, "BLEU", pair)
        assert missing["published"] == value
        assert math.isnan(missing["value"])
        assert math.isnan(missing["difference"])


def test_published_values_of_no_pair_come_beside_those_of_each() -> None:
    ours = result_frame(
        [
            result_row(pair, "short-list", "share", "%", "cslm", Measurement(value))
            for pair, value in (("it-en", 88.0), ("ja-en", 92.0))
        ]
    )
    values = published(("short-list", "share", "%", 90.0), ("grouping", "share", "%", 50.0))
    both = with_published(ours, values, ALL_PAIRS)
    assert cell(both, "short-list", "share", "it-en")["difference"] == -2
    assert cell(both, "short-list", "share", "ja-en")["difference"] == 2
    # What none of ours has is a cell that was not run, of no pair.
    assert cell(both, "grouping", "share", ALL_PAIRS)["published"] == 50
    assert len(both) == 3


def test_values_of_different_units_have_no_difference() -> None:
    ours = result_frame(
        [result_row("fr-en", "NCE", "Duration", "seconds", "nce", Measurement(9.0))]
    )
    both = with_published(ours, published(("NCE", "Duration", "days", 1.2)), "fr-en")
    row = cell(both, "NCE", "Duration")
    assert (row["published"], row["published_unit"], row["unit"]) == (1.2, "days", "seconds")
    assert math.isnan(row["difference"])
