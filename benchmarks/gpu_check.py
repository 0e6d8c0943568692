"""Training on the GPU beside the CPU's: the same start, minibatches and noise; one line a case.

    python -m benchmarks.gpu_check

Losses of each step and the way that the parameters go in all steps are compared with those of
torch's single precision on the CPU. Every case is run again on the GPU in one call and without
CUDA graphs: the same bytes are expected. Ends with an error where a case fails.
"""

import sys
import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from typing import Any

import numpy as np
import torch

from benchmarks.neural_gpu import (
    CSLM,
    DEEP,
    LIKELIHOOD,
    Settings,
    Words,
    first_parameters,
    make_layout,
    make_minibatches,
    zipf_counts,
)
from nlmt.neural import NeuralConfig
from nlmt.neural.parameters import TrainingState
from nlmt.neural.tensors import Parameters
from nlmt.neural.torch_backend import captured
from nlmt.neural.torch_backend.engine import SentenceEngine, TorchEngine, WindowEngine
from nlmt.neural.torch_backend.noise import Noise
from nlmt.neural.train.ranks import ALONE

STEPS, WORDS, KEY = 12, 800, 7
# Largest relative difference from the CPU's, of the way of the parameters and of a step's loss.
TOLERANCES = {"float32": 1e-3, "tf32": 3e-2, "bfloat16": 2e-1}
SMALL: Settings = {"dim": 24, "minibatch": 200, "dropout": 0.0}
LONG: Settings = {**SMALL, **LIKELIHOOD}
CASES: Mapping[str, Settings] = {
    "nce": {**SMALL, "noise": 10},
    "nce, full output": {**SMALL, "output": "full"},
    "nce, plain descent": {**SMALL, "output": "full", "optimiser": "sgd"},
    "classes": {**SMALL, **LIKELIHOOD},
    "context matrices": {**SMALL, **LIKELIHOOD, "projection": "full"},
    "tree": {**SMALL, **LIKELIHOOD, "output": "tree-factored"},
    "tree, plain descent": {
        **SMALL,
        "output": "tree-factored",
        "objective": "likelihood",
        "optimiser": "sgd",
    },
    "deep": {**DEEP, **SMALL, "hidden": [40, 40]},
    "deep, dropout": {**DEEP, **SMALL, "hidden": [40], "dropout": 0.4},
    "deep, decay, clipped": {**DEEP, **SMALL, "hidden": [40], "weight_decay": 1.0, "clip": 0.01},
    "cslm": {**CSLM, **SMALL, "hidden": [40], "weight_decay": 1.0},
    "elman": {
        **SMALL,
        "network": "elman",
        "direct_features": 4096,
        "objective": "likelihood",
        "optimiser": "sgd",
    },
    "gru": {**LONG, "network": "gru"},
    "lstm": {**LONG, "network": "lstm", "layers": 2},
    "lstm, nce": {**SMALL, "network": "lstm", "noise": 10},
    "transformer": {
        **SMALL,
        "network": "transformer",
        "layers": 2,
        "heads": 2,
        "output": "full",
        "objective": "likelihood",
        "optimiser": "adam",
    },
}


class Case:
    """A model and the minibatches along which it is trained."""

    def __init__(self, settings: Settings) -> None:
        self._settings = settings
        self._counts = zipf_counts(WORDS)
        config = self.config("cpu", "float32")
        self._layout, _ = make_layout(config, self._counts)
        self.start = first_parameters(config, self._layout, self._counts)
        self.batches = make_minibatches(config, Words(self._counts), STEPS * config.minibatch)
        self._rate = 0.002 if config.optimiser == "adam" else 0.05

    def config(self, device: str, precision: str) -> NeuralConfig:
        """The configuration on a device."""
        own = {"engine": "torch", "device": device, "precision": precision}
        return NeuralConfig.from_dict({**self._settings, **own})

    def train(
        self, device: str, precision: str, *, one_call: bool = False
    ) -> tuple[np.ndarray, Parameters]:
        """Losses and parameters of training in a call a step, or in one call."""
        config = self.config(device, precision)
        state = TrainingState.first(
            {name: values.copy() for name, values in self.start.items()}, config
        )
        kind = SentenceEngine if config.reads_sentences else WindowEngine
        engine = kind(config, self._layout, self._counts, state, 2, ALONE)
        noise_of_cpu(engine)
        losses, first = [], 0
        for batches in [self.batches] if one_call else [[one] for one in self.batches]:
            losses.append(engine.train(batches, first, KEY, np.full(len(batches), self._rate)))
            first += sum(one.examples for one in batches)
        return np.array(losses), engine.state().parameters

    def way(self, parameters: Parameters) -> np.ndarray:
        """Distance of the parameters from the start."""
        return np.concatenate([(parameters[k] - self.start[k]).ravel() for k in self.start])


@contextmanager
def uncaptured() -> Iterator[None]:
    """Record no steps as CUDA graphs."""
    before, captured.FIRST_STEPS = captured.FIRST_STEPS, sys.maxsize
    try:
        yield
    finally:
        captured.FIRST_STEPS = before


def noise_of_cpu(engine: TorchEngine[Any]) -> None:
    """Let an engine draw the noise that it would draw on the CPU.

    A GPU has a generator of its own; steps that are captured would repeat the first noise, so that
    noise is the same in all steps.
    """
    if engine._noise is None:
        return
    model = engine._noise.to(torch.device("cpu"))

    def draw(words: torch.Tensor) -> Noise:
        classes = engine._network.output.noise_classes(words.to(engine._device))
        key = tuple(words.shape)
        if key not in drawn:
            made = model.draw(classes.cpu(), engine._config.noise, torch.Generator().manual_seed(1))
            drawn[key] = Noise(made.classes.to(engine._device), made.words.to(engine._device))
        return drawn[key]

    drawn: dict[tuple[int, ...], Noise] = {}
    setattr(engine, "_draw", draw)  # noqa: B010, as mypy takes no assignment to a method


def check(name: str, settings: Settings, device: str) -> Iterator[tuple[str, bool]]:
    """A line for each precision, and whether all is as expected."""
    case = Case(settings)
    losses, parameters = case.train("cpu", "float32")
    way = case.way(parameters)
    for precision, most in TOLERANCES.items():
        begin = time.perf_counter()
        own_losses, own = case.train(device, precision)
        seconds = time.perf_counter() - begin
        far = float(np.linalg.norm(case.way(own) - way) / np.linalg.norm(way))
        loss = float(np.abs(own_losses / losses - 1).max())
        with uncaptured():
            _, again = case.train(device, precision, one_call=True)
        same = all(again[key].tobytes() == own[key].tobytes() for key in own)
        # A GPU draws other numbers for dropout.
        good = same and (bool(settings["dropout"]) or (far < most and loss < most))
        yield (
            f"{'ok  ' if good else 'FAIL'} {name:22} {precision:9} way {far:.1e}, loss {loss:.1e}, "
            f"{'the same' if same else 'OTHER'} bytes again, {seconds / STEPS * 1e3:.1f} ms a step",
            good,
        )


def main(names: list[str]) -> None:
    """Check the named cases, or all."""
    device = "gpu" if torch.cuda.is_available() else "cpu"
    failed = 0
    for name in names or CASES:
        try:
            for line, good in check(name, CASES[name], device):
                print(line, flush=True)
                failed += not good
        except RuntimeError as error:  # of torch: the other cases go on
            print(f"FAIL {name}: {error}", flush=True)
            failed += 1
    if failed:
        sys.exit(f"{failed} failed")


if __name__ == "__main__":
    main(sys.argv[1:])
