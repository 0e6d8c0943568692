"""What a transformer remembers, shared by sentences that begin alike, and attention to it."""

import numpy as np
import pytest
import torch

from nlmt.neural import _kernel
from nlmt.neural.outputs.full import Flat
from nlmt.neural.parameters import shapes
from nlmt.neural.score.prefixes import Prefixes, join_rows
from nlmt.neural.settings.neural import NeuralConfig
from nlmt.neural.source.vectors import SourceVectors
from nlmt.neural.torch_backend.transformer import TransformerReader

LAYERS, HEADS, SIZE = 2, 3, 21  # more numbers than a vector of any machine has, and odd
RANDOM = np.random.default_rng(2)


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


def some_prefixes(n):
    """Sentences of 0 to 5 words that share some, with rows of random numbers."""

    def block(rows):
        return RANDOM.normal(size=(rows, 2 * LAYERS, HEADS * SIZE))

    prefixes = Prefixes.join([Prefixes.empty(1), Prefixes.empty(3).and_then(block(3))])
    for _ in range(4):
        some = prefixes[RANDOM.integers(0, len(prefixes), n)]
        prefixes = Prefixes.join([prefixes, some.and_then(block(n))])
    return prefixes[RANDOM.permutation(len(prefixes))]


def attend_one(prefixes, i, layer, query, key, value):
    """The equation word by word, for one sentence."""
    named = [
        prefixes.blocks[block][row]
        for block, row in zip(prefixes.block[i], prefixes.row[i], strict=True)
        if block >= 0
    ]
    keys = np.array([*(row[2 * layer] for row in named), key]).reshape(-1, HEADS, SIZE)
    values = np.array([*(row[2 * layer + 1] for row in named), value]).reshape(-1, HEADS, SIZE)
    logits = np.einsum("hd,phd->hp", query.reshape(HEADS, SIZE), keys) / np.sqrt(SIZE)
    weights = np.exp(logits) / np.exp(logits).sum(axis=1, keepdims=True)
    return np.einsum("hp,phd->hd", weights, values).ravel()


@pytest.mark.threads
@pytest.mark.parametrize("threads", [1, 3])
@pytest.mark.parametrize(("bits", "error"), [("32", 1e-5), ("64", 1e-12)])
def test_attention_is_that_of_the_equation(bits, error, threads):
    prefixes = some_prefixes(30)
    assert set(prefixes.lengths) == {0, 1, 2, 3, 4, 5}
    kind = np.float32 if bits == "32" else np.float64
    own = RANDOM.normal(size=(3, len(prefixes), HEADS * SIZE))
    attention = getattr(_kernel, f"PrefixAttention{bits}")(HEADS, SIZE, threads)
    for layer in range(LAYERS):
        found = attention.attend(
            [block.astype(kind) for block in prefixes.blocks],
            np.ascontiguousarray(prefixes.block),
            np.ascontiguousarray(prefixes.row),
            layer,
            *own.astype(kind),
        )
        for i, row in enumerate(found):
            expected = attend_one(prefixes, i, layer, *own[:, i])
            np.testing.assert_allclose(row, expected, rtol=error, atol=error)


@pytest.mark.parametrize(("place", "value"), [("block", 2), ("row", 5), ("row", -1)])
def test_attention_stays_within_the_blocks(place, value):
    attention = _kernel.PrefixAttention64(1, 4, 1)
    own = np.zeros((1, 4))
    at = {"block": np.zeros((1, 1), np.int32), "row": np.zeros((1, 1), np.int32)}
    at[place][:] = value
    with pytest.raises(ValueError, match=f"{place} out of range"):
        attention.attend([np.zeros((5, 2, 4))], at["block"], at["row"], 0, own, own, own)


def random_reader(**keys):
    config = NeuralConfig(dim=8, network="transformer", layers=2, heads=2, **keys)
    layout = Flat(9)
    parameters = {
        name: RANDOM.normal(size=shape).astype(np.float32)
        for name, shape in shapes(config, layout).items()
    }
    return TransformerReader(config, layout, parameters, threads=1)


def test_reading_in_place_equals_reading_copies():
    reader = random_reader()
    nothing = torch.zeros(5, 1, 0)
    prefixes = Prefixes.empty(5)
    for taken in ([0, 1, 2, 3, 4], [3, 3, 0, 1, 1], [4, 0, 0, 2, 1]):
        prefixes = Prefixes.join([prefixes, Prefixes.empty(1)])[np.array([*taken[:4], 5])]
        words = RANDOM.integers(0, 9, 5).astype(np.int32)
        column = torch.from_numpy(words.astype(np.int64))[:, None]
        with torch.inference_mode():
            expected = reader._read_copies(prefixes, column, nothing)
            found = reader._read_in_place(prefixes, column, nothing)
        for one, other in zip(found, expected, strict=True):
            torch.testing.assert_close(one, other, rtol=1e-4, atol=1e-5)
        ((prefixes,),) = reader.read(((prefixes,),), words, SourceVectors.nothing(5))[1]


def test_a_model_for_the_cpu_is_read_there(monkeypatch):
    monkeypatch.setattr(torch.cuda, "is_available", lambda: True)
    assert random_reader(device="cpu")._device.type == "cpu"
