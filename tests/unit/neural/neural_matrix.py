"""Models put together at random: each is trained for a moment and has to keep every promise.

    PYTHONPATH=src python tests/unit/neural/neural_matrix.py --seconds 600 --seed 7

A case is a configuration drawn from all keys, by its seed and number. What is refused has to be
refused by an `InputError` that says how to mend it. What trains has to learn, to be normalised, to
resume to the bit, to come back from its folder, to count words outside the vocabulary as they are
counted by hand, and to score sentences, words, n-grams and steps alike.
"""

import argparse
import random
import tempfile
import time
from collections import Counter
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from unittest import mock

import numpy as np

from nlmt.classes import brown_cluster, write_paths
from nlmt.errors import InputError
from nlmt.neural import (
    NeuralConfig,
    NeuralLM,
    SourceFiles,
    Task,
    Trainer,
    encode_texts,
    find_checkpoint,
    train_folder,
    training,
)
from nlmt.neural.config import _CHOICES

GOLDEN = Path(__file__).parents[2] / "golden"
# Values of the keys that are no choices; small, so that a case takes a moment.
VALUES: dict[str, list[Any]] = {
    "order": [2, 3, 5],
    "source_window": [0, 2],
    "source_dim": [4],
    "dim": [8, 24],
    "unroll": [1, 3, 20],
    "layers": [1, 2],
    "heads": [1, 2],
    "direct_features": [0, 500],
    "direct_order": [2, 4],
    "hidden": [[], [12], [12, 10], [12, 10, 8, 6]],
    "short_list": [5, 60],
    "min_count": [1, 2],
    "alpha": [0.1, 1],
    "noise": [1, 20],
    "dropout": [0, 0.3],
    "learning_rate": [0.003, 0.02, 0.1, 0.3, 2.0],
    "halving_pass": [1],
    "initial_square": [0.1, 1],
    "weight_decay": [0, 0.01],
    "clip": [0, 1],
    "minibatch": [50, 200],
    "resampling": [[], [0.5], [1, 0.5]],
    "passes": [5],
    "evaluations": [1, 3],
    "patience": [9],
    "seed": [1, 5],
}
# Keys that every case has, and how likely the others are: choices and numbers.
ALWAYS = ("passes", "patience", "dim", "minibatch", "learning_rate")
SHARES = (0.5, 0.25)
RATES = {"adagrad": (0.1, 0.3), "sgd": (0.3, 2.0), "adam": (0.003, 0.02)}  # of what learns


class BrokenError(Exception):
    """A promise that was not kept."""


class StopError(Exception):
    """The power is cut."""


@dataclass(frozen=True)
class World:
    """The texts of all cases: the first lines of the golden corpus."""

    folder: Path
    lines: int = 240

    def __post_init__(self) -> None:
        for name, begin, end in (("train", 0, self.lines), ("more", 200, 300), ("dev", 300, 340)):
            for side in ("fr", "en"):
                self._write(f"{name}.{side}", GOLDEN / f"train.{side}", begin, end)
            self._write(f"{name}.links", GOLDEN / "aligned.grow-diag-final-and", begin, end)
        texts = [self.folder / "train.en", self.folder / "more.en"]
        lines = [line for text in texts for line in text.read_text().splitlines()]
        write_paths(brown_cluster(lines, 12), self.folder / "classes")
        for least in VALUES["min_count"]:
            out = [self.folder / f"{name}.{least}.ids" for name in ("train", "more")]
            encode_texts(texts, out, min_count=least)
            encode_texts(texts[:1], [self.folder / f"alone.{least}.ids"], min_count=least)
        config = {"dim": 4, "order": 2, "passes": 1, "output": "full"}
        source = [self.folder / "train.fr", self.folder / "dev.fr"]
        task = Task.read(NeuralConfig.from_dict(config), source[:1], source[1])
        train_folder(task, self.folder / "embeddings")

    def _write(self, name: str, text: Path, begin: int, end: int) -> None:
        lines = text.read_text(encoding="utf-8").splitlines()[begin:end]
        (self.folder / name).write_text("\n".join(lines) + "\n", encoding="utf-8")

    def source(self, name: str) -> SourceFiles:
        """Source side and links of a text."""
        return SourceFiles(self.folder / f"{name}.fr", self.folder / f"{name}.links")

    def task(self, config: NeuralConfig, *, encoded: bool = False) -> Task:
        """What a configuration learns from: two texts where it has two shares."""
        names = ["train", "more"][: max(1, len(config.training.resampling))]
        texts = [self.folder / f"{name}.en" for name in names]
        if encoded:
            least = config.architecture.min_count
            first = "train" if len(names) > 1 else "alone"
            texts = [self.folder / f"{name}.{least}.ids" for name in [first, *names[1:]]]
        source = config.architecture.source
        return Task.read(
            config,
            texts,
            self.folder / "dev.en",
            self.folder / "classes",
            sources=[] if source == "none" else [self.source(name) for name in names],
            dev_source=None if source == "none" else self.source("dev"),
            source_embeddings=NeuralLM.load(self.folder / "embeddings")
            if source in ("averaged", "concatenated")
            else None,
        )


def draw(dice: random.Random) -> dict[str, Any]:
    """Some keys and a value for each; more often than by chance such that go together."""
    both = {key: list(values) for key, values in _CHOICES.items()} | VALUES
    del both["device"], both["precision"]
    settings: dict[str, Any] = {
        key: dice.choice(values)
        for key, values in both.items()
        if key in ALWAYS or dice.random() < SHARES[key in VALUES]
    }
    if dice.random() < 0.1:
        return settings  # as it comes: most of these are refused
    config = {**vars(NeuralConfig().architecture), **vars(NeuralConfig().training)}
    for _ in range(len(settings)):
        try:
            NeuralConfig.from_dict(settings)
        except InputError as error:
            # Give up a key that the message names, or draw what it is about anew.
            named = [key for key in settings if key in str(error)]
            if not named:
                named = [key for key in config if key in str(error)]
            key = dice.choice(named)
            if key in settings and key not in ALWAYS:
                del settings[key]
            else:
                settings[key] = dice.choice(both[key])
    if settings.get("source") in ("averaged", "concatenated"):
        settings["source_dim"] = VALUES["source_dim"][0]  # that of the world's embeddings
    settings["learning_rate"] = dice.choice(RATES[settings.get("optimiser", "adagrad")])
    return settings


def check(settings: dict[str, Any], world: World, folder: Path) -> str:
    """Keep every promise of a configuration; how the case ended.

    Raises:
        BrokenError: it does not.
    """
    try:
        config = NeuralConfig.from_dict(settings)
    except InputError as error:
        _refused(error, settings)
        return "refused"
    if NeuralConfig.from_dict(config.to_dict()) != config:
        raise BrokenError("the configuration does not survive its own mapping")
    task = world.task(config)
    result = train_folder(task, folder / "whole", threads=1)
    _learnt(result)
    model = NeuralLM.load(folder / "whole")
    if model.config != config:
        raise BrokenError("another configuration in config.json")
    _same_scores(result.model, model, task)
    _counted_by_hand(model, world, task)
    _normalised(model, task)
    _steps(model, task)
    _resumed(config, world, folder)
    if config.architecture.output != "short-list" and config.architecture.source == "none":
        train_folder(world.task(config, encoded=True), folder / "encoded", threads=1)
        _same_files(folder, "whole", "encoded")
    return "trained"


def _refused(error: InputError, settings: dict[str, Any]) -> None:
    if not error.mend or not any(key in str(error) for key in settings):
        raise BrokenError(f"refused without a name or a way to mend it: {error}")


def _learnt(result: Any) -> None:
    log = result.progress.log
    losses, curve = [row.objective for row in log], [row.dev_perplexity for row in log]
    if not np.isfinite([*losses, *curve, result.mean_abs_log_z]).all():
        raise BrokenError(f"not finite: {losses} {curve}")
    # Few samples and few sentences: the estimate need not be better than the unigrams it began as.
    if result.model.config.training.objective != "nce" and min(curve[1:]) >= curve[0]:
        raise BrokenError(f"it does not learn: {losses} {curve}")
    if result.dev.perplexity != min(curve) and abs(result.dev.perplexity / min(curve) - 1) > 1e-6:
        raise BrokenError(f"not the best model: {result.dev.perplexity} of {curve}")
    if min(curve) > len(result.model.vocabulary):
        raise BrokenError(f"worse than a guess: {min(curve)}")


def _same_scores(one: NeuralLM, other: NeuralLM, task: Task) -> None:
    a, b = (model.corpus_perplexity(task.dev) for model in (one, other))
    if a != b:
        raise BrokenError(f"not the same from its folder: {a} {b}")


def _events(model: NeuralLM, corpus: Any) -> np.ndarray:
    if corpus.source is None:
        return model.score_words(corpus.ids, corpus.offsets)
    return model.score_words_given(corpus.ids, corpus.offsets, corpus.source_places())


def _counted_by_hand(model: NeuralLM, world: World, task: Task) -> None:
    """Perplexities, words and those outside the vocabulary, from words and their scores alone."""
    lines = [line.split() for line in (world.folder / "dev.en").read_text().splitlines()]
    known = set(model.vocabulary.words) - {"<unk>", "<s>", "</s>"}
    found = model.corpus_perplexity(task.dev)
    out = [word not in known for line in lines for word in [*line, None] if word is not None]
    inside = np.array([w is None or w in known for line in lines for w in [*line, None]])
    scores = _events(model, task.dev)
    counts = (found.words, found.sentences, found.oov)
    if counts != (len(out), len(lines), sum(out)):
        raise BrokenError(f"counts: {counts} instead of {len(out), len(lines), sum(out)}")
    for what, given, wanted in (
        ("perplexity", found.perplexity, np.exp(-scores.mean())),
        ("without OOV", found.perplexity_without_oov, np.exp(-scores[inside].mean())),
    ):
        if abs(given / wanted - 1) > 1e-5:
            raise BrokenError(f"{what}: {given} instead of {wanted}")
    corpus = task.dev
    if corpus.source is None:
        sentences = model.score_sentences(corpus.ids, corpus.offsets)
    else:
        places = corpus.source_places()
        sentences = model.score_sentences_given(corpus.ids, corpus.offsets, places)
    if abs(sentences.sum() - found.log_probability) > 1e-5 * abs(found.log_probability):
        raise BrokenError("sentences do not add up to the perplexity")


def _stepped(model: NeuralLM, task: Task, sentence: int) -> list[tuple[Any, Any, Any]]:
    """State, place in the source and next word all along a sentence of the dev text."""
    stepper, corpus, result = model.stepper(), task.dev, []
    states = stepper.start(1)
    begin, end = corpus.begins[sentence : sentence + 2]
    for event in range(begin, end):
        word = corpus.stream[event : event + 1].astype(np.int32)
        place = None
        if corpus.source is not None:
            text = corpus.source.text
            own = slice(*text.offsets[sentence : sentence + 2])
            ids = text.ids[own]
            place = (ids, int(corpus.source.position[event]))
        result.append((states, place, word))
        if event < end - 1:
            states = stepper.advance(states, np.zeros(1, np.int64), word, _places(place, 1))
    return result


def _places(place: Any, n: int) -> Any:
    from nlmt.language_model import SourcePlaces

    if place is None:
        return None
    ids, position = place
    zeros, at = np.zeros(n, np.int32), np.full(n, position, np.int32)
    return SourcePlaces(ids, np.array([0, len(ids)], np.int64), zeros, at)


def _normalised(model: NeuralLM, task: Task) -> None:
    """All words together have the probability 1 after each word of a sentence."""
    words = np.arange(len(model.vocabulary), dtype=np.int32)
    rows = np.zeros(len(words), np.int64)
    stepper = model.stepper()
    for states, place, _ in _stepped(model, task, 3)[:4]:
        scores = stepper.score(states, rows, words, _places(place, len(words)))
        total = np.exp(scores).sum()
        if abs(total - 1) > 1e-4:
            raise BrokenError(f"the probabilities add up to {total}")


def _steps(model: NeuralLM, task: Task) -> None:
    """Word by word as at once."""
    stepper, begins = model.stepper(), task.dev.begins
    wanted = _events(model, task.dev)[begins[5] : begins[6]]
    rows = np.zeros(1, np.int64)
    found = [
        stepper.score(states, rows, word, _places(place, 1))[0]
        for states, place, word in _stepped(model, task, 5)
    ]
    if not np.allclose(found, wanted, rtol=1e-4, atol=1e-4):
        raise BrokenError(f"steps: {found} instead of {wanted}")


def _resumed(config: NeuralConfig, world: World, folder: Path) -> None:
    """Cut off in the middle of a pass and begun again, twice, the bytes are the same."""
    checkpoint = folder / "resumed" / "checkpoint.safetensors"
    small = {"CHECKPOINT_SECONDS": 0.0, "CHECKPOINT_RATIO": 0.0, "CALL_EXAMPLES": 700}
    with mock.patch.multiple(training, **small):
        for calls in (2, 3):
            trainer, count = Trainer(world.task(config), checkpoint, 1), 0
            save = trainer._save

            def stop(*arguments: Any, save: Any = save, calls: int = calls) -> None:
                nonlocal count
                save(*arguments)
                count += 1
                if count == calls:
                    raise StopError

            with mock.patch.object(trainer, "_save", stop):
                try:
                    trainer.run(find_checkpoint(checkpoint, world.task(config)))
                except StopError:
                    continue
                raise BrokenError("it was not cut off")
    train_folder(world.task(config), folder / "resumed", resume="always", threads=1)
    _same_files(folder, "whole", "resumed")


def _same_files(folder: Path, one: str, other: str) -> None:
    for name in ("model.safetensors", "config.json", "vocabulary.txt", "classes.tsv"):
        if (folder / one / name).read_bytes() != (folder / other / name).read_bytes():
            raise BrokenError(f"{name} differs between {one} and {other}")


def main() -> int:
    """Run cases for a while; the number of broken ones decides the exit status."""
    parser = argparse.ArgumentParser(description=__doc__.split("\n\n")[0])
    parser.add_argument("--seconds", type=float, default=60)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--case", type=int, help="this one alone, with its traceback")
    options = parser.parse_args()
    ends: Counter[str] = Counter()
    with tempfile.TemporaryDirectory() as name:
        world = World(Path(name))
        if options.case is not None:
            settings = draw(random.Random(f"{options.seed} {options.case}"))  # noqa: S311
            print(settings)
            print(check(settings, world, Path(name) / "case"))
            return 0
        end, number = time.monotonic() + options.seconds, 0
        while time.monotonic() < end:
            settings = draw(random.Random(f"{options.seed} {number}"))  # noqa: S311
            with tempfile.TemporaryDirectory(dir=name) as case:
                try:
                    ends[check(settings, world, Path(case))] += 1
                except Exception as error:
                    ends["broken"] += 1
                    print(f"case {number}: {type(error).__name__}: {error}\n  {settings}")
            number += 1
    print(", ".join(f"{count} {how}" for how, count in ends.items()))
    return 1 if ends["broken"] else 0


if __name__ == "__main__":
    raise SystemExit(main())
