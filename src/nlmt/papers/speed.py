"""Speed of training and of decoding, measured with repetitions on one thread.

The rules that call it have the machine to themselves; a training that goes on from a checkpoint, or
translations that were made before, never count.
"""

import platform
import time
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from nlmt.decoder import open_engine
from nlmt.io.files import scratch_folder
from nlmt.io.json_files import read_json
from nlmt.lm.kinds import KINDS, TrainingData
from nlmt.settings import read_settings

CPU_INFO = Path("/proc/cpuinfo")


def training_speed(
    model: Mapping[str, Any], data: TrainingData, beside: Path, *, repetitions: int
) -> dict[str, Any]:
    """Train a neural model for one epoch, again and again.

    Args:
        model: its entry of the configuration.
        data: what it is trained on.
        beside: the models are made in a folder beside this path, and removed.
        repetitions: how often.

    Returns:
        `tokens_per_second` of each repetition, evaluation left out, and of `machine`.
    """
    kind = KINDS.get(model["kind"])
    settings = read_settings(kind.settings, {**model, "epochs": 1})
    speeds = []
    with scratch_folder(beside) as scratch:
        for number in range(repetitions):
            folder = scratch / str(number)
            kind.train(settings, data, folder, threads=1)
            speeds.append(float(read_json(folder / "metrics.json")["tokens_per_second"]))
    return {"tokens_per_second": speeds, **machine()}


def decoding_speed(
    ini: Path,
    decoder: Mapping[str, Any],
    weights: Mapping[str, Sequence[float]],
    lines: Sequence[str],
    *,
    repetitions: int,
) -> dict[str, Any]:
    """Translate some lines, again and again; loading the model is left out.

    Args:
        ini: Moses' configuration.
        decoder: `translation_settings` of the configuration.
        weights: tuned ones.
        lines: at least one.
        repetitions: how often.

    Returns:
        `seconds_a_sentence` of each repetition, `sentences`, and of `machine`.
    """
    engine = open_engine(ini, decoder, threads=1)
    engine.set_weights(weights)
    times = []
    for _ in range(repetitions):
        begin = time.perf_counter()
        _exhaust(engine.translate(lines))
        times.append((time.perf_counter() - begin) / len(lines))
    return {"seconds_a_sentence": times, "sentences": len(lines), **machine()}


def machine() -> dict[str, Any]:
    """On what is measured: `threads` and `processor`."""
    return {"threads": 1, "processor": processor()}


def processor() -> str:
    """The name of the processor, or its architecture where the system has no name of it."""
    if CPU_INFO.is_file():
        for line in CPU_INFO.read_text(encoding="utf-8", errors="replace").splitlines():
            key, _, value = line.partition(":")
            if key.strip() == "model name":
                return " ".join(value.split())
    return platform.machine()


def _exhaust(translations: Iterator[object]) -> None:
    for _ in translations:
        pass
