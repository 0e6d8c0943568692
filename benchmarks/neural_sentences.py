"""Training of networks over sentences: one pass over the English side of the help corpus.

Vocabulary, classes and text are those of `benchmarks.neural`. One thread, CPU seconds: torch's
threads wait for each other on small products.
"""

import time
from pathlib import Path

from nlmt.neural import NeuralConfig, Task, Trainer

PAIR = Path("results/help/fr-en")
BATCHES = {"optimiser": "adam", "learning_rate": 0.003, "minibatch": 1000, "clip": 1.0}
MODELS: dict[str, dict[str, object]] = {
    "elman, D 100, a million direct features, steps of 20 words": {
        "network": "elman",
        "dim": 100,
        "direct_features": 1_000_000,
        "optimiser": "sgd",
        "learning_rate": 2.0,
        "minibatch": 20,
        "dropout": 0.0,
    },
    "gru, D 200": {"network": "gru", **BATCHES},
    "lstm, D 200": {"network": "lstm", **BATCHES},
    "transformer, D 200, 2 layers": {
        "network": "transformer",
        "dim": 200,
        "layers": 2,
        "heads": 4,
        **BATCHES,
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
    rows: list[dict[str, object]] = []
    for name, settings in MODELS.items():
        config = NeuralConfig.from_dict(
            {"objective": "likelihood", "schedule": "constant", "passes": 1} | settings
        )
        task = Task.read(config, [text], dev, classes)
        begin = time.process_time()
        log = Trainer(task).run().progress.log
        seconds = time.process_time() - begin
        rows.append(
            {
                "step": name,
                "figure": round(log[0].tokens / seconds),
                "unit": "tokens/CPU s",
                "note": f"dev perplexity {log[0].dev_perplexity:.1f} after one pass",
            }
        )
    return rows
