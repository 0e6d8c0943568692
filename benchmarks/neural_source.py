"""Kinds of source beside the history, in feed-forward models of the help corpus, French to English.

The defaults (`nce`, D 200) but for three epochs with the rate falling to zero; dev perplexity given
the reference's own alignment. The embeddings of `averaged` are those of a French model.
"""

import random
import tempfile
from collections.abc import Iterator
from pathlib import Path

from benchmarks.frames import Row
from benchmarks.neural import CLASSES, PAIR, Settings
from nlmt.io.files import read_lines, write_lines
from nlmt.lm.kinds import SourceFiles, TrainingData
from nlmt.neural import NeuralConfig, Task, Trainer

SIDES = ("train", "dev")
ALIGNED = {"train": "tm/aligned.gz", "dev": "tm/dev.aligned.gz"}
EPOCHS: Settings = {"epochs": 3, "schedule": "linear"}
FRENCH: Settings = {**EPOCHS, "dim": 100, "output": "full"}
LSA: Settings = {"source": "lsa", "source_dim": 100}
AVERAGED: Settings = {"source": "averaged", "source_dim": 100}
SHUFFLED = "the same, sources shuffled"
MODELS: dict[str, Settings] = {
    "none": {},
    "`lsa`, 100 numbers": LSA,
    SHUFFLED: LSA,
    "`averaged`, 100 numbers, `source_window: 5`": {**AVERAGED, "source_window": 5},
    "`averaged`, the aligned word alone": {**AVERAGED, "source_window": 0},
    "`window` of 11 words": {"source": "window", "source_window": 5},
}


def run() -> Iterator[Row]:
    """Yield the dev perplexity of each model."""
    needed = [PAIR / f"text/{side}.{language}.gz" for side in SIDES for language in ("fr", "en")]
    needed += [PAIR / CLASSES, *(PAIR / path for path in ALIGNED.values())]
    if missing := [str(path) for path in needed if not path.exists()]:
        yield {"step": "models with a source", "note": f"not run: needs {', '.join(missing)}"}
        return
    own = {side: PAIR / f"text/{side}.fr.gz" for side in SIDES}
    task = Task.read(NeuralConfig.from_dict(FRENCH), TrainingData([own["train"]], own["dev"]))
    french = Trainer(task).run().model
    with tempfile.TemporaryDirectory() as folder:
        others = {side: _shuffled(path, Path(folder) / side) for side, path in own.items()}
        for name, settings in MODELS.items():
            files = _files(settings, others if name == SHUFFLED else own)
            config = NeuralConfig.from_dict(EPOCHS | settings)
            embeddings = french if config.source == "averaged" else None
            task = Task.read(config, files, source_embeddings=embeddings)
            perplexity = round(Trainer(task).run().dev.perplexity, 2)
            yield {"step": name, "setting": "dev", "figure": perplexity, "unit": "perplexity"}


def _files(settings: Settings, sources: dict[str, Path]) -> TrainingData:
    texts = [PAIR / f"text/{side}.en.gz" for side in SIDES]
    if "source" not in settings:
        return TrainingData(texts[:1], texts[1], PAIR / CLASSES)
    aligned = {side: PAIR / path for side, path in ALIGNED.items()}
    if settings["source"] == "lsa":  # of the whole sentence
        aligned = {}
    train, dev = (SourceFiles(path, aligned.get(side)) for side, path in sources.items())
    return TrainingData(texts[:1], texts[1], PAIR / CLASSES, sources=[train], dev_source=dev)


def _shuffled(text: Path, out: Path) -> Path:
    lines = list(read_lines(text))
    random.Random(1).shuffle(lines)  # noqa: S311
    write_lines(out, lines)
    return out
