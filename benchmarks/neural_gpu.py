"""Training speed of the papers' models and of an LSTM at full size, on the GPU if there is one.

One command on a machine with a GPU: python -m benchmarks neural_gpu

Words are drawn by Zipf's law, so that no corpus is needed: a step touches as many rows as one of
real text. On a GPU the products are in bfloat16, on a CPU the engine is what `engine: auto`
chooses. Peak speed is that of a large matrix product of the same precision, measured here.
Every model is projected on two billion words, beside what Baltescu and Blunsom (2015) report.
"""

import time
from collections.abc import Callable
from typing import TypeVar

import numpy as np
import torch

from nlmt.neural import NeuralConfig
from nlmt.neural.outputs.classes import WordClasses
from nlmt.neural.outputs.full import Flat
from nlmt.neural.outputs.layout import OutputLayout
from nlmt.neural.outputs.tree import WordTree
from nlmt.neural.parameters import TrainingState, initial
from nlmt.neural.train.costs import OPERATIONS, parameter_count, products, training_bytes
from nlmt.neural.train.epochs import Minibatch
from nlmt.neural.train.ranks import ALONE
from nlmt.neural.train.trainer import make_engine
from nlmt.vocabulary import SPECIAL, Vocabulary

WORDS = 2e9
# Of a whole training (Baltescu and Blunsom 2015, table 9); ours are of one epoch.
DAYS = {"nce": 1.2, "likelihood": 9.1}
THREADS = 2
SECONDS = 4.0  # of measuring, at least; after one step that is not counted
SENTENCE = 25

B = TypeVar("B")
Settings = dict[str, object]
PRAGMATIC: Settings = {"dim": 500, "minibatch": 10_000}
LIKELIHOOD: Settings = {"objective": "likelihood", "learning_rate": 0.1, "initial_square": 1.0}
DEEP: Settings = {  # Luong et al. 2015, section 3.2; layers of 512
    "order": 16,  # four words of the target and a window of eleven of the source
    "dim": 256,
    "projection": "concatenation",
    "output": "full",
    "objective": "self-normalised",
    "optimiser": "sgd",
    "minibatch": 128,
}
CSLM: Settings = {  # short-lists of Schwenk 2010, section 2; the other sizes are ours
    "order": 4,
    "dim": 320,
    "projection": "concatenation",
    "hidden": [512],
    "activation": "tanh",
    "output": "full",
    "objective": "likelihood",
    "optimiser": "sgd",
    "minibatch": 128,
}
# name: words, settings, days of the paper. A short-list costs what a full output over it does.
MODELS: dict[str, tuple[int, Settings, float | None]] = {
    "pragmatic, nce, 105k": (105_000, {**PRAGMATIC, "noise": 10}, DAYS["nce"]),
    "pragmatic, nce, 369k": (369_000, {**PRAGMATIC, "noise": 10}, None),
    "pragmatic, likelihood, 105k": (105_000, {**PRAGMATIC, **LIKELIHOOD}, DAYS["likelihood"]),
    "pragmatic, likelihood, 369k": (369_000, {**PRAGMATIC, **LIKELIHOOD}, None),
    "pragmatic, Huffman tree, 369k": (
        369_000,
        {**PRAGMATIC, **LIKELIHOOD, "output": "tree-factored"},
        None,
    ),
    "deep, 1 layer": (40_000, {**DEEP, "hidden": [512]}, None),
    "deep, 4 layers": (40_000, {**DEEP, "hidden": [512] * 4}, None),
    "joint, Elman": (
        105_000,
        {  # Auli et al. 2013, section 4; the vocabulary is ours
            "network": "elman",
            "dim": 100,
            "direct_features": 1 << 24,
            "direct_order": 3,
            "objective": "likelihood",
            "minibatch": 2_000,
        },
        None,
    ),
    "lstm, 2 layers of 650": (
        105_000,
        {"network": "lstm", "dim": 650, "layers": 2, **LIKELIHOOD, "minibatch": 2_000},
        None,
    ),
    "cslm, short-list of 8k": (8_192, CSLM, None),
    "cslm, short-list of 12k": (12_288, CSLM, None),
}


def run() -> list[dict[str, object]]:
    """Rows of step, figure, unit, reference_tool, reference_figure and note."""
    gpu = torch.cuda.is_available()
    torch.set_num_threads(THREADS)
    peak = _peak(gpu)
    where = torch.cuda.get_device_name() if gpu else f"CPU, {THREADS} threads"
    rows: list[dict[str, object]] = [
        {"step": "large matrix product", "figure": peak / 1e9, "unit": "GFLOP/s", "note": where}
    ]
    if not gpu:
        note = "no GPU here: not measured on one; what follows is the CPU's"
        rows.append({"step": "GPU", "figure": "not measured", "note": note})
    for name, (words, settings, days) in MODELS.items():
        rows += measure(name, words, settings, days, peak, gpu=gpu)
    return rows


def measure(
    name: str, words: int, settings: Settings, days: float | None, peak: float, *, gpu: bool
) -> list[dict[str, object]]:
    """Tokens a second of one model, the share of the peak, the days for two billion words."""
    device = {"device": "gpu", "precision": "bfloat16"} if gpu else {}
    config = NeuralConfig.from_dict({**settings, **device})
    counts = zipf_counts(words)
    layout, path = make_layout(config, counts)
    pace = training_pace(config, layout, counts)
    share = pace * OPERATIONS * products(config, layout, path) / peak
    size = parameter_count(config, layout) / 1e6
    memory = training_bytes(config, layout) / 1e9
    note = f"{share:.1%} of the matrix product; {size:,.0f} million numbers, {memory:.1f} GB"
    return [
        {"step": name, "figure": round(pace), "unit": "tokens/s", "note": note},
        {
            "step": f"{name}: {WORDS:,.0f} words",
            "figure": round(WORDS / pace / 86_400, 2),
            "unit": "days",
            "reference_tool": "" if days is None else "OxLM",
            "reference_figure": "" if days is None else days,
            "note": "one epoch",
        },
    ]


def zipf_counts(words: int) -> np.ndarray:
    """Counts by Zipf's law of each of `words` words in a text of a billion."""
    counts = 1e9 / (np.arange(words, dtype=np.float64) + 2.7)
    counts[1] = 0.0  # <s>
    return counts


class Words:
    """Random words by their counts."""

    def __init__(self, counts: np.ndarray) -> None:
        """Words with the given counts."""
        self._shares = np.cumsum(counts / counts.sum())
        self._random = np.random.default_rng(1)

    def draw(self, rows: int, width: int) -> np.ndarray:
        """Numbers of words (rows, width)."""
        drawn = np.searchsorted(self._shares, self._random.random((rows, width)) * self._shares[-1])
        words: np.ndarray = np.minimum(drawn, len(self._shares) - 1).astype(np.int32)
        return words


def pace_of(minibatch: Callable[[], tuple[B, int]], train: Callable[[B, int], object]) -> float:
    """Tokens a second of training, without making the minibatches.

    Args:
        minibatch: the next one, and its number of tokens.
        train: a step along it, given the number of those before.
    """
    done, tokens = 0.0, 0
    for step in range(1000):
        batch, examples = minibatch()
        begin = time.perf_counter()
        train(batch, step * examples)
        if step > 0:
            done, tokens = done + time.perf_counter() - begin, tokens + examples
        if done > SECONDS:
            break
    return tokens / done


def training_pace(config: NeuralConfig, layout: OutputLayout, counts: np.ndarray) -> float:
    """Tokens a second of training a model of these settings."""
    words = Words(counts)
    vocabulary = Vocabulary((*SPECIAL, *(f"w{i}" for i in range(len(counts) - len(SPECIAL)))))
    parameters = initial(config, layout, counts, vocabulary)
    state = TrainingState.first(parameters, config)
    engine = make_engine(config, layout, counts, state, THREADS, ALONE)

    rate = np.array([0.01])

    def minibatch() -> tuple[Minibatch, int]:
        n = config.minibatch
        if config.network == "feed-forward":
            rows = words.draw(n, config.order)
            return Minibatch.of_ngrams(rows), n
        sentences = max(n // SENTENCE, 1)
        n = sentences * SENTENCE
        rows = words.draw(sentences, SENTENCE + 1)
        return Minibatch.of_sentences(rows), n

    return pace_of(minibatch, lambda batch, first: engine.train([batch], first, 1, rate))


def make_layout(config: NeuralConfig, counts: np.ndarray) -> tuple[OutputLayout, float]:
    """Layout of an output layer, and mean number of words in a token's class or nodes on its path.

    There are 3 sqrt(V) classes, as in OxLM, with the words dealt out in turn.
    """
    words = len(counts)
    if config.output == "class-factored":
        count = round(3 * words**0.5)
        return WordClasses((np.arange(words) % count).astype(np.int32)), words / count
    if config.output == "tree-factored":
        tree = WordTree.huffman(counts)
        return tree, float(np.average(np.diff(tree.starts), weights=counts))
    return Flat(words), 0.0


def _peak(gpu: bool) -> float:
    """Operations a second of a large matrix product."""
    device, kind = ("cuda", torch.bfloat16) if gpu else ("cpu", torch.float32)
    n, times = (8192, 50) if gpu else (1536, 5)
    a, b = (torch.randn(n, n, device=device, dtype=kind) for _ in range(2))
    for turn in range(2):  # the first is not counted
        begin = time.perf_counter()
        for _ in range(times):
            product = a @ b
        float(product[0, 0])  # waits for the device
        if turn:
            return times * 2 * n**3 / (time.perf_counter() - begin)
    raise AssertionError
