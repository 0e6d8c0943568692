"""Vectors of the source: latent semantic analysis, windows of embeddings, models that see them."""

from dataclasses import replace
from unittest import mock

import numpy as np
import pytest
import torch
from interruption import interrupted
from paired_task import read_pairs

from nlmt.errors import InputError
from nlmt.lm.kinds import TrainingData
from nlmt.lm.protocol import SourcePositions
from nlmt.neural import NeuralConfig, NeuralLM, Task, Trainer, encode, find_checkpoint, train_folder
from nlmt.neural.arrays import network_arrays
from nlmt.neural.source.lsa import analyse
from nlmt.neural.source.vectors import TABLE, EncodedSources, TableEncoder
from nlmt.neural.text.numbered import Source, Texts
from nlmt.neural.torch_backend.window_network import WindowNetwork
from nlmt.neural.train.checkpoints import keep_source
from nlmt.neural.train.epochs import open_epoch
from nlmt.neural.train.source_side import source_of_models
from nlmt.vocabulary import Vocabulary

VOCABULARY = Vocabulary(("<unk>", "<s>", "</s>", *"abcdefgh"))
RANDOM = np.random.default_rng(2)
ZEROS = np.zeros(100, np.int32)
LINES = [" ".join(RANDOM.choice(list("abcdefgh"), RANDOM.integers(1, 9))) for _ in range(60)]


@pytest.mark.parametrize("weights", ["log-entropy", "tf-idf"])
def test_analysis_equals_a_dense_decomposition(weights):
    corpus = encode([*LINES, ""], VOCABULARY)
    analysis = analyse([corpus], len(VOCABULARY), 3, 1, weights)
    table = analysis.table
    counts = np.array([[line.split().count(w) for w in VOCABULARY.words] for line in LINES])
    share = counts / np.maximum(counts.sum(0), 1)
    entropy = np.where(share > 0, share * np.log(np.maximum(share, 1e-30)), 0).sum(0)
    matrix = np.log1p(counts) * (1 + entropy / np.log(len(LINES) + 1))
    if weights == "tf-idf":
        fraction = (counts > 0).sum(0) / (len(LINES) + 1)
        matrix = counts * -np.log(np.where(fraction, fraction, 1))
    left, _, right = np.linalg.svd(matrix, full_matrices=False)
    wanted = left[:, :3] * np.sqrt((len(LINES) + 1) / 3)
    places = SourcePositions(corpus.ids, corpus.offsets, np.arange(61, dtype=np.int32), ZEROS[:61])
    beside = TableEncoder("lsa", (), table, weights).encode(places)
    found = beside.vectors[beside.of]
    assert (found[60] == 0).all()
    signs = np.sign((wanted * found[:60]).sum(0))
    assert found[:60] == pytest.approx(wanted * signs, abs=1e-4)
    assert analysis.words == pytest.approx(right[:3].T * signs, abs=1e-4)
    assert (analyse([corpus], len(VOCABULARY), 3, 1, weights).table == table).all()
    wide = analyse([corpus], len(VOCABULARY), 20, 1, weights).table  # more than the text has
    assert np.isfinite(wide).all()
    assert wide[:, :3] * np.sqrt(20 / 3) == pytest.approx(table, abs=1e-4)


def joined(kind, rows):
    """Vectors of words, of which some are not there, one after the other or as their mean."""
    known = [row for row in rows if row is not None]
    if kind == "averaged":
        return np.sum([np.zeros(4), *known], axis=0) / max(len(known), 1)
    return np.concatenate([np.zeros(4) if row is None else row for row in rows])


@pytest.mark.parametrize("chosen", [(-1, 0, 1), (1, 2), (-3, -2, -1), (-1, 1)])
@pytest.mark.parametrize("kind", ["averaged", "concatenated"])
def test_windows_equal_a_loop(kind, chosen):
    table = RANDOM.normal(size=(len(VOCABULARY), 4)).astype(np.float32)
    sources = encode(["a b c d", "", "e f"], VOCABULARY)
    of = np.array([0, 0, 1, 2, 2, 2, 0], dtype=np.int32)
    position = np.array([0, 4, 0, 2, 1, 0, 0], dtype=np.int32)
    encoder = TableEncoder(kind, chosen, table)
    asked = SourcePositions(sources.ids, sources.offsets, of, position)
    beside = encoder.encode(asked)
    found = beside.vectors[beside.of]
    known = EncodedSources(encoder, sources.ids, sources.offsets)
    same = known.at(asked)
    assert (same.vectors[same.of] == found).all()
    with pytest.raises(ValueError, match="a position outside its source sentence"):
        known.at(SourcePositions(sources.ids, sources.offsets, of, position + 1))
    assert len(beside.vectors) == 6
    sentences = [[3, 4, 5, 6, 2], [2], [7, 8, 2]]
    for row, s, p in zip(found, of, position, strict=True):
        known = dict(enumerate(table[sentences[s]]))
        wanted = joined(kind, [known.get(p + distance) for distance in chosen])
        assert row == pytest.approx(wanted, abs=1e-6)


@pytest.mark.parametrize("kind", ["averaged", "concatenated"])
def test_vectors_of_linked_words(kind):
    table = RANDOM.normal(size=(len(VOCABULARY), 4)).astype(np.float32)
    sources = encode(["a b c d", "e f"], VOCABULARY)
    position = np.array([[0, 2], [2, -1], [4, -1], [0, 1], [0, 2]], dtype=np.int32)
    of = np.array([0, 1, 0, 1, 0], dtype=np.int32)
    encoder = TableEncoder(kind, (-1, 0), table)
    beside = encoder.encode(SourcePositions(sources.ids, sources.offsets, of, position))
    a, c, e, f, end = table[[3, 5, 7, 8, 2]]
    rows = (a, c), (end, None), (end, None), (e, f), (a, c)
    wanted = np.array([joined(kind, row) for row in rows])
    assert beside.vectors[beside.of] == pytest.approx(wanted, abs=1e-6)
    assert len(beside.vectors) == 4
    for wrong in (position + 3, position - 1):
        with pytest.raises(ValueError, match="a position outside its source sentence"):
            encoder.encode(SourcePositions(sources.ids, sources.offsets, of, wrong))


def test_sides_of_a_window():
    def places(**keys):
        keys = {"source": "concatenated", "source_dim": 10, **keys}
        architecture = NeuralConfig.from_dict(keys)
        assert architecture.source_vector_dim == 10 * len(architecture.source_places)
        return architecture.source_places

    assert places(source_window=1) == (-1, 0, 1)
    assert places(source_window=3, source_side="before") == (-3, -2, -1)
    assert places(source_window=2, source_side="after") == (1, 2)
    assert places(source_window=1, source_side="around") == (-1, 1)
    assert len(places(source_window=2, source_side="linked")) == 5
    with pytest.raises(InputError, match="source_side: after leaves no word in the window"):
        places(source_window=0, source_side="after")


@pytest.fixture(scope="module")
def embeddings(pairs):
    config = NeuralConfig.from_dict({"dim": 6, "output": "full", "order": 3, "epochs": 1})
    task = Task.read(config, TrainingData([pairs / "train.f"], pairs / "dev.f"))
    return Trainer(task).run().model


KINDS = [
    {"source": "lsa"},
    {"source": "averaged", "source_window": 0, "source_vectors": "lsa"},
    {"source": "averaged", "source_window": 0, "direct_features": 500},
    {"source": "concatenated", "source_window": 1, "network": "gru", "optimiser": "adam"},
    {"source": "concatenated", "source_window": 1, "source_side": "linked"},
]


def test_embeddings_of_a_model_that_sees_a_source_itself(embeddings):
    """Embeddings of that source, below the others, are left out."""
    config = NeuralConfig.from_dict({"source": "averaged", "source_dim": 6})
    own = embeddings.parameters["embeddings"]
    more = replace(embeddings, parameters={"embeddings": np.concatenate([own, 2 * own])})
    _, wanted = source_of_models(config, None, embeddings)
    vocabulary, found = source_of_models(config, None, more)
    assert vocabulary == embeddings.vocabulary
    assert (found[TABLE] == wanted[TABLE]).all()


def shuffled(places):
    """The first position in the source of the next sentence, for each word."""
    of = (places.of + 1) % (len(places.offsets) - 1)
    return SourcePositions(places.ids, places.offsets, of, np.zeros_like(places.position))


def read(pairs, embeddings, **kind):
    """The task of `pairs`, with embeddings where they are the vectors of source words."""
    return read_pairs(pairs, None if "lsa" in kind.values() else embeddings, **kind)


@pytest.mark.parametrize("kind", KINDS, ids=str)
def test_learns_from_the_source_and_steps(pairs, embeddings, kind, tmp_path):
    kind = {**kind, "learning_rate": 0.01} if "optimiser" in kind else kind
    task = read(pairs, embeddings, **kind)
    Trainer(task).run().model.save(tmp_path)
    model = NeuralLM.load(tmp_path)
    dev = task.dev
    places = dev.source_positions()
    scores = model.score_sentences_given(dev.ids, dev.offsets, places)
    # Shuffled sources lose it: the same target has other scores.
    wrong = model.score_sentences_given(dev.ids, dev.offsets, shuffled(places))
    assert scores.sum() > wrong.sum() + 50
    with pytest.raises(InputError, match="conditioned on the source"):
        model.score_sentences(dev.ids, dev.offsets)
    # Word by word, with the states of all sentences in one array.
    rows, alive = dev.pad(np.arange(80)), np.arange(80)
    states, total, begins = model.start(80), np.zeros(80), dev.begins[:-1]
    for column in range(rows.shape[1]):
        going = rows[alive, column] >= 0
        states, alive = states.take(np.flatnonzero(going)), alive[going]
        at = begins[alive] + column
        source = SourcePositions(places.ids, places.offsets, places.of[at], places.position[at])
        step, states = model.step(states, rows[alive, column], source)
        total[alive] += step
    assert total == pytest.approx(scores, abs=1e-4)


@pytest.mark.parametrize("kind", KINDS, ids=str)
def test_minibatches_have_the_vectors_of_their_sentences(pairs, embeddings, kind):
    task = read(pairs, embeddings, **kind)
    epoch, done, seen = open_epoch(task, 0), 0, 0
    while done < epoch.examples:
        batches = epoch.take(done, 70)
        seen += len(batches) > 1
        for batch in batches:
            expected = [vectors_of(task, row) for row in batch.words]
            of = batch.vector_of[batch.words[:, 1:] >= 0]
            assert (batch.vectors[of] == np.concatenate(expected)).all()
        done += sum(batch.examples for batch in batches)
    assert seen > 5


def vectors_of(task, row):
    """The vectors beside a sentence of `pairs`, whose source is the same in small letters."""
    words = [task.vocabulary.words[i] for i in row[row > 2]]
    source = encode([" ".join(words).lower()], task.source_vocabulary)
    of = np.zeros(len(words) + 1, dtype=np.int32)
    position = np.arange(len(of), dtype=np.int32)
    if linked := task.config.linked_words:
        position = np.column_stack([position, *[of - 1] * (linked - 1)])
    place = SourcePositions(source.ids, source.offsets, of, position)
    found = task.encoder.encode(place)
    return found.vectors[found.of]


def test_sources_that_were_shuffled_gain_nothing(pairs, tmp_path):
    """Neither where the model was trained with the right ones, nor where with the wrong ones."""
    for name in ("train", "dev"):
        first, *lines = (pairs / f"{name}.f").read_text().splitlines(keepends=True)
        (tmp_path / f"{name}.f").write_text("".join([*lines, first]))
    for name in ("train.e", "dev.e", "classes"):
        (tmp_path / name).symlink_to(pairs / name)
    none = Trainer(read_pairs(pairs, source="none")).run().dev.perplexity
    right = Trainer(read_pairs(pairs)).run()
    assert right.dev.perplexity < 0.8 * none
    wrong = read_pairs(tmp_path)
    assert right.model.text_perplexity(wrong.dev).perplexity > none
    assert Trainer(wrong).run().dev.perplexity > 0.98 * none


FEED_FORWARD = {"network": "feed-forward", "order": 3}
WINDOWS = [
    {"source": "lsa", "dropout": 0.2, "learning_rate": 0.05},
    {"source": "lsa", "source_weights": "tf-idf", "learning_rate": 0.05},
    {"source": "averaged", "source_window": 0, "objective": "nce", "hidden": [12]},
    {"source": "concatenated", "source_window": 1, "projection": "concatenation"},
    {"source": "averaged", "source_window": 0, "output": "short-list", "short_list": 5},
    {"source": "averaged", "source_window": 0, "engine": "torch", "optimiser": "adam",
     "learning_rate": 0.01, "minibatch": 40},
    {"source": "concatenated", "source_window": 0, "source_vectors": "lsa"},
    {"source": "averaged", "source_window": 1, "source_side": "linked"},
]  # fmt: skip


@pytest.mark.parametrize("parts", WINDOWS, ids=str)
def test_feed_forward_models(pairs, embeddings, parts, tmp_path):
    task = read(pairs, embeddings, **FEED_FORWARD, **parts)
    result = Trainer(task).run()
    result.model.save(tmp_path)
    model = NeuralLM.load(tmp_path)
    alone = {key: parts[key] for key in parts if not key.startswith("source")}
    without = Trainer(read_pairs(pairs, **FEED_FORWARD, **alone, source="none")).run()
    assert result.dev.perplexity < 0.85 * without.dev.perplexity
    dev = task.dev
    places = dev.source_positions()
    wrong = model.score_words_given(dev.ids, dev.offsets, shuffled(places))
    assert np.exp(-wrong.mean()) > 0.95 * without.dev.perplexity
    scores = model.score_words_given(dev.ids, dev.offsets, places)
    assert np.exp(-scores.mean()) == pytest.approx(result.dev.perplexity)
    histories = dev.windows(np.arange(dev.events), 3)[:, :-1]
    words = dev.stream.astype(np.int32)
    assert (model.score_ngrams(histories, words, places) == scores).all()
    if parts.get("output") == "short-list":
        return
    network = WindowNetwork(model.config, model.layout)
    network.load_parameters(model.parameters)
    beside = task.encoder.encode(places)
    vectors = torch.from_numpy(beside.vectors[beside.of])
    with torch.no_grad():
        hidden = network.hidden(torch.from_numpy(histories).long(), beside=vectors)
        wanted = network.output.log_probabilities(hidden, torch.from_numpy(words).long())
    assert scores == pytest.approx(wanted.numpy(), abs=1e-4)
    with pytest.raises(InputError, match="decoder does not take a model of source"):
        network_arrays(model)


@pytest.mark.threads
@pytest.mark.parametrize("parts", [WINDOWS[0], WINDOWS[2]], ids=str)
def test_feed_forward_models_come_out_the_same(pairs, embeddings, parts, tmp_path):
    """On one thread or two, and where training was cut within an epoch."""
    task = read(pairs, embeddings, **FEED_FORWARD, **parts, evaluations=3)
    checkpoint = tmp_path / "checkpoint"
    interrupted(Trainer(task, checkpoint), None, 3, 300)
    start = find_checkpoint(checkpoint, task)
    assert start.progress.done > 0
    runs = Trainer(task).run(), Trainer(task, threads=2).run(), Trainer(task).run(start)
    wanted, *others = (result.model.parameters for result in runs)
    for found in others:
        assert all((found[name] == wanted[name]).all() for name in wanted)


TRANSFORM = {"source": "transform", "source_bits": 8, "transform_epochs": 1}


@pytest.mark.parametrize("kind", [{"source": "lsa"}, TRANSFORM], ids=str)
def test_training_goes_on_where_another_processor_learns_other_arrays(pairs, kind, tmp_path):
    """Of the source, within rounding: the model is that of the first start."""
    task = read_pairs(pairs, **kind, learning_rate=0.05, epochs=2)
    arrays = {name: values * np.float32(1 + 1e-6) for name, values in task.source_arrays.items()}
    elsewhere = replace(task, source_arrays=arrays)
    wanted = train_folder(task, tmp_path / "whole").model
    stopped = mock.patch.object(Trainer, "_finished", side_effect=[False, KeyboardInterrupt])
    with stopped, pytest.raises(KeyboardInterrupt):
        train_folder(task, tmp_path / "cut")
    found = train_folder(elsewhere, tmp_path / "cut", resume="always").model
    wholly = {**wanted.parameters, **wanted.source_arrays}
    for name, values in {**found.parameters, **found.source_arrays}.items():
        assert (values == wholly[name]).all()
    assert not list((tmp_path / "cut").glob("checkpoint*"))
    # Not where training starts from the beginning, or the texts or settings are others.
    (tmp_path / "cut").mkdir(exist_ok=True)
    path = tmp_path / "cut/source"
    again = {"may_differ": ("learning_rate",), "write": True}
    keep_source(task, path, **again, fresh=True)
    other = replace(elsewhere, config=task.config.model_copy(update={"seed": 5}))
    rate = replace(elsewhere, config=task.config.model_copy(update={"learning_rate": 0.1}))
    assert keep_source(rate, path, **again, fresh=False).source_arrays is not arrays
    assert keep_source(elsewhere, path, **again, fresh=True).source_arrays is arrays
    assert keep_source(other, path, **again, fresh=False).source_arrays is arrays
    path.write_bytes(path.read_bytes()[:-1])
    assert keep_source(other, path, **again, fresh=False).source_arrays is arrays


def test_equal_contexts_beside_equal_vectors_are_one(pairs):
    model = Trainer(read_pairs(pairs, **FEED_FORWARD, epochs=1)).run().model
    text = encode(["A B", "A B", "A B"], model.vocabulary)
    source = encode(["a b", "c d e"], model.source_vocabulary)
    of = np.repeat(np.array([0, 1, 0], np.int32), 3)
    places = SourcePositions(source.ids, source.offsets, of, np.arange(9, dtype=np.int32) % 3)
    scores, asked = model.score_sentences_with_statistics(text.ids, text.offsets, places)
    assert (asked.requests, asked.distinct_ngrams, asked.distinct_contexts) == (9, 6, 6)
    assert scores[0] == scores[2] != scores[1]


def test_alignments_that_are_missing_or_too_much(pairs):
    with pytest.raises(InputError, match=r"train.a: an alignment has no effect with source: lsa"):
        read_pairs(pairs, aligned=True)
    with pytest.raises(InputError, match=r"train.f: source: averaged needs the alignment"):
        read_pairs(pairs, source="averaged", aligned=False)


def test_equal_targets_of_different_sources(pairs):
    model = Trainer(read_pairs(pairs, epochs=1)).run().model
    text = encode(["A B", "A B", "A B"], model.vocabulary)
    source = encode(["a b", "c d e", "a b"], model.source_vocabulary)
    of = np.repeat(np.arange(3, dtype=np.int32), 3)
    places = SourcePositions(source.ids, source.offsets, of, np.zeros(9, np.int32))
    first, second, third = model.score_sentences_given(text.ids, text.offsets, places)
    assert first == third
    assert first != second


def test_places_of_several_texts():
    parts = [encode(lines, VOCABULARY) for lines in (["a b", "c"], ["d", "e f g"])]
    text = encode(["a", "b c"], VOCABULARY)
    sources = [Source(text, np.arange(part.events, dtype=np.int32)) for part in parts]
    sided = [replace(part, source=one) for part, one in zip(parts, sources, strict=True)]
    places = Texts(sided).source_positions(np.array([3, 0]))
    assert places.ids.tolist() == [4, 5, 3]
    assert places.offsets.tolist() == [0, 2, 3]
    assert places.of.tolist() == [0, 0, 0, 0, 1, 1, 1]
    assert places.position.tolist() == [2, 3, 4, 5, 0, 1, 2]


@pytest.mark.parametrize(
    ("given", "keys", "says"),
    [
        (False, {}, "needs the embeddings"),
        (True, {"source_vectors": "lsa"}, "no effect with source_vectors: lsa"),
        (True, {"source_dim": 7}, r"source_dim: 7, but .*\(source_dim: 6\)"),
    ],
)
def test_embeddings_that_do_not_fit(pairs, embeddings, given, keys, says):
    with pytest.raises(InputError, match=says):
        read_pairs(pairs, embeddings if given else None, source="averaged", **keys)


def test_rows_of_words_have_a_mean_squared_length_of_one(pairs):
    table = read_pairs(pairs, source="concatenated", source_vectors="lsa").source_arrays[TABLE]
    assert np.square(table).sum(axis=1).mean() == pytest.approx(1, abs=1e-5)
