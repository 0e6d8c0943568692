"""Sizes of texts, and their tables."""

from pathlib import Path

import pytest

from nlmt.errors import InputError
from nlmt.io.files import write_lines
from nlmt.text.statistics import (
    TextSize,
    count_text,
    join_sizes,
    read_size,
    read_sizes,
    write_sizes,
)


def test_sizes_of_a_text() -> None:
    lines = iter(["a b a", "", "<unk> c b", "<unk>"])  # one pass, whatever its length
    assert count_text(lines) == TextSize(sentences=4, tokens=7, words=3)
    assert count_text([]) == TextSize(0, 0, 0)


def test_tables_are_read_as_they_were_written(tmp_path: Path) -> None:
    source, target, table = tmp_path / "train.fr.gz", tmp_path / "train.en.gz", tmp_path / "a.tsv"
    write_lines(source, ["un deux", "un"])
    write_lines(target, ["one two", "one <unk>"])
    write_sizes(table, [("train", "fr", source), ("train", "en", target)])
    assert read_sizes(table) == {
        ("train", "fr"): TextSize(2, 3, 2),
        ("train", "en"): TextSize(2, 4, 2),
    }
    assert read_size(table, "train", "en") == TextSize(2, 4, 2)
    with pytest.raises(
        InputError, match=r"a\.tsv: no \('dev', 'en'\) \(made by an earlier version"
    ):
        read_size(table, "dev", "en")
    join_sizes(tmp_path / "all.tsv", {"fr-en": table, "en-fr": table})
    assert (tmp_path / "all.tsv").read_text().splitlines() == [
        "pair\ttext\tlanguage\tsentences\ttokens\twords",
        "fr-en\ttrain\tfr\t2\t3\t2",
        "fr-en\ttrain\ten\t2\t4\t2",
        "en-fr\ttrain\tfr\t2\t3\t2",
        "en-fr\ttrain\ten\t2\t4\t2",
    ]


@pytest.mark.parametrize("line", ["train\tfr\t1\t2", "train\tfr\t1\t2\tx", "train\tfr\t1\t2\t²"])
def test_a_damaged_table_is_named_with_its_line(line: str, tmp_path: Path) -> None:
    table = tmp_path / "a.tsv"
    table.write_text(f"text\tlanguage\tsentences\ttokens\twords\n{line}\n")
    with pytest.raises(InputError, match=r"a\.tsv:2: the columns text, language"):
        read_sizes(table)
