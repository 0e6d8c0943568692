"""Speed-regularised clustering, against an oracle that recomputes the objective for every move."""

import itertools
import math

import numpy as np
import pytest
from test_classes_brown import best_merge, oracle, random_text, run

from nlmt.classes import (
    average_mutual_information,
    brown_cluster,
    class_measures,
    count_bigrams,
    speed_regularised_cluster,
)


def objective(bigrams, ids, penalty):
    share = bigrams.counts / (bigrams.counts.sum() + bigrams.sentences)
    size = np.bincount(ids)[ids]
    return average_mutual_information(bigrams, ids) - penalty * float(share @ size)


@pytest.mark.parametrize("seed", range(4))
@pytest.mark.parametrize("penalty", [0.01, 0.1, 1.0])
def test_window_equals_brute_force(seed, penalty):
    bigrams = count_bigrams(random_text(seed, words=14))
    window, merges = oracle(bigrams, 4, penalty)
    found = run(bigrams, 4, refine=False, penalty=penalty)
    assert found.start == found.classes == window
    assert found.merges == merges  # the tree is made for mutual information alone


@pytest.mark.parametrize("seed", range(4))
@pytest.mark.parametrize("penalty", [0.0, 0.01, 0.1, 1.0])
def test_exchange_ends_where_no_single_move_helps(seed, penalty):
    bigrams = count_bigrams(random_text(seed, words=20, lines=60))
    found = run(bigrams, 5, refine=True, penalty=penalty)
    ids = np.array(found.classes)
    assert set(found.classes) == set(range(5))
    best = objective(bigrams, ids, penalty)
    assert best >= objective(bigrams, np.array(found.start), penalty) - 1e-9
    for word, c in itertools.product(range(len(ids)), range(5)):
        moved = ids.copy()
        moved[word] = c
        if len(set(moved.tolist())) == 5:
            assert objective(bigrams, moved, penalty) <= best + 1e-9


def test_weight_trades_mutual_information_for_speed():
    bigrams = count_bigrams(random_text(1, words=60, lines=300))
    plain = brown_cluster(bigrams, 8)
    none = speed_regularised_cluster(bigrams, 8, weight=0)
    assert (none.words, none.bits) == (plain.words, plain.bits)
    sizes = [
        speed_regularised_cluster(bigrams, 8, weight=weight).expected_class_size
        for weight in (0, 1, 1000)
    ]
    assert sizes == sorted(sizes, reverse=True)
    assert sizes[-1] < 0.8 * sizes[0]


def test_cost_alone_is_least_with_words_of_a_class_equally_frequent():
    # Eight words that occur equally often in two classes: 4 and 4, whatever their neighbours.
    bigrams = count_bigrams(["a b c d e f g h"] * 3)
    found = speed_regularised_cluster(bigrams, 2, weight=1000)
    assert np.bincount(found.class_ids).tolist() == [4, 4]
    assert found.expected_class_size == 4


def test_measures_by_hand():
    # Bigrams: | a, a b, b |: each word tells the next, and the classes are the words.
    bigrams = count_bigrams(["a b", "a b"])
    found = class_measures(brown_cluster(bigrams, 2), bigrams)
    assert found["average_mutual_information_bits"] == pytest.approx(math.log2(3))
    assert found["perplexity"] == pytest.approx(1)
    assert (found["expected_class_size"], found["expected_products"]) == (1, 3)
    assert found["expected_path"] == 1
    # One class: after | and within it the class is certain at 1/1 and 1/2, the word at 1/2.
    found = class_measures(brown_cluster(bigrams, 1), bigrams)
    assert found["perplexity"] == pytest.approx((1 * 2 * 2 * 2 * 2) ** (1 / 3))
    assert (found["expected_class_size"], found["expected_products"]) == (2, 3)


def word_merges(bigrams, ids):
    """The merges of the words of each class beside the other classes, then of the classes."""
    merges = []
    names = {}
    for c in range(max(ids) + 1):
        members = [word for word, of in enumerate(ids) if of == c]
        class_of = {w: ("other", of) for w, of in enumerate(ids) if of != c}
        class_of |= {word: slot for slot, word in enumerate(members)}
        name = dict(enumerate(members))
        while len(name) > 1:
            keep, gone = best_merge(bigrams, class_of, name)
            merges.append((name[keep], name.pop(gone)))
            class_of = {w: keep if of == gone else of for w, of in class_of.items()}
        (names[c],) = name.values()
    class_of, slots = dict(enumerate(ids)), set(ids)
    while len(slots) > 1:
        keep, gone = best_merge(bigrams, class_of, slots)
        merges.append((names[keep], names[gone]))
        class_of = {w: keep if of == gone else of for w, of in class_of.items()}
        slots.remove(gone)
    return merges


@pytest.mark.parametrize("seed", range(4))
@pytest.mark.parametrize("classes", [1, 3, 12])
def test_word_tree_equals_brute_force(seed, classes):
    bigrams = count_bigrams(random_text(seed))
    found = run(bigrams, classes, refine=True, word_tree=True)
    assert found.merges == word_merges(bigrams, found.classes)
