"""Word alignments as arrays: against a plain Python parser, and what is wrong in them."""

from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from nbest_lists import blocks_of

from nlmt.errors import InputError
from nlmt.io.links import links_of_nbest, parse_links
from nlmt.io.nbest import iter_nbest, read_nbest

LINE = "0 ||| a b c ||| LM0= -1 ||| -1"

pairs = st.tuples(st.integers(0, 6), st.integers(0, 6)).flatmap(
    lambda sizes: st.tuples(
        st.just(sizes),
        st.lists(
            st.tuples(st.integers(0, max(sizes[0] - 1, 0)), st.integers(0, max(sizes[1] - 1, 0))),
            max_size=9 if min(sizes) else 0,
        ),
    )
)


def lengths(*values: int) -> np.ndarray:
    return np.array(values, np.int64)


@given(st.lists(pairs, max_size=6))
@settings(max_examples=80)
def test_a_bitext_against_plain_python(bitext: list) -> None:
    lines = [" ".join(f"{s}-{t}" for s, t in links) for _, links in bitext]
    sources, targets = (lengths(*(sizes[side] for sizes, _ in bitext)) for side in (0, 1))
    found = parse_links(lines, sources, targets, path="a")
    assert len(found.offsets) == len(bitext) + 1
    for i, (_, links) in enumerate(bitext):
        row = found.positions[found.offsets[i] : found.offsets[i + 1]].tolist()
        assert row == [list(link) for link in sorted(set(links), key=lambda link: link[::-1])]


@pytest.mark.parametrize(
    ("line", "links"),
    [
        ("0-1=0 2=1-2", [(0, 0), (1, 0), (2, 1), (2, 2)]),
        # A phrase without target words is where the next one begins, or the sentence ends.
        ("0=0 1=0-2 2=3", [(1, 0), (1, 1), (1, 2)]),
        ("2=2 0=0 1=1", [(0, 0), (1, 1), (2, 2)]),
        ("2=3 0=0 1=1", [(0, 0), (1, 1)]),
    ],
)
def test_phrases_link_all_their_words(line: str, links: list[tuple[int, int]]) -> None:
    found = parse_links([f"text ||| {line}"], lengths(3), lengths(3), path="a")
    assert found.positions.tolist() == [list(link) for link in links]


@pytest.mark.parametrize(
    ("line", "what"),
    [
        ("0=0 x=1", "'x=1' is not a phrase such as 0-1=0-2"),
        ("1-0=0", "'1-0=0' is not a phrase"),
        ("0=0-x", "'0=0-x' is not a phrase"),
        ("0=0 =", "'=' is not a phrase"),
        ("0=0 1", "'1' is not a phrase"),
        ("0-2=0", "phrase 0-2=0 lies outside the pair of 2 and 3 words"),
        ("0=1-3", "phrase 0=1-3 lies outside"),
        ("0=4", "phrase 0=4 lies outside"),
        ("0=3-4 1=0", "phrase 0=3-4 lies outside"),
        ("0=3-4294967295 1=0", "phrase 0=3-4294967295 lies outside"),
        ("0-1=0-2 0-1=1-2 0=0", "the phrases overlap"),
        ("0-0 ||| -12.3", r"a column of scores .*fast_align -s .align again without -s"),
        ("0-0 1:1", "'1:1' is not a link"),
        ("0-0 -1-1", "'-1-1' is not a link"),
        ("0-99999999999999", "is not a link"),
        ("1", "'1' is not a link"),
        ("1-", "'1-' is not a link"),
        ("2-0", "link 2-0 lies outside the pair of 2 and 3 words"),
        ("0-3", "link 0-3 lies outside"),
    ],
)
def test_a_wrong_link_is_named_with_its_line(line: str, what: str) -> None:
    with pytest.raises(InputError, match=what) as error:
        parse_links(["0-0", line], lengths(2, 2), lengths(3, 3), path="aligned.gz", first_line=7)
    assert (error.value.path, error.value.line) == ("aligned.gz", 8)


def test_a_list_has_its_links_in_the_last_column(tmp_path: Path) -> None:
    path = tmp_path / "list"
    rests = [" ||| 0-0 1-2", " ||| 0-1=0-2 ||| 1-0 0-0", " ||| ", " ||| 0=0 ||| "]
    path.write_text("".join(f"{LINE}{rest}\n" for rest in rests))
    found = links_of_nbest(read_nbest(path, keep_alignments=True), lengths(2))
    assert found.positions.tolist() == [[0, 0], [1, 2], [0, 0], [1, 0]]
    assert found.offsets.tolist() == [0, 2, 4, 4, 4]


@pytest.mark.parametrize(
    ("bad", "what"),
    [
        (LINE, "without its word alignment"),
        (f"{LINE} ||| 0-1=", "'0-1=' is not a phrase"),
        (f"{LINE} ||| 2-0", "outside the pair of 2 and 3 words"),
        (f"1{LINE[1:]} ||| 0-0", "sentence 1, but the source text has only 1 lines"),
    ],
)
def test_a_list_is_wrong_in_a_later_block(tmp_path: Path, bad: str, what: str) -> None:
    path = tmp_path / "list"
    path.write_text(f"{LINE} ||| 0-0\n" * 3 + f"{bad}\n")
    blocks = iter_nbest(path, whole_sentences=False, keep_alignments=True)
    with blocks_of(1), pytest.raises(InputError, match=what) as error:
        [links_of_nbest(block, lengths(2)) for block in blocks]
    assert error.value.line == 4


def test_a_hypothesis_without_words_needs_no_alignment(tmp_path: Path) -> None:
    path = tmp_path / "list"
    path.write_text("0 |||  ||| LM0= -1 ||| -1\n")
    found = links_of_nbest(read_nbest(path, keep_alignments=True), lengths(2))
    assert found.offsets.tolist() == [0, 0]
