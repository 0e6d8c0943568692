"""Training and scoring of feed-forward models, beside OxLM's figures for the class-factored one.

The text is the English side of the help corpus with singletons as `<unk>`, D 200, order 5, Brown
classes, two threads. OxLM was measured on another split of that corpus, where KenLM had a dev
perplexity of 53.8: perplexities are compared as shares of KenLM's on the same text.
"""

import tempfile
import time
from dataclasses import replace
from pathlib import Path

import numpy as np

from nlmt.io.files import read_lines, write_lines
from nlmt.lm.perplexity import measure
from nlmt.neural import NeuralConfig, NeuralLM, ScoringStatistics, Task, TaskFiles, Trainer, encode
from nlmt.ngram import NgramModel, train_binary
from nlmt.vocabulary import SPECIAL, Vocabulary

PAIR = Path("results/help/fr-en")
THREADS = 2
KENLM = 53.8  # dev perplexity on the text that OxLM was measured on
LIKELIHOOD: dict[str, object] = {
    "objective": "likelihood",
    "learning_rate": 0.1,
    "initial_square": 1.0,
}
LIST = 1000  # hypotheses a sentence
SENTENCES = 200


def run() -> list[dict[str, object]]:
    """Rows of step, figure, unit, reference_tool, reference_figure and note."""
    text, dev = PAIR / "text/train.en.gz", PAIR / "text/dev.en.gz"
    classes = PAIR / "classes/brown.tsv"
    missing = [str(path) for path in (text, dev, classes) if not path.exists()]
    if missing:
        note = f"not run: needs {', '.join(missing)}"
        return [{"step": "neural language model", "note": note}]

    rows: list[dict[str, object]] = []

    def row(step: str, figure: float, unit: str, reference: float | None, note: str = "") -> None:
        rows.append(
            {
                "step": step,
                "figure": round(figure, 3 if figure < 1000 else 0),
                "unit": unit,
                "reference_tool": "" if reference is None else "OxLM",
                "reference_figure": "" if reference is None else round(reference, 3),
                "note": note,
            }
        )

    best: NeuralLM | None = None
    kenlm = 0.0
    tree = {**LIKELIHOOD, "output": "tree-factored"}
    models: list[tuple[str, dict[str, object], float | None, float | None, float | None]] = [
        ("nce, D 200", {}, 138_000, 52.1 / KENLM, 49.6 / KENLM),
        ("likelihood, D 200", LIKELIHOOD, 83_000, 49.8 / KENLM, None),
        ("likelihood, D 400", {**LIKELIHOOD, "dim": 400}, None, None, None),
        ("Huffman tree, D 200", {**tree, "tree": "huffman"}, None, None, None),
        ("Brown tree, D 200", {**tree, "tree": "brown"}, None, None, None),
    ]
    for name, settings, speed, third, lowest in models:
        config = NeuralConfig.from_dict(settings)
        task = Task.read(config, TaskFiles([text], dev, classes))
        kenlm = kenlm or _kenlm(text, dev, task.vocabulary)
        result = Trainer(task, None, THREADS).run()
        log = result.progress.log
        size = f"{len(task.vocabulary)} words, {task.layout.count} {task.layout.name}"
        row(f"{name}: training", log[0].tokens_per_second, "tokens/s", speed, size)
        for step, at, reference in (
            ("after three epochs", log[:3][-1], third),
            ("at best", min(log, key=lambda at: at.dev_perplexity), lowest),
        ):
            dev_perplexity = at.dev_perplexity
            note = f"{dev_perplexity:.2f} / {kenlm:.2f}; epoch {at.number:g}, {at.seconds:.0f} s"
            unit = "of KenLM's perplexity"
            row(f"{name}: {step}", dev_perplexity / kenlm, unit, reference, note)
        best = best or result.model
    assert best is not None
    pace, statistics = _score_list(best, dev)
    note = f"{statistics.requests:,} requests, {statistics.distinct_ngrams:,} of them different"
    row("scoring 1000-best lists", pace, "requests/s", None, note)
    return rows


def _kenlm(text: Path, dev: Path, vocabulary: Vocabulary) -> float:
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
