"""Models of random parameters over a small vocabulary, and kinds of networks over sentences."""

import numpy as np

from nlmt.neural import NeuralConfig, NeuralLM
from nlmt.neural.outputs.classes import WordClasses
from nlmt.neural.outputs.full import Flat
from nlmt.neural.outputs.tree import WordTree
from nlmt.neural.parameters import shapes
from nlmt.vocabulary import Vocabulary

VOCABULARY = Vocabulary(("<unk>", "<s>", "</s>", *"abcdefgh"))
LAYOUTS = {
    "full": Flat(len(VOCABULARY)),
    "class-factored": WordClasses(np.array([0, 1, 1, 2, 2, 2, 2, 3, 3, 4, 0], dtype=np.int32)),
    "tree-factored": WordTree.huffman(np.array([3.0, 0, 5, 8, 7, 6, 5, 4, 3, 2, 1])),
}
# Networks over sentences, and such with an output layer each.
NETWORKS = [
    {"network": "elman"},
    {"network": "gru", "layers": 2},
    {"network": "lstm"},
    {"network": "transformer", "layers": 2, "heads": 2},
]
DIRECT = {"direct_features": 50, "direct_order": 3}
KINDS = [
    {**NETWORKS[0], "output": "class-factored", **DIRECT},
    {**NETWORKS[1], "output": "tree-factored"},
    {**NETWORKS[2], "output": "full", **DIRECT},
    {**NETWORKS[3], "output": "class-factored"},
    {**NETWORKS[0], "output": "tree-factored", **DIRECT},
    {**NETWORKS[3], "output": "full", **DIRECT},
]


def random_model(settings, threads=1):
    config = NeuralConfig.from_dict({"objective": "likelihood", **settings})
    layout = LAYOUTS[config.output]
    random = np.random.default_rng(1)
    parameters = {
        name: random.normal(scale=0.8, size=shape).astype(np.float32)
        for name, shape in shapes(config, layout).items()
    }
    return NeuralLM(config, VOCABULARY, layout, parameters, threads=threads)
