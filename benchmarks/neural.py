"""Training and scoring of feed-forward models, beside OxLM's figures for the class-factored one.

The text is the English side of the help corpus with singletons as `<unk>`, D 200, order 5, Brown
classes, two threads. OxLM was measured on another split of that corpus: its perplexities are to be
compared as shares of KenLM's on the same text.
"""

import tempfile
import time
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import numpy as np

from benchmarks.frames import Row
from nlmt.io.files import read_lines, write_lines
from nlmt.lm.kinds import TrainingData
from nlmt.lm.perplexity import measure
from nlmt.neural import NeuralConfig, NeuralLM, ScoringStatistics, Task, Trainer, encode
from nlmt.ngram import NgramModel, train_binary
from nlmt.vocabulary import SPECIAL, Vocabulary

PAIR = Path("results/help/fr-en")
CLASSES = "classes/default/brown.tsv"
THREADS = 2
KENLM = 53.8  # dev perplexity on the text that OxLM was measured on
Settings = dict[str, object]
# The rate and the first square that suit exact gradients, which are larger than NCE's.
LIKELIHOOD: Settings = {"objective": "likelihood", "learning_rate": 0.1, "initial_square": 1.0}
SLOW: Settings = {"minibatch": 1000, "initial_square": 1.0, "weight_decay": 1.0, "dropout": 0.3}
TREE: Settings = {**LIKELIHOOD, "output": "tree-factored"}
NCE, EXACT = "`nce`, 10 samples, the defaults", "`likelihood`, initial square 1, rate 0.1"
MODELS: dict[str, Settings] = {
    NCE: {},
    "`nce`, minibatch 1000, initial square 1, weight decay 1, dropout 0.3": SLOW,
    "the same with 20 samples": {**SLOW, "noise": 20},
    EXACT: LIKELIHOOD,
    "the same, D 400": {**LIKELIHOOD, "dim": 400},
    "tree, Brown": {**TREE, "tree": "brown"},
    "tree, Huffman": {**TREE, "tree": "huffman"},
}
TRAINING, THIRD, BEST = "training", "after 3 epochs", "at best"
OXLM: dict[tuple[str, str], float] = {
    (NCE, TRAINING): 138_000,
    (NCE, THIRD): 52.1,
    (NCE, BEST): 49.6,
    (EXACT, TRAINING): 83_000,
    (EXACT, THIRD): 49.8,
}
LIST = 1000  # hypotheses a sentence
SENTENCES = 200


def run() -> Iterator[Row]:
    """Yield speed and perplexity of each model, KenLM's perplexity, and speed on lists."""
    text, dev, classes = (PAIR / name for name in ("text/train.en.gz", "text/dev.en.gz", CLASSES))
    if missing := [str(path) for path in (text, dev, classes) if not path.exists()]:
        yield {"step": "neural language models", "note": f"not run: needs {', '.join(missing)}"}
        return
    first: NeuralLM | None = None
    for name, settings in MODELS.items():
        task = Task.read(NeuralConfig.from_dict(settings), TrainingData([text], dev, classes))
        result = Trainer(task, None, THREADS).run()
        first = first or result.model
        log = result.progress.log
        best = min(log, key=lambda at: at.dev_perplexity)
        size = f"{len(task.vocabulary)} words, {task.layout.count} {task.layout.name}"
        yield _row(name, TRAINING, round(log[0].tokens_per_second), "tokens/s", size)
        for setting, at in ((THIRD, log[:3][-1]), (BEST, best)):
            note = f"epoch {at.number:g}, {at.seconds:.0f} s"
            yield _row(name, setting, round(at.dev_perplexity, 2), "perplexity", note)
    assert first is not None
    perplexity = round(kenlm(text, dev, first.vocabulary), 2)
    row = _row("KenLM, order 5", BEST, perplexity, "perplexity", "")
    yield row | {"reference_tool": "OxLM", "reference_figure": KENLM}
    pace, statistics = _score_list(first, dev)
    note = f"{statistics.requests:,} requests, {statistics.distinct_ngrams:,} of them different"
    yield _row(NCE, "scoring 1000-best lists", round(pace), "requests/s", note)


def _row(step: str, setting: str, figure: float, unit: str, note: str) -> Row:
    row: Row = {"step": step, "setting": setting, "figure": figure, "unit": unit, "note": note}
    if (step, setting) in OXLM:
        row |= {"reference_tool": "OxLM", "reference_figure": OXLM[step, setting]}
    return row


def kenlm(text: Path, dev: Path, vocabulary: Vocabulary) -> float:
    """Dev perplexity of KenLM where the words that the neural model lacks are one word too."""
    known = set(vocabulary.words) - set(SPECIAL)

    def restricted(path: Path) -> list[str]:
        return [
            " ".join(word if word in known else "(unknown)" for word in line.split())
            for line in read_lines(path)
        ]

    with tempfile.TemporaryDirectory() as folder:
        lines = Path(folder) / "text"
        write_lines(lines, restricted(text))
        train_binary(lines, Path(folder) / "model.binary", order=5)
        return measure(NgramModel(Path(folder) / "model.binary"), restricted(dev)).perplexity


def _score_list(model: NeuralLM, dev: Path) -> tuple[float, ScoringStatistics]:
    """Requests a second for lists of variants of the dev sentences."""
    model = replace(model, threads=THREADS)
    corpus = encode(read_lines(dev), model.vocabulary)
    random = np.random.default_rng(1)
    parts = []
    for i in range(min(SENTENCES, corpus.sentences)):
        sentence = corpus.ids[corpus.offsets[i] : corpus.offsets[i + 1]]
        variants = np.tile(sentence, (LIST, 1))
        for _ in range(min(2, len(sentence))):
            places = random.integers(0, len(sentence), LIST)
            variants[np.arange(LIST), places] = random.choice(corpus.ids, LIST)
        parts += list(variants)
    offsets = np.concatenate([[0], np.cumsum([len(part) for part in parts])])
    begin = time.perf_counter()
    _, found = model.score_sentences_with_statistics(np.concatenate(parts), offsets)
    return found.requests / (time.perf_counter() - begin), found
