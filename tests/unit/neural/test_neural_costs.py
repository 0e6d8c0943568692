import numpy as np
import pytest

from benchmarks.neural_costs import parameter_count, products, training_bytes
from nlmt.neural import NeuralConfig
from nlmt.neural.outputs.classes import WordClasses
from nlmt.neural.outputs.full import Flat

CLASSES = WordClasses(np.repeat(np.arange(3, dtype=np.int32), 4))  # 12 words, 3 classes of 4


@pytest.mark.parametrize(
    ("settings", "layout", "by_hand"),
    [
        ({"noise": 7}, CLASSES, 10 * (8 + 8)),
        ({"objective": "likelihood"}, CLASSES, 10 * (3 + 4)),
        ({"output": "full", "noise": 7}, Flat(12), 10 * 8),
        ({"output": "full", "objective": "likelihood", "hidden": [6]}, Flat(12), 60 + 6 * 12),
        (
            {"projection": "full", "objective": "likelihood", "output": "full"},
            Flat(12),
            4 * 100 + 120,
        ),
        (
            {"projection": "concatenation", "objective": "likelihood", "hidden": [6, 5]},
            CLASSES,
            40 * 6 + 6 * 5 + 5 * 7,
        ),
        ({"network": "lstm", "objective": "likelihood", "layers": 2}, CLASSES, 2 * 800 + 70),
    ],
    ids=str,
)
def test_products_by_hand(settings, layout, by_hand):
    config = NeuralConfig.from_dict({"dim": 10} | settings)
    assert products(config, layout, path=4) == by_hand


def test_memory_by_hand():
    config = NeuralConfig.from_dict({"dim": 10, "optimiser": "adam"})
    # Embeddings, contexts, classes, words.
    numbers = 12 * 10 + 4 * 10 + 3 * 11 + 12 * 11
    assert parameter_count(config, CLASSES) == numbers
    assert training_bytes(config, CLASSES) == 4 * 4 * numbers
