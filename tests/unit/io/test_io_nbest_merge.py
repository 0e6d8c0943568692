"""Lists of the same sentences made one, and one hypothesis for each translation."""

from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from nlmt.errors import InputError
from nlmt.io.nbest import add_features, merge_nbests, read_nbest
from nlmt.io.nbest_order import in_one_order, with_order

Row = tuple[int, str, int]  # sentence, words, total


def line(row: Row) -> str:
    sentence, words, total = row
    return f"{sentence} ||| {words} ||| F= {total} G= 1 2 ||| {total} ||| 0-0\n"


def write(path: Path, rows: list[Row]) -> Path:
    path.write_text("".join(map(line, rows)))
    return path


def best_of_each(rows: list[Row], size: int) -> list[Row]:
    """What is to come out: by sentence, by total, in their order; the first of the same words."""
    written: list[Row] = []
    for sentence in sorted({row[0] for row in rows}):
        seen: set[tuple[str, ...]] = set()
        mine = [row for row in rows if row[0] == sentence]
        for row in sorted(mine, key=lambda row: -row[2]):
            words = tuple(row[1].split())
            if words not in seen and len(seen) < size:
                seen.add(words)
                written.append(row)
    return written


texts = st.sampled_from(["", "a", "a b", " a   b ", "ab"])
rows_of_a_list = st.lists(st.tuples(st.integers(0, 3), texts, st.integers(0, 3)), max_size=8).map(
    lambda rows: sorted(rows, key=lambda row: row[0])
)


@settings(max_examples=60)
@given(lists=st.lists(rows_of_a_list, min_size=1, max_size=4), size=st.sampled_from([1, 2, 9]))
def test_merging_keeps_the_best_of_the_same_words(
    tmp_path_factory: pytest.TempPathFactory, lists: list[list[Row]], size: int
) -> None:
    folder = tmp_path_factory.mktemp("lists")
    paths = [write(folder / str(i), rows) for i, rows in enumerate(lists)]
    wanted = best_of_each([row for rows in lists for row in rows], size)
    assert merge_nbests(paths, folder / "new", size=size) == sum(map(len, lists))
    assert (folder / "new").read_text() == "".join(map(line, wanted))
    write(folder / "all", sorted((row for rows in lists for row in rows), key=lambda row: row[0]))
    add_features(folder / "all", folder / "new", {}, sort=True, distinct=True, size=size)
    assert (folder / "new").read_text() == "".join(map(line, wanted))


def test_totals_are_compared_under_the_same_weights(tmp_path: Path) -> None:
    one = write(tmp_path / "one", [(0, "a", 1), (2, "b", 1)])
    two = write(tmp_path / "2", [(0, "a", 5), (0, "c", 3)])
    add_features(two, tmp_path / "two.gz", {}, weights={"F": [-1], "G": [0, 0]})
    two = tmp_path / "two.gz"
    new = tmp_path / "new.gz"
    merge_nbests([one, two], new)
    assert read_nbest(new).totals.tolist() == [1, -3, 1]
    merge_nbests([one, two], new, weights={"F": [2], "G": [0, 0]})
    merged = read_nbest(new)
    assert merged.totals.tolist() == [10, 6, 2]
    assert [merged.text(i) for i in range(3)] == ["a", "c", "b"]


def test_features_in_another_order_behind_columns_of_marian(tmp_path: Path) -> None:
    first, other = write(tmp_path / "first", [(0, "a", 1)]), tmp_path / "other"
    other.write_text(
        "0 ||| a ||| G= 1 2 F= 3 ||| 4\n"
        "0 ||| a|||b |||| ||| 0-0 ||| WordScores= -1 ||| G= 5 6 F= 7 ||| 8\n"
    )
    with in_one_order([first, other]) as lists:
        copied = read_nbest(lists[1])
    for ordered in (copied, with_order(read_nbest(other), read_nbest(first))):
        assert ordered.feature_names == [("F", 1), ("G", 2)]
        assert ordered.features.tolist() == [[3, 1, 2], [7, 5, 6]]
        assert [ordered.text(i) for i in range(2)] == ["a", "a|||b ||||"]
    other.write_text("0 ||| a ||| G= 1 2 F= 3 ||| 4\n0 ||| a ||| G= 1 2 F= x ||| 4\n")
    with (
        pytest.raises(InputError, match=r"other:2: 'x' is no number"),
        in_one_order([first, other]) as lists,
    ):
        read_nbest(lists[1])


def test_lists_that_do_not_fit(tmp_path: Path) -> None:
    one = write(tmp_path / "one", [(0, "a", 1)])
    empty = write(tmp_path / "empty", [])
    new = tmp_path / "new"
    for content, message in (
        ("0 ||| a ||| F= 1 ||| 1\n", r"two:1: other features than in .*one: F=1 against F=1 G=2"),
        ("0 ||| a ||| G= 1 2 F= 1 ||| 1\n", r"two:1: other features than in .*one: G=2 F=1"),
        (line((1, "a", 1)) + line((0, "a", 1)), "two:2: sentence 0 after sentence 1"),
        (line((1, "a", 1)) + "1 ||| a ||| F= 1 ||| 1\n", "two:2: the features differ"),
        (line((1, "a", 1)) + "1 ||| a\n", "two:2: malformed"),
    ):
        (tmp_path / "two").write_text(content)
        with pytest.raises(InputError, match=message):
            merge_nbests([empty, one, tmp_path / "two"], new)
    with pytest.raises(InputError, match="one: no weight for the feature G"):
        merge_nbests([empty, one], new, weights={"F": [1]})
    with pytest.raises(InputError, match="none: no such file"):
        merge_nbests([one, tmp_path / "none"], new)
    with pytest.raises(ValueError, match="size 0"):
        merge_nbests([one], new, size=0)
    assert not new.exists()
    assert merge_nbests([empty, empty], new, weights={"F": [1]}) == 0
    assert new.read_bytes() == b""
