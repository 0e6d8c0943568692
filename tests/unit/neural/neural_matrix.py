"""Models put together at random: each is trained for a moment and has to keep every promise.

    PYTHONPATH=src python tests/unit/neural/neural_matrix.py --cases 500 --seed 7
    PYTHONPATH=src python tests/unit/neural/neural_matrix.py --first 31 --cases 1 --seed 7

A case is a configuration drawn from all keys, by its seed and number; networks and sources take
turns. What is refused has to be refused by an `InputError` that says how to fix it. What trains
has to learn, to be normalised, to resume to the bit from encoded texts, to come back from its
folder, to go on with other texts, to count words outside the vocabulary as they are counted by
hand, and to score sentences, words, n-grams and steps alike.
"""

import argparse
import random
import tempfile
import traceback
from collections import Counter
from pathlib import Path
from typing import Any, Literal, get_args, get_origin

import matrix_promises as promises
from matrix_world import MIN_COUNTS, SOURCE_DIM, World

from nlmt.errors import InputError
from nlmt.neural import NeuralConfig, train_folder
from nlmt.neural.parts import NETWORKS, OBJECTIVES, OUTPUTS
from nlmt.neural.settings.architecture import SOURCES, Architecture
from nlmt.neural.settings.training import Training

# Values of the keys that are no choices; small, so that a case takes a moment.
VALUES: dict[str, list[Any]] = {
    "order": [2, 3, 5],
    "source_window": [0, 2],
    "source_dim": [SOURCE_DIM],
    "dim": [8, 24],
    "unroll": [1, 3, 20],
    "layers": [1, 2],
    "heads": [1, 2],
    "direct_features": [0, 500],
    "direct_order": [2, 4],
    "hidden": [[], [12], [12, 10], [12, 10, 8, 6]],
    "short_list": [5, 60],
    "min_count": list(MIN_COUNTS),
    "alpha": [0.1, 1],
    "noise": [1, 20],
    "dropout": [0, 0.3],
    "learning_rate": [0.003, 0.02, 0.1, 0.3, 2.0],
    "halving_start": [0.25],
    "initial_square": [0.1, 1],
    "weight_decay": [0, 0.01],
    "clip": [0, 1],
    "minibatch": [100, 200],
    "resampling": [[], [0.5], [1, 0.5]],
    "epochs": [3],
    "evaluations": [1, 3],
    "patience": [9],
    "seed": [1, 5],
}
# Keys that every case has, and how likely the others are: choices and numbers.
ALWAYS = ("epochs", "patience", "dim", "minibatch", "learning_rate", "network", "source")
SHARES = (0.5, 0.25)
RATES = {"adagrad": (0.1, 0.3), "sgd": (0.3, 2.0), "adam": (0.003, 0.02)}  # of what learns

PARTS = {"network": NETWORKS, "output": OUTPUTS, "objective": OBJECTIVES}
CHOICES: dict[str, list[Any]] = {
    key: list(PARTS[key].names() if key in PARTS else get_args(field.annotation))
    for group in (Architecture, Training)
    for key, field in group.model_fields.items()
    if key in PARTS or get_origin(field.annotation) is Literal
}
# Drawn by dice of their own, so that cases are what they were before these keys.
OF_WINDOWS = {key: CHOICES.pop(key) for key in ("source_side", "source_vectors")}
OF_ANALYSES = CHOICES.pop("source_weights")
OF_DECAYS = dict(zip(CHOICES.pop("weight_decay_per"), (0.01, 0.0001), strict=True))
OF_TRANSFORMS: dict[str, list[Any]] = {
    "source_bits": [6, 20],
    "transform_rates": [[0.3], [0.1, 1]],
    "transform_epochs": [1, 3],
    "transform_schedule": CHOICES.pop("transform_schedule"),
    "source_further": [[], ["skips"], ["skips", "triples"]],
    "source_normalised": [True, False],
}


def draw(seed: int, number: int) -> dict[str, Any]:
    """Some keys and a value for each; more often than by chance such that go together."""
    dice = random.Random(f"{seed} {number}")  # noqa: S311
    both = CHOICES | VALUES
    both["device"] = ["auto", "cpu"]
    settings: dict[str, Any] = {
        key: dice.choice(values)
        for key, values in both.items()
        if key in ALWAYS or dice.random() < SHARES[key in VALUES]
    }
    settings["network"] = NETWORKS.names()[number % len(NETWORKS.names())]
    settings["source"] = SOURCES[number // len(NETWORKS.names()) % len(SOURCES)]
    if dice.random() < 0.1:
        return settings  # as it comes: most of these are refused
    known = NeuralConfig.model_fields
    for _ in range(3 * len(settings)):
        try:
            NeuralConfig.from_dict(settings)
        except InputError as error:
            # Give up a key that the message names, or draw what it is about anew.
            named = [key for key in settings if key in str(error)]
            if not named:
                named = [key for key in known if key in str(error)]
            key = dice.choice(named)
            if key == "network" and len(named) > 1:
                continue
            if key in settings and key not in ALWAYS:
                del settings[key]
            else:
                settings[key] = dice.choice(both[key])
    if settings["source"] in SOURCES[2:]:
        settings["source_dim"] = SOURCE_DIM  # that of the world's embeddings
    if settings["source"] in ("averaged", "concatenated") and settings.get("source_window", 5):
        own = random.Random(f"{seed} {number} windows")  # noqa: S311
        settings |= {key: own.choice(values) for key, values in OF_WINDOWS.items()}
    if settings["source"] == "transform":
        own = random.Random(f"{seed} {number} transform")  # noqa: S311
        settings |= {key: own.choice(values) for key, values in OF_TRANSFORMS.items()}
    if settings["source"] in ("lsa", "transform") or settings.get("source_vectors") == "lsa":
        settings["source_weights"] = random.Random(f"{seed} {number} weights").choice(OF_ANALYSES)  # noqa: S311
    if settings.get("weight_decay"):
        per = random.Random(f"{seed} {number} decay").choice(list(OF_DECAYS))  # noqa: S311
        settings |= {"weight_decay_per": per, "weight_decay": OF_DECAYS[per]}
    settings["learning_rate"] = dice.choice(RATES[settings.get("optimiser", "adagrad")])
    return settings


def check(settings: dict[str, Any], world: World, folder: Path) -> str:
    """Hold a configuration to every promise; how the case ended."""
    try:
        config = NeuralConfig.from_dict(settings)
    except InputError as error:
        promises.refused_by_name(error, settings)
        return "refused"
    assert NeuralConfig.from_dict(config.to_dict()) == config, "not that of its own mapping"
    task = world.task(config)
    try:
        result = train_folder(task, folder / "whole")
    except InputError as error:
        promises.exploded(error, folder / "whole")
        return "exploded"
    promises.learnt(result)
    model = promises.same_from_its_folder(result.model, folder / "whole", task)
    promises.counted_by_hand(model, world.folder / "dev.en", task)
    promises.sentences_are_their_words(model, task)
    promises.normalised(model, task)
    promises.steps_are_words(model, task)
    promises.resumes(world.task(config, encoded=True), folder, "whole")
    promises.goes_on(world, config, model, folder / "on")
    return "trained"


def main() -> int:
    """Run some cases; whether there are broken ones decides the exit status."""
    parser = argparse.ArgumentParser(description=__doc__.split("\n\n")[0])
    parser.add_argument("--cases", type=int, default=50)
    parser.add_argument("--first", type=int, default=0)
    parser.add_argument("--seed", type=int, default=1)
    options = parser.parse_args()
    ends: Counter[str] = Counter()
    with tempfile.TemporaryDirectory() as name:
        (Path(name) / "world").mkdir()
        world = World(Path(name) / "world")
        for number in range(options.first, options.first + options.cases):
            settings = draw(options.seed, number)
            with tempfile.TemporaryDirectory(dir=name) as case:
                try:
                    ends[check(settings, world, Path(case))] += 1
                except Exception:
                    ends["broken"] += 1
                    print(f"case {number}: {settings}\n{traceback.format_exc()}", flush=True)
    print(", ".join(f"{count} {how}" for how, count in ends.items()))
    return 1 if ends["broken"] else 0


if __name__ == "__main__":
    raise SystemExit(main())
