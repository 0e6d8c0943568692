"""Networks over sentences on the English side of the help corpus: perplexity and speed.

Vocabulary, classes and text are those of `benchmarks.neural`. One thread, CPU seconds, the
evaluation on the dev and test texts included; some fifteen minutes in all, most of them the
transformer's, which torch trains.
"""

import time
from collections.abc import Iterator

from benchmarks.frames import Row
from benchmarks.neural import CLASSES, PAIR, Settings, kenlm
from nlmt.lm.kinds import TrainingData
from nlmt.neural import NeuralConfig, Task, Trainer

GATES: Settings = {
    "dim": 200,
    "learning_rate": 0.1,
    "initial_square": 1.0,
    "minibatch": 500,
    "dropout": 0.2,
    "epochs": 3,
}
LONG: Settings = {"dropout": 0.4, "epochs": 8}
ELMAN: Settings = {
    "network": "elman",
    "dim": 100,
    "optimiser": "sgd",
    "learning_rate": 2.0,
    "schedule": "plateau",
    "minibatch": 20,
    "dropout": 0.0,
    "epochs": 12,
}
GRU = "`gru`, `likelihood`, dropout 0.2, 3 epochs"
MODELS: dict[str, Settings] = {
    GRU: {"network": "gru", **GATES},
    "`gru`, `likelihood`, dropout 0.4, 8 epochs": {"network": "gru", **GATES, **LONG},
    "`gru`, `nce`, 10 samples, 3 epochs": {"network": "gru", **GATES, "objective": "nce"},
    "`lstm`, `likelihood`, dropout 0.2, 3 epochs": {"network": "lstm", **GATES},
    "`lstm`, `likelihood`, dropout 0.4, 8 epochs": {"network": "lstm", **GATES, **LONG},
    "`transformer`, 2 layers, `adam` 0.003, 6 epochs": {
        "network": "transformer",
        "dim": 200,
        "layers": 2,
        "heads": 4,
        "optimiser": "adam",
        "learning_rate": 0.003,
        "minibatch": 1000,
        "dropout": 0.2,
        "epochs": 6,
    },
    "`elman`, D 100, `sgd` 2, minibatch 20, a million direct features, 12 epochs": {
        **ELMAN,
        "direct_features": 1_000_000,
    },
    "the same without direct features": ELMAN,
}


def run() -> Iterator[Row]:
    """Yield dev and test perplexity of each model, and tokens that it trains in a CPU second."""
    names = "text/train.en.gz", "text/dev.en.gz", "text/test.en.gz", CLASSES
    text, dev, test, classes = (PAIR / name for name in names)
    if missing := [str(path) for path in (text, dev, test, classes) if not path.exists()]:
        yield {"step": "networks over sentences", "note": f"not run: needs {', '.join(missing)}"}
        return
    files = TrainingData([text], dev, classes, test=test)
    for name, settings in MODELS.items():
        yield from measure(name, settings, files)
    words = Task.read(NeuralConfig.from_dict({}), files).vocabulary
    for setting, path in (("dev", dev), ("test", test)):
        yield _row("KenLM, order 5", setting, kenlm(text, path, words))


def measure(name: str, settings: Settings, files: TrainingData) -> Iterator[Row]:
    """Yield the rows of one model."""
    shared: Settings = {"objective": "likelihood", "schedule": "linear"}
    task = Task.read(NeuralConfig.from_dict(shared | settings), files)
    begin = time.process_time()
    log = Trainer(task).run().progress.log
    seconds = time.process_time() - begin
    best = min(log, key=lambda row: row.dev_perplexity)
    yield _row(name, "dev", best.dev_perplexity)
    yield _row(name, "test", best.test_perplexity or 0.0)
    yield {
        "step": name,
        "setting": "training",
        "figure": round(log[-1].tokens / seconds),
        "unit": "tokens/CPU s",
    }


def _row(step: str, setting: str, perplexity: float) -> Row:
    figure = round(perplexity, 2)
    return {"step": step, "setting": setting, "figure": figure, "unit": "perplexity"}
