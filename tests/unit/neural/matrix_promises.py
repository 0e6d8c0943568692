"""What every model promises, whatever it is made of; see `neural_matrix`."""

from pathlib import Path
from typing import Any

import numpy as np
from interruption import interrupted
from matrix_world import World

from nlmt.errors import InputError
from nlmt.lm.protocol import SourcePositions
from nlmt.neural import NeuralConfig, NeuralLM, Task, Trainer, find_checkpoint
from nlmt.neural.train.folder import train_folder


def refused_by_name(error: InputError, settings: dict[str, Any]) -> None:
    """What cannot work is named, and how to fix it."""
    assert error.hint, f"refused without a way to fix it: {error}"
    assert any(key in str(error) for key in settings), f"refused without a name: {error}"


def exploded(error: InputError, folder: Path) -> None:
    """A rate that is too high for the other keys ends training, and leaves no model."""
    if "training exploded" not in str(error) or "lower learning_rate" not in str(error):
        raise error
    assert not (folder / "model.safetensors").exists(), "a model that exploded"


def learnt(result: Any) -> None:
    """The loss falls, the best model is kept, and it is better than a guess."""
    log = result.progress.log
    losses, curve = [row.objective for row in log], [row.dev_perplexity for row in log]
    assert np.isfinite([*losses, *curve, result.mean_abs_log_z]).all(), f"{losses} {curve}"
    # Few samples and few sentences: the estimate need not be better than the unigrams it began as.
    falls = min(curve[1:]) < curve[0] or min(losses[1:]) < losses[0]
    assert result.model.config.objective == "nce" or falls, f"no learning: {losses} {curve}"
    found = result.dev.perplexity
    assert abs(found / min(curve) - 1) <= 1e-6, f"not the best model: {found} of {curve}"
    assert min(curve) <= len(result.model.vocabulary), f"worse than a guess: {min(curve)}"


def same_from_its_folder(model: NeuralLM, folder: Path, task: Task) -> NeuralLM:
    """A model comes back as it was, on any number of threads."""
    for threads in (1, 2):
        loaded = NeuralLM.load(folder, threads=threads)
        assert loaded.config == task.config, "another configuration in config.json"
        one, other = _events(model, task.dev), _events(loaded, task.dev)
        # Torch's products are cut in pieces for its threads.
        by_torch = model.config.network == "transformer" and threads > 1
        same = np.allclose(one, other, rtol=0, atol=2e-5 if by_torch else 0)
        assert same, f"not the same from its folder on {threads} threads"
    return loaded


def counted_by_hand(model: NeuralLM, text: Path, task: Task) -> None:
    """Perplexities, words and those outside the vocabulary, from words and their scores alone."""
    lines = [line.split() for line in text.read_text().splitlines()]
    known = set(model.vocabulary.words) - {"<unk>", "<s>", "</s>"}
    found = model.text_perplexity(task.dev)
    out = [word not in known for line in lines for word in line]
    inside = np.array([w is None or w in known for line in lines for w in [*line, None]])
    scores = _events(model, task.dev)
    counts = (found.words, found.sentences, found.oov)
    by_hand = len(out), len(lines), sum(out)
    assert counts == by_hand, f"counts: {counts} instead of {by_hand}"
    for what, given, wanted in (
        ("perplexity", found.perplexity, np.exp(-scores.mean())),
        ("without OOV", found.perplexity_without_oov, np.exp(-scores[inside].mean())),
    ):
        assert abs(given / wanted - 1) <= 1e-5, f"{what}: {given} instead of {wanted}"


def sentences_are_their_words(model: NeuralLM, task: Task) -> None:
    """Sentences add up to their words, which are n-grams where the model has some."""
    corpus, words = task.dev, _events(model, task.dev)
    places = None if corpus.source is None else corpus.source_positions()
    if places is None:
        sentences = model.score_sentences(corpus.ids, corpus.offsets)
    else:
        sentences = model.score_sentences_given(corpus.ids, corpus.offsets, places)
    sums = np.add.reduceat(words, corpus.begins[:-1])
    assert np.allclose(sentences, sums, rtol=1e-6), "sentences are not the sums of their words"
    if model.order is not None:
        rows = corpus.windows(np.arange(corpus.events), model.order)
        ngrams = model.score_ngrams(rows[:, :-1], rows[:, -1], places)
        assert np.allclose(ngrams, words, atol=1e-5), "n-grams are not the words of sentences"


def normalised(model: NeuralLM, task: Task) -> None:
    """All words together have the probability 1 after each word of a sentence."""
    words = np.arange(len(model.vocabulary), dtype=np.int32)
    rows = np.zeros(len(words), np.int64)
    stepper = model.stepper()
    for states, place, _ in _stepped(model, task, 3)[:4]:
        scores = stepper.score(states, rows, words, _places(place, len(words)))
        total = np.exp(scores).sum()
        assert abs(total - 1) <= 1e-4, f"the probabilities add up to {total}"


def steps_are_words(model: NeuralLM, task: Task) -> None:
    """Word by word as at once."""
    stepper, begins = model.stepper(), task.dev.begins
    wanted = _events(model, task.dev)[begins[5] : begins[6]]
    rows = np.zeros(1, np.int64)
    found = [
        stepper.score(states, rows, word, _places(place, 1))[0]
        for states, place, word in _stepped(model, task, 5)
    ]
    close = np.allclose(found, wanted, rtol=1e-4, atol=1e-4)
    assert close, f"steps: {found} instead of {wanted}"


def resumes(task: Task, folder: Path, whole: str) -> None:
    """Cut off in the middle of an epoch and begun again, twice, the bytes are the same."""
    checkpoint = folder / "resumed" / "checkpoint.safetensors"
    for saves in (1, 2):
        start = find_checkpoint(checkpoint, task)
        interrupted(Trainer(task, checkpoint), start, saves, 700)
    train_folder(task, folder / "resumed", resume="always")
    same_files(folder / whole, folder / "resumed")


def goes_on(world: World, config: NeuralConfig, start: NeuralLM, folder: Path) -> None:
    """On another text a model keeps its words and is no worse than before."""
    task = world.further_task(config, start)
    assert task.vocabulary == start.vocabulary, "other words than those of the start"
    assert task.layout is start.layout, "other classes than those of the start"
    before = start.text_perplexity(task.dev).perplexity
    result = train_folder(task, folder / "further")
    after = result.dev.perplexity
    assert after <= before * (1 + 1e-6), f"worse than before: {after}, {before}"
    same_from_its_folder(result.model, folder / "further", task)
    resumes(task, folder, "further")


def same_files(one: Path, other: Path) -> None:
    """Two folders hold the same model, byte for byte."""
    first, second = (
        {path.name: path.read_bytes() for path in folder.iterdir()} for folder in (one, other)
    )
    assert first.keys() == second.keys(), f"{one.name} and {other.name} hold different files"
    for name in first.keys() - {"metrics.json", "log.tsv"}:
        assert first[name] == second[name], f"{name} differs between {one.name} and {other.name}"


def _events(model: NeuralLM, corpus: Any) -> np.ndarray:
    if corpus.source is None:
        return model.score_words(corpus.ids, corpus.offsets)
    return model.score_words_given(corpus.ids, corpus.offsets, corpus.source_positions())


def _stepped(model: NeuralLM, task: Task, sentence: int) -> list[tuple[Any, Any, Any]]:
    """State, positions in the source and next word all along a sentence of the dev text."""
    stepper, corpus, result = model.stepper(), task.dev, []
    states = stepper.start(1)
    begin, end = corpus.begins[sentence : sentence + 2]
    for event in range(begin, end):
        word = corpus.stream[event : event + 1].astype(np.int32)
        place = None
        if corpus.source is not None:
            text = corpus.source.text
            own = slice(*text.offsets[sentence : sentence + 2])
            place = (text.ids[own], corpus.source.position[event])
        result.append((states, place, word))
        if event < end - 1:
            states = stepper.advance(states, np.zeros(1, np.int64), word, _places(place, 1))
    return result


def _places(place: Any, n: int) -> SourcePositions | None:
    if place is None:
        return None
    ids, position = place
    zeros, at = np.zeros(n, np.int32), np.repeat(position[None], n, axis=0)
    return SourcePositions(ids, np.array([0, len(ids)], np.int64), zeros, at)
