"""Published values: the reader on damaged files, and the committed values in the papers' texts."""

import math
import re
from collections.abc import Iterator
from decimal import Decimal
from pathlib import Path

import pytest

from nlmt.errors import InputError
from nlmt.papers import COLUMNS, read_published

ROOT = Path(__file__).parents[3]
FOLDER = ROOT / "config/papers"
TEXTS = ROOT.parent / "shared/papers"
PAPERS = {
    "auli2013": "auli2013.txt",
    "baltescu2015": "baltescu2015-b.txt",
    "luong2015": "luong2015.txt",
    "schwenk2010": "schwenk2010.txt",
}
HEADING = "\t".join(COLUMNS)
GOOD = "table4\tNLM\tfr-en / BLEU\tBLEU\t31.55\tpage 824\t"
MULTIPLES = {"k": 3, "m": 6, "million": 6, "b": 9, "bn": 9}  # powers of ten
NUMBER = re.compile(r"(?<![\d.])(\d{1,3}(?:,\d{3})+|\d+)(\.\d+)? ?(k|m|million|bn?)?\b", re.I)
FROM_PROSE = "from the prose"  # in the note of a value that is not printed in a table


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


def test_negative_values(tmp_path: Path) -> None:
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


@pytest.mark.parametrize("paper", PAPERS)
def test_committed_values_are_readable(paper: str) -> None:
    frame = read_published(FOLDER, paper)
    assert frame["value"].notna().any()


def test_all_folders_are_of_known_papers() -> None:
    assert {path.name for path in FOLDER.iterdir() if path.is_dir()} == set(PAPERS)


@pytest.mark.parametrize("paper", PAPERS)
def test_committed_values_are_in_the_text(paper: str) -> None:
    numbers = {number for options in numbers_of(paper) for number in options}
    absent = [
        f"{table}: {row}, {column}: {value}"
        for table, row, column, value, _ in printed_values(paper)
        if value.lstrip("-") not in numbers
    ]
    assert absent == []


@pytest.mark.parametrize("paper", PAPERS)
def test_rows_of_tables_are_rows_of_the_text(paper: str) -> None:
    """The values of a row follow one another in the text, with no number between them."""
    text = numbers_of(paper)
    rows: dict[tuple[str, str], list[str]] = {}
    for table, row, _, value, note in printed_values(paper):
        if table.startswith("table") and FROM_PROSE not in note:
            rows.setdefault((table, row), []).append(value.lstrip("-"))
    assert rows
    absent = [key for key, values in rows.items() if not occurs(values, text)]
    assert absent == []


def printed_values(paper: str) -> Iterator[tuple[str, str, str, str, str]]:
    """Table, row, column, value as committed and note of each value that is not missing."""
    for path in sorted((FOLDER / paper).glob("*.tsv")):
        for line in path.read_text(encoding="utf-8").splitlines()[1:]:
            table, row, column, _, value, _, note = line.split("\t")
            if value:
                yield table, row, column, value, note


def numbers_of(paper: str) -> list[set[str]]:
    """The numbers of a paper's text, each as printed and without thousands separators or suffix."""
    path = TEXTS / PAPERS[paper]
    if not path.exists():
        pytest.skip(f"no text of the paper: {path}")
    numbers = []
    for match in NUMBER.finditer(path.read_text(encoding="utf-8")):
        whole, fraction, multiple = match.groups()
        number = whole.replace(",", "") + (fraction or "")
        options = {number}
        if multiple:
            options.add(f"{(Decimal(number) * 10 ** MULTIPLES[multiple.lower()]).normalize():f}")
        numbers.append(options)
    return numbers


def occurs(values: list[str], text: list[set[str]]) -> bool:
    """Whether the values stand side by side in the text."""
    return any(
        all(value in options for value, options in zip(values, text[begin:], strict=False))
        for begin in range(len(text) - len(values) + 1)
    )
