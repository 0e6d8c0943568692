"""Training of networks over sentences: one epoch over the English side of the help corpus.

Vocabulary, classes and text are those of `benchmarks.neural`, the settings those of
docs/neural-results.md. One thread, CPU seconds, the evaluation on the dev text included: some two
minutes in all, more than half of them the transformer's, which torch trains.
"""

import time
from pathlib import Path

from nlmt.neural import NeuralConfig, Task, TaskFiles, Trainer

PAIR = Path("results/help/fr-en")
Settings = dict[str, object]
GATES: Settings = {
    "dim": 200,
    "optimiser": "adagrad",
    "learning_rate": 0.1,
    "initial_square": 1.0,
    "minibatch": 500,
    "dropout": 0.2,
}
MODELS: dict[str, Settings] = {
    "elman, D 100, a million direct features, steps of 20 words": {
        "network": "elman",
        "dim": 100,
        "direct_features": 1_000_000,
        "optimiser": "sgd",
        "learning_rate": 2.0,
        "minibatch": 20,
        "dropout": 0.0,
    },
    "gru, D 200": {"network": "gru", **GATES},
    "gru, D 200, nce": {"network": "gru", **GATES, "objective": "nce"},
    "lstm, D 200": {"network": "lstm", **GATES},
    "transformer, D 200, 2 layers": {
        "network": "transformer",
        "dim": 200,
        "layers": 2,
        "heads": 4,
        "optimiser": "adam",
        "learning_rate": 0.001,
        "minibatch": 1000,
        "dropout": 0.2,
    },
}


def run() -> list[dict[str, object]]:
    """Rows of step, figure, unit, reference_tool, reference_figure and note."""
    text, dev = PAIR / "text/train.en.gz", PAIR / "text/dev.en.gz"
    classes = PAIR / "classes/brown.tsv"
    missing = [str(path) for path in (text, dev, classes) if not path.exists()]
    if missing:
        note = f"not run: needs {', '.join(missing)}"
        return [{"step": "networks over sentences", "note": note}]
    return [measure(name, settings, text, dev, classes) for name, settings in MODELS.items()]


def measure(
    name: str, settings: Settings, text: Path, dev: Path, classes: Path
) -> dict[str, object]:
    """A row of one model: tokens that it trains in a CPU second."""
    config = NeuralConfig.from_dict(
        {"objective": "likelihood", "schedule": "constant", "epochs": 1} | settings
    )
    task = Task.read(config, TaskFiles([text], dev, classes))
    begin = time.process_time()
    (row,) = Trainer(task).run().progress.log
    seconds = time.process_time() - begin
    return {
        "step": name,
        "figure": round(row.tokens / seconds),
        "unit": "tokens/CPU s",
        "note": f"dev perplexity {row.dev_perplexity:.1f} after one epoch",
    }
