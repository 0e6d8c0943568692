"""Tuples: by hand, against every segmentation of small pairs, and what must hold of all."""

from itertools import combinations, pairwise

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from nlmt.io.links import parse_links
from nlmt.tuples import _tuples, encode, split_token, unfold

Links = list[tuple[int, int]]


def tuples_of(source: str, target: str, links: str) -> str:
    sides = encode([source]), encode([target])
    found = parse_links([links], *(side.lengths for side in sides), path="links")
    return next(iter(unfold(*sides, found).lines()))


@pytest.mark.parametrize(
    ("source", "target", "links", "tuples"),
    [
        ("la maison", "the house", "0-0 1-1", "la=the maison=house"),
        # A crossing: unfolded, not one long tuple (Crego et al. 2005).
        (
            "traducciones perfectas hoy",
            "perfect translations today",
            "0-1 1-0 2-2",
            "perfectas=perfect traducciones=translations hoy=today",
        ),
        # The source words of a tuple may have others between them.
        ("ne va pas", "goes not", "0-1 1-0 2-1", "va=goes ne_pas=not"),
        # The target words of a tuple stand together: what lies between them comes along.
        ("aufgeben nicht", "give not up", "0-0 0-2 1-1", "aufgeben_nicht=give_not_up"),
        # Target words without links: with the next tuple, at the end with the one before.
        ("maison vendre", "the house to sell .", "0-1 1-3", "maison=the_house vendre=to_sell_."),
        # Source words without links: behind the tuple of the linked word before them.
        ("ah je ne va pas", "go i", "1-1 3-0", "ah= va=go pas= je=i ne="),
        ("a b", "x", "", "a= b= =x"),
        ("a b", "", "", "a= b="),
        ("", "x y", "", "=x_y"),
        ("", "", "", ""),
    ],
)
def test_by_hand(source: str, target: str, links: str, tuples: str) -> None:
    assert tuples_of(source, target, links) == tuples


def finest_segments(length: int, links: Links) -> list[range]:
    """All segmentations tried: no source word links into two, each has a linked word, most of them,
    and the borders as early as can be."""
    by_source: dict[int, set[int]] = {}
    for source, target in links:
        by_source.setdefault(source, set()).add(target)
    linked = {target for _, target in links}
    valid = []
    for count in range(length):
        for cuts in combinations(range(1, length), count):
            segments = [range(*pair) for pair in pairwise((0, *cuts, length))]
            whole = all(
                sum(not group.isdisjoint(segment) for segment in segments) == 1
                for group in by_source.values()
            )
            if whole and (not linked or all(not linked.isdisjoint(s) for s in segments)):
                valid.append(segments)
    if not linked:
        return [range(length)] if length else []
    most = max(map(len, valid))
    return min((s for s in valid if len(s) == most), key=lambda s: [part.start for part in s])


pairs = st.tuples(st.integers(0, 6), st.integers(0, 7)).flatmap(
    lambda sizes: st.tuples(
        st.just(sizes),
        st.lists(
            st.tuples(st.integers(0, max(sizes[0] - 1, 0)), st.integers(0, max(sizes[1] - 1, 0))),
            max_size=8 if min(sizes) else 0,
        ),
    )
)


@given(st.lists(pairs, min_size=1, max_size=4))
def test_against_every_segmentation(bitext: list[tuple[tuple[int, int], Links]]) -> None:
    sources = encode([" ".join(f"s{i}" for i in range(sizes[0])) for sizes, _ in bitext])
    targets = encode([" ".join(f"t{i}" for i in range(sizes[1])) for sizes, _ in bitext])
    lines = [" ".join(f"{s}-{t}" for s, t in links) for _, links in bitext]
    found = unfold(sources, targets, parse_links(lines, sources.lengths, targets.lengths, path="a"))
    assert len(set(found.words)) == len(found.words)
    for ((source_length, target_length), links), line in zip(bitext, found.lines(), strict=True):
        tuples = [
            ([int(word[1:]) for word in source], [int(word[1:]) for word in target])
            for source, target in map(split_token, line.split())
        ]
        # Each word once, the target in order, the source of a tuple too.
        assert [t for _, target in tuples for t in target] == list(range(target_length))
        assert sorted(s for source, _ in tuples for s in source) == list(range(source_length))
        assert all(source == sorted(source) for source, _ in tuples)
        for source, target in links:
            assert any(source in left and target in right for left, right in tuples)
        segments = [target for _, target in tuples if target]
        assert segments == [list(part) for part in finest_segments(target_length, links)]
        # Source words in a tuple with target words are linked, the others stand alone.
        linked = {source for source, _ in links}
        before = -1  # the linked source word before
        places = {s: i for i, (source, _) in enumerate(tuples) for s in source}
        for source in range(source_length):
            if source in linked:
                before = source
                continue
            left, right = tuples[places[source]]
            assert (left, right) == ([source], [])
            between = tuples[places[before] + 1 if before >= 0 else 0 : places[source]]
            assert all(not right and left[0] < source for left, right in between)


def test_many_targets_of_one_source() -> None:
    source, target = encode(["a b", "c"]), encode(["x", "y z", "x"])
    links = parse_links(
        ["0-0", "0-0", "0-0"], np.array([1, 2, 1]), np.array([1, 2, 1]), path="links"
    )
    found = unfold(source, target, links, np.array([1, 0, 1], np.int32))
    assert list(found.lines()) == ["c=x", "a=y_z b=", "c=x"]
    assert found.ids.tolist() == [0, 1, 2, 0]


@given(*[st.lists(st.text("a_=%5F|é<", min_size=1), min_size=1, max_size=3)] * 2)
def test_tokens_come_back(source: list[str], target: list[str]) -> None:
    sides = encode([" ".join(source)]), encode([" ".join(target)])
    linked = " ".join(f"{i}-{j}" for i in range(len(source)) for j in range(len(target)))
    links = parse_links([linked], *(side.lengths for side in sides), path="links")
    (token,) = unfold(*sides, links).words
    assert " " not in token
    assert split_token(token) == (source, target)


def test_an_unknown_word_is_no_tuple() -> None:
    with pytest.raises(ValueError, match="'<unk>' is not a tuple"):
        split_token("<unk>")


@pytest.mark.parametrize(
    ("of", "links", "offsets"),
    [([1], [[0, 0]], [0, 1]), ([0], [[2, 0]], [0, 1]), ([0], [[0, -1]], [0, 1]), ([0], [], [0, 1])],
)
def test_arrays_that_do_not_fit_are_refused(of: list, links: list, offsets: list) -> None:
    one = np.zeros(1, np.int32), np.array([0, 1], np.int64)
    positions = np.array(links, np.int32).reshape(-1, 2)
    with pytest.raises(ValueError, match=r"link|source|offsets"):
        _tuples.unfold(*one, np.array(of, np.int32), *one, positions, np.array(offsets, np.int64))
