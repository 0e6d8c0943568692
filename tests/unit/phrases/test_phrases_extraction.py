"""Phrase pairs and tuples against their definitions, orientations by hand."""

import numpy as np
import pytest

from nlmt.io.links import parse_links
from nlmt.phrases._phrases import extract_spans
from nlmt.tuples import encode, split_token, unfold

MONOTONE, SWAP, OTHER = 0, 1, 2


def consistent_pairs(
    source_length: int, target_length: int, links: set[tuple[int, int]], max_length: int
) -> set[tuple[int, int, int, int]]:
    """All span pairs with a link inside and none from inside to outside (Och and Ney 2004)."""
    pairs = set()
    for f0 in range(source_length):
        for f1 in range(f0 + 1, min(f0 + max_length, source_length) + 1):
            for e0 in range(target_length):
                for e1 in range(e0 + 1, min(e0 + max_length, target_length) + 1):
                    sides = [(f0 <= i < f1, e0 <= j < e1) for i, j in links]
                    if (True, True) in sides and all(f == e for f, e in sides):
                        pairs.add((f0, f1, e0, e1))
    return pairs


def text(links: set[tuple[int, int]]) -> str:
    return " ".join(f"{i}-{j}" for i, j in sorted(links))


def test_equals_the_definition_on_random_alignments() -> None:
    chance = np.random.default_rng(1)
    for _ in range(400):
        lengths = tuple(chance.integers(1, 11, size=2).tolist())
        drawn = chance.random(lengths) < chance.choice([0.03, 0.1, 0.2])
        drawn |= np.eye(*lengths, dtype=bool) & (chance.random(lengths) < 0.4)
        links = {(int(i), int(j)) for i, j in np.argwhere(drawn)}
        max_length = int(chance.integers(1, 8))
        found = [span[:4] for span in extract_spans(*lengths, text(links), max_length)]
        assert len(found) == len(set(found))
        assert set(found) == consistent_pairs(*lengths, links, max_length)


@pytest.mark.parametrize(
    ("lengths", "links", "span", "expected"),
    [
        ((3, 3), "0-0 1-1 2-2", (1, 2, 1, 2), (MONOTONE, MONOTONE)),
        # The borders of the sentences count as a pair of linked words.
        ((3, 3), "0-0 1-1 2-2", (0, 3, 0, 3), (MONOTONE, MONOTONE)),
        ((3, 3), "2-0 1-1 0-2", (1, 2, 1, 2), (SWAP, SWAP)),
        ((3, 3), "2-0 1-1 0-2", (2, 3, 0, 1), (OTHER, SWAP)),
        ((3, 3), "2-0 1-1 0-2", (0, 1, 2, 3), (SWAP, OTHER)),
        # An unlinked source word parts the phrase from the one before, and from the end.
        ((4, 2), "0-0 2-1", (2, 3, 1, 2), (OTHER, OTHER)),
        ((4, 2), "0-0 2-1", (1, 3, 1, 2), (MONOTONE, OTHER)),
        ((4, 2), "0-0 2-1", (1, 4, 1, 2), (MONOTONE, MONOTONE)),
        # Both neighbours of the source span are linked with the previous target word.
        ((4, 3), "0-0 2-0 1-1 3-2", (1, 2, 1, 2), (OTHER, OTHER)),
    ],
)
def test_orientation_by_hand(
    lengths: tuple[int, int], links: str, span: tuple[int, ...], expected: tuple[int, ...]
) -> None:
    found = {pair[:4]: pair[4:] for pair in extract_spans(*lengths, links, 7)}
    assert found[span] == expected


def test_no_links_no_pairs() -> None:
    assert extract_spans(3, 3, "", 7) == []
    assert extract_spans(0, 0, "", 7) == []


def test_a_link_given_twice_counts_once() -> None:
    assert extract_spans(2, 2, "0-0 0-0 1-1", 7) == extract_spans(2, 2, "0-0 1-1", 7)


def tuple_spans(lengths: tuple[int, int], links: str, max_length: int = 7) -> list[tuple[int, ...]]:
    return [pair[:4] for pair in extract_spans(*lengths, links, max_length, tuples=True)]


@pytest.mark.parametrize(
    ("lengths", "links", "spans"),
    [
        # A crossing is two tuples.
        ((3, 3), "0-1 1-0 2-2", [(0, 1, 1, 2), (1, 2, 0, 1), (2, 3, 2, 3)]),
        # ne va pas, goes not: the tuple of `not` has `va` between its words.
        ((3, 2), "0-1 1-0 2-1", [(0, 3, 0, 2), (1, 2, 0, 1)]),
        # A target word without links is of the next tuple, a source word is one of its own.
        ((3, 3), "0-0 2-2", [(0, 1, 0, 1), (2, 3, 1, 3), (1, 2, 1, 1)]),
        ((2, 2), "", []),
    ],
)
def test_tuples_by_hand(lengths: tuple[int, int], links: str, spans: list[tuple[int, ...]]) -> None:
    assert tuple_spans(lengths, links) == spans


@pytest.mark.parametrize(
    ("lengths", "links", "expected"),
    [
        ((2, 2), "0-1 1-0", {(0, 1, 1, 2): (SWAP, OTHER), (1, 2, 0, 1): (OTHER, SWAP)}),
        # A dropped word follows the source word before it and comes before the next one.
        (
            (3, 2),
            "0-0 2-1",
            {
                (0, 1, 0, 1): (MONOTONE, MONOTONE),
                (1, 2, 1, 1): (MONOTONE, MONOTONE),
                (2, 3, 1, 2): (MONOTONE, MONOTONE),
            },
        ),
        # zone de texte, text box: from `texte` the search goes back to `zone de`, then to the end.
        (
            (3, 2),
            "0-1 2-0",
            {
                (2, 3, 0, 1): (OTHER, OTHER),
                (0, 1, 1, 2): (OTHER, MONOTONE),
                (1, 2, 2, 2): (MONOTONE, OTHER),
            },
        ),
    ],
)
def test_tuples_are_oriented_towards_tuples(
    lengths: tuple[int, int], links: str, expected: dict[tuple[int, ...], tuple[int, ...]]
) -> None:
    found = {pair[:4]: pair[4:] for pair in extract_spans(*lengths, links, 7, tuples=True)}
    assert found == expected


def test_a_tuple_is_in_the_smallest_closed_pair() -> None:
    chance = np.random.default_rng(2)
    for _ in range(300):
        lengths = tuple(chance.integers(1, 9, size=2).tolist())
        drawn = chance.random(lengths) < chance.choice([0.1, 0.2])
        drawn |= np.eye(*lengths, dtype=bool) & (chance.random(lengths) < 0.5)
        links = {(int(i), int(j)) for i, j in np.argwhere(drawn)}
        if not links:
            continue
        max_length = int(chance.integers(1, 8))
        sides = [encode([" ".join(map(str, range(length)))]) for length in lengths]
        found = parse_links([text(links)], *(side.lengths for side in sides), path="links")
        tuples = [
            tuple([int(word) for word in side] for side in split_token(token))
            for token in next(iter(unfold(*sides, found).lines())).split()
        ]
        closed = consistent_pairs(*lengths, links, 8)
        expected = set()
        border = 0  # of the target words so far
        for source, target in tuples:
            if not target:
                expected.add((source[0], source[0] + 1, border, border))
                continue
            border = target[-1] + 1
            around = [
                (f0, f1, e0, e1)
                for f0, f1, e0, e1 in closed
                if f0 <= min(source) and max(source) < f1
                if all(
                    set(words) <= set(range(e0, e1)) or set(words).isdisjoint(range(e0, e1))
                    for _, words in tuples
                )
                if set(target) <= set(range(e0, e1))
            ]
            smallest = min(around, key=lambda s: (s[1] - s[0], s[3] - s[2]))
            if max(smallest[1] - smallest[0], smallest[3] - smallest[2]) <= max_length:
                expected.add(smallest)
        spans = tuple_spans(lengths, text(links), max_length)
        assert len(spans) == len(set(spans))
        assert set(spans) == expected
