"""What a transformer remembers, shared by sentences that begin alike."""

import numpy as np

from nlmt.neural.scoring.prefixes import Prefixes, join_rows


def words(prefixes):
    """The words of each sentence, a letter each, where blocks are lists of letters."""
    result = [[""] * len(prefixes) for _ in range(prefixes.block.shape[1])]
    flat = [letter for column in result for letter in column]
    for block, rows, places in prefixes.indices():
        for row, place in zip(rows, places, strict=True):
            flat[place] = block[row]
    n = len(prefixes)
    return ["".join(flat[i::n]) for i in range(n)]


def test_sentences_share_their_beginnings():
    two = Prefixes.empty(2).and_then(["a", "b"])
    assert words(two) == ["a", "b"]
    four = two[np.array([0, 0, 1, 1])].and_then(["c", "d", "e", "f"])
    assert words(four) == ["ac", "ad", "be", "bf"]
    assert four.blocks[0] is two.blocks[0]
    joined = join_rows([Prefixes.empty(1), four[np.array([3, 0])], two])
    assert words(joined) == ["", "bf", "ac", "a", "b"]
    assert joined.lengths.tolist() == [0, 2, 2, 1, 1]
    assert len(joined.blocks) == 2
    longer = joined.and_then(["x", "y", "z", "u", "v"])
    assert words(longer) == ["x", "bfy", "acz", "au", "bv"]


def test_what_nobody_names_goes():
    two = Prefixes.empty(2).and_then(["a", "b"])
    joined = Prefixes.join([two.and_then(["c", "d"]), two])
    assert len(joined[np.array([0, 2])].blocks) == 2
    short = joined[np.array([3])]
    assert words(short) == ["b"]
    assert len(short.blocks) == 1
    assert short.block.shape == (1, 1)
    none = joined[np.zeros(0, np.int64)]
    assert (len(none), none.blocks) == (0, ())
