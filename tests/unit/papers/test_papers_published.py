"""Published values: the reader on damaged files, and the committed values in the papers' texts."""

import math
import re
from collections import namedtuple
from pathlib import Path

import pytest
from paper_texts import (
    FILES,
    LOST,
    PRINTED,
    QUOTES,
    Printed,
    places,
    plain,
    printed_body,
    printed_heading,
    printed_rows,
    spelled_heading,
    spelled_row,
    text_of,
)

from nlmt.errors import InputError
from nlmt.papers import COLUMNS, UNITS, read_published
from nlmt.papers.published import LEVELS

FOLDER = Path(__file__).parents[3] / "config/papers"
HEADING = "\t".join(COLUMNS)
GOOD = "table4\tNLM\tfr-en / BLEU\tBLEU\t31.55\tpage 824\t"
FORMULAS = {("baltescu2015", "table1")}  # a table of formulas, not of numbers
LIMITS = {"BLEU": (-100, 100), "perplexity": (1, math.inf)}  # of values and differences
FROM_PROSE = "from the prose"  # in the note of a value that is not printed in its table


Line = namedtuple("Line", COLUMNS)  # of a TSV file, as committed


def write(folder: Path, *lines: str, name: str = "table4.tsv", heading: str = HEADING) -> Path:
    path = folder / "some" / name
    path.parent.mkdir(exist_ok=True)
    path.write_text("".join(f"{line}\n" for line in (heading, *lines)), encoding="utf-8")
    return path


def test_values_become_numbers(tmp_path: Path) -> None:
    missing = "table4\tNLM\ten-cs / BLEU\tBLEU\t\tpage 824\tillegible"
    write(tmp_path, GOOD, missing)
    frame = read_published(tmp_path, "some")
    assert tuple(frame.columns) == COLUMNS
    assert frame["value"][0] == 31.55
    assert math.isnan(frame["value"][1])
    assert list(frame["column"]) == ["fr-en / BLEU", "en-cs / BLEU"]
    assert list(frame["note"]) == ["", "illegible"]
    write(tmp_path, GOOD.replace("31.55", "-0.6"))
    assert list(read_published(tmp_path, "some")["value"]) == [-0.6]


def test_tables_come_before_figures_and_in_the_order_of_their_numbers(tmp_path: Path) -> None:
    for name in ("text", "figure2", "table10", "table2"):
        write(tmp_path, GOOD.replace("table4", name), name=f"{name}.tsv")
    tables = list(read_published(tmp_path, "some")["table"])
    assert tables == ["table2", "table10", "figure2", "text"]


@pytest.mark.parametrize(
    ("line", "message"),
    [
        ("table4\tNLM", "2 cells, not 7"),
        (GOOD.replace("table4", "table5"), "table: 'table5' in the file of table4"),
        (GOOD.replace("31.55", "31,55"), "value: '31,55' is not a decimal number"),
        (GOOD.replace("31.55", "nan"), "value: 'nan' is not a decimal number"),
        (GOOD.replace("31.55", "1e3"), "value: '1e3' is not a decimal number"),
        (GOOD.replace("31.55", ""), "value: empty, and the note does not say why"),
        (GOOD.replace("\tBLEU\t", "\tbleu\t"), "unit: 'bleu' is not allowed"),
        (GOOD.replace("page 824", ""), "where: empty"),
        (GOOD.replace("NLM", "NLM "), "row: white space"),
        (GOOD.replace("fr-en / BLEU", "fr-en/BLEU"), "column: 'fr-en/BLEU': levels are joined"),
        (GOOD, "row 'NLM', column 'fr-en / BLEU' was given in line 2"),
    ],
)
def test_damaged_line_is_named(tmp_path: Path, line: str, message: str) -> None:
    path = write(tmp_path, GOOD, line)
    with pytest.raises(InputError) as caught:
        read_published(tmp_path, "some")
    assert (caught.value.path, caught.value.line) == (path, 3)
    assert message in str(caught.value)


@pytest.mark.parametrize(
    ("name", "heading", "lines", "message"),
    [
        (
            "table4.tsv",
            HEADING.replace("unit", "metric"),
            (GOOD,),
            "the columns must be table, row",
        ),
        ("table4.tsv", HEADING, (), "no values"),
        ("table04.tsv", HEADING, (GOOD,), "not named like table4.tsv"),
        ("values.txt", HEADING, (GOOD,), "no published values"),
    ],
)
def test_damaged_file_is_named(
    tmp_path: Path, name: str, heading: str, lines: tuple[str, ...], message: str
) -> None:
    path = write(tmp_path, *lines, name=name, heading=heading)
    with pytest.raises(InputError, match=message) as caught:
        read_published(tmp_path, "some")
    assert caught.value.path in (path, path.parent)


def test_all_folders_are_of_known_papers() -> None:
    assert {path.name for path in FOLDER.iterdir() if path.is_dir()} == set(FILES)


def committed_lines(paper: str) -> list[Line]:
    """All lines of a paper's files."""
    paths = sorted((FOLDER / paper).glob("*.tsv"))
    lines = (line for path in paths for line in path.read_text("utf-8").splitlines()[1:])
    return [Line(*line.split("\t")) for line in lines]


def committed_table(paper: str, table: str) -> dict[str, list[Line]]:
    """The lines that a table of the text has to print, of each row."""
    rows: dict[str, list[Line]] = {}
    for line in committed_lines(paper):
        if line.table == table and FROM_PROSE not in line.note:
            rows.setdefault(line.row, []).append(line)
    return rows


@pytest.mark.parametrize("paper", FILES)
def test_units_are_those_of_columns_and_values(paper: str) -> None:
    for line in committed_lines(paper):
        measure = line.column.split(LEVELS)[-1]
        assert measure not in UNITS or line.unit in (measure, "%"), line
        if line.value:
            least, most = LIMITS.get(line.unit, (-math.inf, math.inf))
            assert least <= float(line.value) <= most, line


def test_made_up_text() -> None:
    """Holds the helpers to a text of our own, as those of the papers are not on every machine."""
    text = """Of 7 systems, two are in Table 2.
        System en→de
        BLEU size
        small model 1.5† (2M)
        others
        big +2.5 3.5k
        Table 2: Two of 7 systems"""
    printed = Printed("System en→de\nBLEU size")
    expected = ["small model 1.5 2000000", "big 2.5 3500"]
    assert printed_rows(plain(text), "table2", printed) == expected
    assert spelled_row("small / model", ["1.5", "2000000"], printed) == expected[0]
    assert printed_heading(printed) == ["Systemen-de", "BLEUsize"]
    columns = ["en-de / BLEU", "en-de / size"]
    assert spelled_heading(columns, printed) == ["en-de", "BLEUsize"]


@pytest.mark.parametrize("paper", FILES)
def test_every_table_of_the_text_is_committed(paper: str) -> None:
    captions = re.findall(r"^Table (\d+)[:.]", text_of(paper), re.MULTILINE)
    uncaptioned = {table for (of, table), printed in PRINTED.items() if of == paper and printed.end}
    lost = {table for of, table in LOST if of == paper}
    committed = {line.table for line in committed_lines(paper) if line.table.startswith("table")}
    assert sorted(f"table{number}" for number in captions) == sorted(committed - lost - uncaptioned)


@pytest.mark.parametrize(("paper", "table"), sorted(PRINTED.keys() - FORMULAS))
def test_table_is_that_of_the_text(paper: str, table: str) -> None:
    """Labels, values and order of the rows are those of the text, and there are no others."""
    printed = PRINTED[paper, table]
    rows = committed_table(paper, table).items()
    committed = [spelled_row(row, [line.value for line in lines], printed) for row, lines in rows]
    assert committed == printed_rows(text_of(paper), table, printed)


@pytest.mark.parametrize(("paper", "table"), PRINTED)
def test_columns_are_in_the_order_of_the_heading(paper: str, table: str) -> None:
    printed = PRINTED[paper, table]
    rows = committed_table(paper, table).values()
    columns = [[line.column for line in lines] for lines in rows]
    longest = max(columns, key=len)
    for row in columns:
        assert row == [column for column in longest if column in row]
    lines = printed_heading(printed)
    labels = spelled_heading(longest, printed)
    assert [line[-len(label) :] for line, label in zip(lines, labels, strict=True)] == labels


def test_formulas_are_those_of_the_text() -> None:
    (key,) = FORMULAS
    printed = re.sub(r"[\s|\u00d7]", "", printed_body(text_of(key[0]), key[1], PRINTED[key]))
    committed = "".join(
        row + "".join(line.note.split(": ")[1] for line in lines)
        for row, lines in committed_table(*key).items()
    )
    assert re.sub(r"[\s()]", "", committed.replace("sqrt", "√")) == printed


@pytest.mark.parametrize(("paper", "table"), sorted({*PRINTED, *LOST}))
def test_place_of_a_table_names_it(paper: str, table: str) -> None:
    name = f"Table {table.removeprefix('table')}"
    for where in {line.where for line in committed_lines(paper) if line.table == table}:
        assert any(re.search(rf"{name}\b", place) for place in places(paper, where)), where


@pytest.mark.parametrize("paper", FILES)
def test_values_from_the_prose_are_in_its_words(paper: str) -> None:
    """Each value that no table of the text prints stands in the words of the place it names."""
    quotes = QUOTES[paper]
    lines = {line[:3]: line for line in committed_lines(paper) if line.value}
    unprinted = {
        key
        for key, line in lines.items()
        if (paper, line.table) not in PRINTED or FROM_PROSE in line.note
    }
    assert unprinted <= quotes.keys() <= lines.keys()
    for key, quote in quotes.items():
        words = plain(quote)
        assert set(re.findall(r"\d+(?:\.\d+)?", words)) == {lines[key].value}, key
        assert any(words in place for place in places(paper, lines[key].where)), key
