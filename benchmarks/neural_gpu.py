"""Speed of the papers' models at full size, of an LSTM and of a transformer, on a GPU.

benchmarks/gpu.sh runs it on a machine that has torch and no network.

Words are drawn by Zipf's law, so that no corpus is needed: a step touches as many rows as one of
real text. Steps are taken as in training, some thousand examples a call; dropout is 0, as in the
papers. Each speed stands beside its ceiling: the time of the operations of a step at the speed of a
large matrix product of the same precision, or of the least bytes it moves at the speed of a copy,
whichever is longer, both measured here. Every model is projected on two billion words, beside what
Baltescu and Blunsom (2015) report.
"""

import time
from collections.abc import Callable, Iterator
from typing import TypeVar

import numpy as np
import torch

from benchmarks.frames import Row
from benchmarks.neural_costs import (
    embedded_words,
    output_rows,
    parameter_count,
    products,
    step_passes,
    training_bytes,
)
from nlmt.neural import NeuralConfig
from nlmt.neural.kind import BYTES, OPERATIONS
from nlmt.neural.model import make_scorer
from nlmt.neural.outputs.classes import WordClasses
from nlmt.neural.outputs.full import Flat
from nlmt.neural.outputs.layout import OutputLayout
from nlmt.neural.outputs.tree import WordTree
from nlmt.neural.parameters import TrainingState, initial, shapes
from nlmt.neural.parts import OBJECTIVES
from nlmt.neural.tensors import Parameters
from nlmt.neural.train.engine import Engine
from nlmt.neural.train.epochs import Minibatch
from nlmt.neural.train.ranks import ALONE
from nlmt.neural.train.trainer import CALL_EXAMPLES, make_engine
from nlmt.vocabulary import SPECIAL, Vocabulary

WORDS = 2e9
# Of a whole training (Baltescu and Blunsom 2015, table 9); ours are of one epoch.
DAYS = {"nce": 1.2, "likelihood": 9.1}
THREADS = 2
SECONDS = 1.5  # of measuring, at least; after one call that is not counted
SENTENCE = 25
NGRAMS = 1_000_000
SENTENCES = 50
LIST = 100  # hypotheses of a sentence

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
TRANSFORMER: Settings = {
    "network": "transformer",
    "dim": 512,
    "layers": 4,
    "heads": 8,
    "output": "full",
    "objective": "likelihood",
    "optimiser": "adam",
    "minibatch": 4_000,
}
# name: words, settings, days of the paper. A short-list costs what a full output over it does.
MODELS: dict[str, tuple[int, Settings, float | None]] = {
    "pragmatic, nce": (105_000, {**PRAGMATIC, "noise": 10}, DAYS["nce"]),
    "pragmatic, likelihood": (105_000, {**PRAGMATIC, **LIKELIHOOD}, DAYS["likelihood"]),
    "pragmatic, Huffman tree": (
        105_000,
        {**PRAGMATIC, **LIKELIHOOD, "output": "tree-factored"},
        None,
    ),
    "deep, 1 layer": (40_000, {**DEEP, "hidden": [512]}, None),
    "deep, 4 layers": (40_000, {**DEEP, "hidden": [512] * 4}, None),
    "cslm, short-list of 8k": (8_192, CSLM, None),
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
    "lstm, 1 layer of 1024": (
        105_000,
        {"network": "lstm", "dim": 1024, **LIKELIHOOD, "minibatch": 2_000},
        None,
    ),
    "transformer, 4 layers of 512": (40_000, TRANSFORMER, None),
}


def run() -> Iterator[Row]:
    """Measure all models, row by row; nothing without a GPU."""
    if not torch.cuda.is_available():
        note = "no GPU here; neural_cpu measures the processor"
        yield {"step": "GPU", "figure": "not measured", "note": note}
        return
    torch.set_num_threads(THREADS)
    where = f"{torch.cuda.get_device_name()}, torch {torch.__version__}"
    copied = copy_rate(1 << 28, "cuda")
    yield {"step": "copy, read and written", "figure": round(copied / 1e9), "unit": "GB/s"}
    peaks = {}
    for precision in ("float32", "tf32", "bfloat16"):
        peaks[precision] = peak_rate(precision, 8192, "cuda")
        figure = round(peaks[precision] / 1e9)
        row: Row = {"step": "large matrix product", "setting": precision, "figure": figure}
        yield row | {"unit": "GFLOP/s", "note": where}
    for name in MODELS:
        yield from measure(name, *MODELS[name], {p: (peak, copied) for p, peak in peaks.items()})
    yield from scoring()


def measure(
    name: str,
    words: int,
    settings: Settings,
    days: float | None,
    ceilings: dict[str, tuple[float, float]],
) -> Iterator[Row]:
    """Tokens a second of one model, its share of the ceiling, days for two billion words.

    `ceilings` are the operations and the bytes a second of each precision.
    """
    counts = zipf_counts(words)
    start: Parameters = {}
    paces = []
    for precision, ceiling in ceilings.items():
        device = {"device": "gpu" if torch.cuda.is_available() else "cpu", "precision": precision}
        config = NeuralConfig.from_dict({**settings, "dropout": 0.0, **device})
        layout, path = make_layout(config, counts)
        start = start or first_parameters(config, layout, counts)
        paces.append(training_pace(config, layout, counts, start))
        share = paces[-1] * least_seconds(config, layout, path, *ceiling)
        size = parameter_count(config, layout) / 1e6
        memory = training_bytes(config, layout) / 1e9
        note = f"{size:,.0f} million numbers, {memory:.1f} GB"
        row: Row = {"step": name, "setting": precision, "note": note}
        yield row | {"figure": round(paces[-1]), "unit": "tokens/s"}
        yield row | {"figure": round(100 * share, 1), "unit": "% of the ceiling"}
    yield {
        "step": name,
        "setting": f"{WORDS:,.0f} words",
        "figure": round(WORDS / max(paces) / 86_400, 2),
        "unit": "days",
        "reference_tool": "" if days is None else "OxLM",
        "reference_figure": "" if days is None else days,
        "note": "one epoch, in the fastest precision",
    }


def least_seconds(
    config: NeuralConfig, layout: OutputLayout, path: float, operations: float, copied: float
) -> float:
    """Least time of a token at so many operations and bytes a second.

    Of tables only the rows of a token count.
    """
    contrasts = OBJECTIVES.get(config.objective).contrasts
    dim, above = config.hidden_dim, layout.shapes(config.hidden_dim)
    sizes = {name: np.prod(shape) for name, shape in shapes(config, layout).items()}
    by_row: dict[str, float] = {}
    by_row["embeddings"] = config.dim * embedded_words(config)
    choices = output_rows(config, layout, path) * dim
    sparse = contrasts or config.output == "tree-factored"
    if sparse:
        by_row |= {name: choices / len(above) for name in above}
    dense = sum(size for name, size in sizes.items() if name not in by_row and name != "direct")
    moved = BYTES * step_passes(config) * (sum(by_row.values()) + dense / config.minibatch)
    counted = OPERATIONS * products(config, layout, path)
    return float(max(counted / operations, moved / copied))


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
    """Tokens a second of training, without making the minibatches or computing dev perplexity.

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


def first_parameters(config: NeuralConfig, layout: OutputLayout, counts: np.ndarray) -> Parameters:
    """The parameters that training starts from."""
    vocabulary = Vocabulary((*SPECIAL, *(f"w{i}" for i in range(len(counts) - len(SPECIAL)))))
    return initial(config, layout, counts, vocabulary)


def make_minibatches(config: NeuralConfig, words: Words, examples: int) -> list[Minibatch]:
    """Minibatches of random words with at least so many examples in all."""
    n = config.minibatch
    if not config.reads_sentences:
        return [Minibatch.of_ngrams(words.draw(n, config.order)) for _ in range(-(-examples // n))]
    sizes = np.full(max(n // SENTENCE, 1), SENTENCE)
    count = -(-examples // int(sizes.sum()))
    return [
        Minibatch.of_sentences(words.draw(len(sizes), SENTENCE).ravel(), sizes)
        for _ in range(count)
    ]


def training_pace(
    config: NeuralConfig,
    layout: OutputLayout,
    counts: np.ndarray,
    start: Parameters | None = None,
    threads: int = THREADS,
) -> float:
    """Tokens a second of training a model of these settings."""
    words = Words(counts)
    start = start or first_parameters(config, layout, counts)
    state = TrainingState.first(start, config)
    engine = make_engine(config, layout, counts, state, threads, ALONE)
    on_gpu = config.device == "gpu"
    batches = make_minibatches(config, words, CALL_EXAMPLES if on_gpu else config.minibatch)
    if on_gpu:  # the first calls record the steps
        take(engine, batches, 0)
    return pace_of(
        lambda: (batches, sum(one.examples for one in batches)),
        lambda some, first: take(engine, some, first),
    )


def take(engine: Engine, minibatches: list[Minibatch], first: int) -> float:
    """Take a step along each of some minibatches; return the loss."""
    return engine.train(minibatches, first, 1, np.full(len(minibatches), 0.01))


def make_layout(config: NeuralConfig, counts: np.ndarray) -> tuple[OutputLayout, float]:
    """Layout of an output layer, and mean number of words in a token's class or nodes on its path.

    There are 3 sqrt(V) classes, as in OxLM; their sizes are spread like those of Brown clusters,
    by a factor of three about the mean, and frequent words are as likely in large ones as in
    small ones.
    """
    words = len(counts)
    if config.output == "class-factored":
        count = round(3 * words**0.5)
        shares = np.random.default_rng(2).lognormal(sigma=0.7, size=count)
        class_of = np.arange(words) % count
        rest = np.random.default_rng(3).choice(count, words - count, p=shares / shares.sum())
        class_of[count:] = rest
        sizes = np.bincount(class_of)
        mean = float(np.average(sizes[class_of], weights=counts))
        return WordClasses(class_of.astype(np.int32)), mean
    if config.output == "tree-factored":
        tree = WordTree.huffman(counts)
        return tree, float(np.average(np.diff(tree.starts), weights=counts))
    return Flat(words), 0.0


def scoring() -> Iterator[Row]:
    """Speed of scoring n-grams while a model trains, and of lists with a transformer."""
    for name in ("pragmatic, likelihood", "deep, 1 layer"):
        words, settings, _ = MODELS[name]
        counts = zipf_counts(words)
        config = NeuralConfig.from_dict({**settings, "dropout": 0.0, "device": "gpu"})
        layout, _ = make_layout(config, counts)
        state = TrainingState.first(first_parameters(config, layout, counts), config)
        scorer = make_engine(config, layout, counts, state, THREADS, ALONE).scorer()
        ngrams = Words(counts).draw(NGRAMS, config.order)
        contexts, targets = np.ascontiguousarray(ngrams[:, :-1]), ngrams[:, -1].copy()
        scorer.ngrams(contexts[:100], targets[:100])
        begin = time.perf_counter()
        scorer.ngrams(contexts, targets)
        pace = NGRAMS / (time.perf_counter() - begin)
        step = f"dev perplexity, {name}"
        yield {"step": step, "figure": round(pace), "unit": "n-grams/s", "note": f"of {NGRAMS:,}"}
    words, settings, _ = MODELS["transformer, 4 layers of 512"]
    config = NeuralConfig.from_dict({**settings, "dropout": 0.0})
    counts = zipf_counts(words)
    layout, _ = make_layout(config, counts)
    scorer = make_scorer(config, layout, first_parameters(config, layout, counts), THREADS)
    lists = make_lists(Words(counts), SENTENCES)
    offsets = np.arange(len(lists) + 1, dtype=np.int64) * SENTENCE
    scorer.events(lists[:2].ravel(), offsets[:3])
    begin = time.perf_counter()
    _, statistics = scorer.events(lists.ravel(), offsets)
    pace = lists.size / (time.perf_counter() - begin)
    note = f"{SENTENCES} lists of {LIST}; {statistics.distinct_contexts / lists.size:.0%} distinct"
    yield {"step": "lists, transformer", "figure": round(pace), "unit": "words/s", "note": note}


def make_lists(words: Words, sentences: int) -> np.ndarray:
    """Hypotheses (sentences * LIST, SENTENCE) which in a list differ in three words."""
    random = np.random.default_rng(4)
    lists = np.repeat(words.draw(sentences, SENTENCE), LIST, axis=0)
    for _ in range(3):
        places = random.integers(SENTENCE, size=len(lists))
        lists[np.arange(len(lists)), places] = words.draw(len(lists), 1)[:, 0]
    return lists


def copy_rate(size: int, device: str) -> float:
    """Bytes a second, read and written, of copies of so many numbers."""
    numbers = torch.zeros(size, device=device)
    copy = torch.empty_like(numbers)
    times = max(20, (1 << 30) // size)
    return 2 * BYTES * size * rate_of(lambda: copy.copy_(numbers), times)


def peak_rate(precision: str, n: int, device: str) -> float:
    """Operations a second of products of matrices (n, n)."""
    torch.backends.cuda.matmul.allow_tf32 = precision == "tf32"
    kind = torch.bfloat16 if precision == "bfloat16" else torch.float32
    a, b = (torch.randn(n, n, device=device, dtype=kind) for _ in range(2))
    return 2 * n**3 * rate_of(lambda: a @ b, 20)


def rate_of(work: Callable[[], torch.Tensor], times: int) -> float:
    """Calls a second of work on a device."""

    def seconds() -> float:
        begin = time.perf_counter()
        for _ in range(times):
            result = work()
        float(result.flatten()[0])  # waits for the device
        return time.perf_counter() - begin

    seconds()  # of a first turn, which is not counted
    return times / seconds()
