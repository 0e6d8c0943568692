"""Dev perplexity of a model in training on a GPU: torch's scores of n-grams are the kernel's."""

import numpy as np
import pytest

from benchmarks.gpu_check import CASES
from benchmarks.neural_gpu import (
    Words,
    first_parameters,
    make_layout,
    make_minibatches,
    take,
    zipf_counts,
)
from nlmt.neural import NeuralConfig
from nlmt.neural.parameters import TrainingState
from nlmt.neural.score.ngrams import NgramScorer
from nlmt.neural.torch_backend.engine import WindowEngine
from nlmt.neural.torch_backend.window_network import TorchNgrams
from nlmt.neural.train.ranks import ALONE


@pytest.mark.parametrize(
    "name", ["nce", "nce, full output", "classes", "context matrices", "tree", "deep", "cslm"]
)
def test_torch_scores_n_grams_as_the_kernel_does(name: str) -> None:
    counts = zipf_counts(300)
    keys = {**CASES[name], "engine": "torch", "device": "cpu"}
    config = NeuralConfig.from_dict(keys)
    layout, _ = make_layout(config, counts)
    state = TrainingState.first(first_parameters(config, layout, counts), config)
    engine = WindowEngine(config, layout, counts, state, 1, ALONE)
    take(engine, make_minibatches(config, Words(counts), 600), 0)  # not the first parameters
    ngrams = Words(counts).draw(500, config.order)
    contexts, words = np.ascontiguousarray(ngrams[:, :-1]), ngrams[:, -1].copy()
    scorer = NgramScorer(config, layout, TorchNgrams(engine._network), 1, None)
    for normalised in (True, False):
        ours, theirs = (
            one.ngrams(contexts, words, normalised=normalised)[0]
            for one in (scorer, engine.scorer())
        )
        np.testing.assert_allclose(ours, theirs, atol=1e-5)
