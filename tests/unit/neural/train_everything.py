"""Trains a small model of each network and output layer; prints a hash of its numbers and scores.

`test_neural_training.py` runs it on vectors of different sizes. Arguments: the training text, the
dev text and the classes.
"""

import hashlib
import sys
from pathlib import Path

from nlmt.io.files import read_lines
from nlmt.lm.kinds import TrainingData
from nlmt.neural import NeuralConfig, Task, Trainer, encode

LIKELIHOOD = {"objective": "likelihood", "minibatch": 130}
MODELS: dict[str, dict[str, object]] = {
    "nce": {"order": 4, "projection": "full", "hidden": [30]},
    "classes": {"order": 4, "projection": "concatenation", "hidden": [40, 20], **LIKELIHOOD},
    "full": {"order": 4, "output": "full", "clip": 1.0, **LIKELIHOOD},
    "self-normalised": {"order": 4, "output": "full", "objective": "self-normalised"},
    "tree": {"order": 4, "output": "tree-factored", **LIKELIHOOD},
    "direct": {"network": "elman", "direct_features": 4096, "output": "full", **LIKELIHOOD},
    "gru": {"network": "gru", **LIKELIHOOD},
    "lstm": {"network": "lstm", "layers": 2},
}


def main() -> None:
    """Print a line for each model."""
    train, dev, classes = (Path(argument) for argument in sys.argv[1:])
    for name, settings in MODELS.items():
        config = NeuralConfig.from_dict({"dim": 70, "epochs": 1, **settings})
        task = Task.read(config, TrainingData([train], dev, classes))
        model = Trainer(task, None, 2).run().model
        text = encode(read_lines(dev), model.vocabulary)
        digest = hashlib.sha256(model.score_sentences(text.ids, text.offsets).tobytes())
        for parameter in model.parameters.values():
            digest.update(parameter.tobytes())
        print(name, digest.hexdigest())


if __name__ == "__main__":
    main()
