"""Clustering against an oracle that recomputes the mutual information for every merge."""

import itertools
import math
import random
from collections import Counter
from dataclasses import replace

import numpy as np
import pytest

from nlmt.classes import (
    average_mutual_information,
    brown_cluster,
    count_bigrams,
    default_class_count,
    exchange_cluster,
    frequency_bins,
)
from nlmt.classes._brown import Bigrams, arrange, cluster
from nlmt.classes.brown import counts
from nlmt.errors import InputError

SCALE = 2**40  # what the compiled code uses for small texts


def fixed(value: float) -> int:
    return round(value * SCALE)


def information(table: dict[tuple, int], unigram: dict) -> int:
    """The mutual information, in fixed point and but for a constant, of the classes in use."""
    return sum(
        fixed(n * math.log(n)) - n * (fixed(math.log(unigram[a])) + fixed(math.log(unigram[b])))
        for (a, b), n in table.items()
    )


def class_table(bigrams, class_of: dict[int, int]) -> dict[tuple, int]:
    """Bigram counts of classes; words that are in none yet are left out."""
    boundary = len(bigrams.words)
    class_of = {**class_of, boundary: "boundary"}
    table: dict[tuple, int] = {}
    for a, b, n in zip(bigrams.first, bigrams.second, bigrams.number, strict=True):
        if a in class_of and b in class_of:
            cell = class_of[a], class_of[b]
            table[cell] = table.get(cell, 0) + int(n)
    return table


def class_unigrams(bigrams, class_of):
    unigram = {"boundary": bigrams.sentences}
    for word, c in class_of.items():
        unigram[c] = unigram.get(c, 0) + int(bigrams.counts[word])
    return unigram


def class_cost(bigrams, class_of):
    """The sum over classes of count times number of words."""
    sizes = Counter(class_of.values())
    return sum(int(bigrams.counts[word]) * sizes[c] for word, c in class_of.items())


def best_merge(bigrams, class_of, slots, penalty=0.0):
    """The merge after which the objective is highest: (class kept, class merged)."""
    best = None
    for s, t in itertools.combinations(sorted(slots), 2):
        merged = {word: s if c == t else c for word, c in class_of.items()}
        value = information(class_table(bigrams, merged), class_unigrams(bigrams, merged))
        value -= fixed(penalty) * class_cost(bigrams, merged)
        if best is None or value > best[0]:
            best = value, s, t
    _, s, t = best
    unigram = class_unigrams(bigrams, class_of)
    return (t, s) if unigram[t] > unigram[s] else (s, t)


def oracle(bigrams, classes: int, penalty=0.0) -> tuple[list[int], list[tuple[int, int]]]:
    """Window and tree of Brown et al., every candidate computed from the start."""
    words = len(bigrams.words)
    class_of: dict[int, int] = {word: word for word in range(min(classes, words))}
    empty = classes
    for word in range(classes, words):
        class_of[word] = empty
        keep, gone = best_merge(bigrams, class_of, range(classes + 1), penalty)
        class_of = {w: keep if c == gone else c for w, c in class_of.items()}
        empty = gone
    window = [c - (c > empty) for _, c in sorted(class_of.items())]

    class_of = dict(enumerate(window))
    merges = []
    slots = set(window)
    while len(slots) > 1:
        keep, gone = best_merge(bigrams, class_of, slots)
        class_of = {w: keep if c == gone else c for w, c in class_of.items()}
        slots.remove(gone)
        merges.append((keep, gone))
    return window, merges


def random_text(seed: int, words: int = 12, lines: int = 25) -> list[str]:
    rng = random.Random(seed)  # noqa: S311
    weights = [1 / (rank + 1) for rank in range(words)]
    return [
        " ".join(f"w{w}" for w in rng.choices(range(words), weights, k=rng.randint(1, 7)))
        for _ in range(lines)
    ]


def run(bigrams, classes, refine, **options):
    return cluster(counts(bigrams), classes, refine, **options)


@pytest.mark.parametrize("seed", range(8))
@pytest.mark.parametrize("classes", [1, 2, 4, 7])
def test_window_and_tree_equal_brute_force(seed, classes):
    bigrams = count_bigrams(random_text(seed))
    window, merges = oracle(bigrams, classes)
    found = run(bigrams, classes, refine=False)
    assert found.start == found.classes == window
    assert found.merges == merges


def test_window_equals_brute_force_on_more_words():
    bigrams = count_bigrams(random_text(99, words=24, lines=40))
    window, merges = oracle(bigrams, 6)
    found = run(bigrams, 6, refine=False)
    assert (found.start, found.merges) == (window, merges)


@pytest.mark.parametrize("seed", range(4))
def test_exchange_alone_moves_words_from_frequent_ones_and_the_rest(seed):
    bigrams = count_bigrams(random_text(seed, words=20, lines=60))
    found = exchange_cluster(bigrams, 5)
    start = np.minimum(np.arange(len(bigrams.words)), 4).astype(np.int32)
    before = average_mutual_information(bigrams, start)
    assert found.start_mutual_information == pytest.approx(before)
    assert found.average_mutual_information > before
    class_of = found.class_of
    ids = np.array([class_of[word] for word in bigrams.words])
    for word, c in itertools.product(range(len(ids)), range(5)):
        moved = ids.copy()
        moved[word] = c
        if len(set(moved)) == 5:
            now = average_mutual_information(bigrams, moved)
            assert now <= found.average_mutual_information + 1e-9


def bins(lines, classes, **settings):
    found = frequency_bins(count_bigrams(lines), classes, **settings)
    sets = [set() for _ in found.bits]
    for word, c in found.class_of.items():
        sets[c].add(word)
    return sorted(sets, key=lambda one: min(one))


def test_bins_of_equal_frequency_by_hand():
    # 8 a, 4 b, 2 c, 1 d, 1 e: of 16, three bins end at 5.33, 10.67 and 16; a alone passes the
    # first end, and a and b the second.
    text = ["a " * 8 + "b " * 4 + "c c d e"]
    assert bins(text, 3) == [{"a"}, {"b"}, {"c", "d", "e"}]
    # Square roots 2.83, 2, 1.41, 1, 1 of 8.24: two bins end at 4.12 and 8.24.
    assert bins(text, 2, square_root=True) == [{"a", "b"}, {"c", "d", "e"}]
    # No bin is empty: the last words have one each.
    assert bins(text, 4) == [{"a"}, {"b"}, {"c"}, {"d", "e"}]
    assert bins(text, 5) == bins(text, 9) == [{"a"}, {"b"}, {"c"}, {"d"}, {"e"}]


def test_bins_are_leaves_of_a_tree():
    bigrams = count_bigrams(random_text(1, words=30, lines=80))
    found = frequency_bins(bigrams, 6)
    assert sum(2.0 ** -len(bits) for bits in found.bits) == 1
    assert len(found.bits) == 6
    assert found.start_mutual_information == found.average_mutual_information


@pytest.mark.parametrize("seed", range(4))
def test_tree_is_built_over_the_refined_classes(seed):
    bigrams = count_bigrams(random_text(seed, words=20, lines=60))
    found = run(bigrams, 5, refine=True)
    class_of, slots = dict(enumerate(found.classes)), set(range(5))
    for keep, gone in found.merges:
        assert (keep, gone) == best_merge(bigrams, class_of, slots)
        class_of = {w: keep if c == gone else c for w, c in class_of.items()}
        slots.remove(gone)


def test_order_of_lines_does_not_matter():
    lines = random_text(5, words=40, lines=200)
    one, other = (brown_cluster(count_bigrams(text), 6) for text in (lines, lines[::-1]))
    assert one.words == other.words
    assert one.bits == other.bits
    assert one.class_ids.tolist() == other.class_ids.tolist()


def test_words_of_one_kind_come_together():
    rng = random.Random(3)  # noqa: S311
    kinds = [["the", "a"], ["cat", "dog", "cow"], ["sees", "hears"], ["<unk>", "it", "me"]]
    text = [" ".join(rng.choice(kind) for kind in kinds) for _ in range(400)]
    found = brown_cluster(count_bigrams(text), 4)
    classes = [{found.class_of[word] for word in kind} for kind in kinds]
    assert all(len(c) == 1 for c in classes)
    assert len(set.union(*classes)) == 4


def test_as_many_classes_as_words():
    bigrams = count_bigrams(["a b a", "c"])
    found = brown_cluster(bigrams, 9)
    assert len(found.bits) == 3
    assert sorted(found.class_ids) == [0, 1, 2]
    assert found.average_mutual_information == pytest.approx(
        average_mutual_information(bigrams, np.arange(3, dtype=np.int32))
    )


def test_one_class():
    found = brown_cluster(count_bigrams(["a b a", "c"]), 1)
    assert found.bits == ("",)
    assert found.words == ("a", "b", "c")
    assert found.counts.tolist() == [2, 1, 1]


def test_text_of_one_word():
    found = brown_cluster(count_bigrams(["hello"]))
    assert (found.words, found.bits) == (("hello",), ("",))
    # boundary, hello and hello, boundary, each half of the bigrams: one bit
    assert found.average_mutual_information == pytest.approx(math.log(2))


@pytest.mark.parametrize("lines", [[], ["", "  "]])
def test_empty_text(lines):
    with pytest.raises(InputError, match="the text is empty"):
        brown_cluster(count_bigrams(lines))


@pytest.mark.parametrize("method", [brown_cluster, exchange_cluster, frequency_bins])
def test_no_classes(method):
    with pytest.raises(InputError, match="cannot make 0 classes"):
        method(count_bigrams(["a b"]), 0)


def test_default_class_count():
    assert default_class_count(8100) == 270
    assert default_class_count(6) == 6


def test_billions_of_words_are_counted():
    """Counts beyond 31 bits: the classes are those of a text 10^8 times as short."""
    bigrams = count_bigrams(["a x"] * 5 + ["b x"] * 4 + ["c y"] * 3 + ["d y"] * 2)
    large = replace(
        bigrams,
        counts=10**8 * bigrams.counts,
        sentences=10**8 * bigrams.sentences,
        number=10**8 * bigrams.number,
    )
    assert 2**31 < large.number.sum() < 2**32
    for class_of in (brown_cluster(bigrams, 4).class_of, brown_cluster(large, 4).class_of):
        assert class_of["a"] == class_of["b"]
        assert class_of["c"] == class_of["d"]
        assert len(set(class_of.values())) == 4


def test_a_text_of_too_many_words_is_refused():
    bigrams = replace(count_bigrams(["a b"]), number=np.array([1, 2**32 - 3, 1]))
    assert len(brown_cluster(bigrams).words) == 2
    with pytest.raises(InputError, match="8,589,934,590 pairs of neighbouring words"):
        brown_cluster(replace(bigrams, number=2 * bigrams.number))


@pytest.mark.parametrize(
    ("unigram", "first", "count", "classes", "error"),
    [
        ([1], [0], [1], 1, ValueError),
        ([1, 1], [2], [1], 1, ValueError),
        ([1, 1], [-1], [1], 1, ValueError),
        ([1, 1], [0], [0], 1, ValueError),
        ([1, 1], [0], [1], 0, ValueError),
        ([1, 1], [0], [2**32], 1, OverflowError),
        ([1, 1], [0, 0], [1, 2**63 - 1], 1, OverflowError),
    ],
)
def test_compiled_code_checks_its_input(unigram, first, count, classes, error):
    arrays = (
        np.array(unigram, dtype=np.int64),
        np.array(first, dtype=np.int32),
        np.zeros(len(first), dtype=np.int32),
        np.array(count, dtype=np.int64),
    )
    with pytest.raises(error):
        cluster(Bigrams(*arrays), classes, True)


@pytest.mark.parametrize(("start", "says"), [([0, 2], "range"), ([0], "each"), ([1, 1], "without")])
def test_given_classes_are_checked(start, says):
    bigrams = count_bigrams(["a b a"])
    of = np.array(start, dtype=np.int32)
    with pytest.raises(ValueError, match=says):
        arrange(counts(bigrams), of, True)
