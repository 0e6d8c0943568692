"""Epochs: what is drawn, in which order, in how many buffers; minibatches from any place on."""

import numpy as np
import pytest

from nlmt.neural.train import task as tasks
from nlmt.neural.train.epochs import open_epoch
from nlmt.neural.train.sampling import Sampling


def examples(sampling, seed, number):
    order = sampling.order(seed, number)
    buffers = [order.buffer(i) for i in range(len(order.sizes))]
    assert [len(buffer) for buffer in buffers] == order.sizes.tolist()
    return np.concatenate(buffers)


@pytest.mark.parametrize("buffer", [10, 1000])
@pytest.mark.parametrize("chunk", [1, 4, 1000])
def test_a_pass_has_every_example_once(chunk, buffer):
    whole = Sampling((60, 0, 41), (1.0, 1.0, 1.0), chunk, buffer)
    first = examples(whole, 1, 0)
    assert sorted(first) == list(range(101))
    assert first.tolist() == examples(whole, 1, 0).tolist() != sorted(first)
    assert first.tolist() != examples(whole, 1, 1).tolist()
    assert first.tolist() != examples(whole, 2, 0).tolist()


def test_a_small_corpus_is_mixed_as_a_whole():
    wanted = np.random.default_rng([7, 3]).permutation(1000)
    assert (examples(Sampling((600, 400), (1.0, 1.0), 16, 1000), 7, 3) == wanted).all()


@pytest.mark.parametrize(("chunk", "buffer"), [(1000, 10_000), (7, 50)])
def test_a_pass_draws_its_share_of_each_text(chunk, buffer):
    some = Sampling((600, 400, 9), (0.5, 0.1, 0.01), chunk, buffer)
    epochs = [examples(some, 1, number) for number in range(40)]
    for drawn in epochs:
        assert len(set(drawn)) == len(drawn) == 341
        assert np.count_nonzero(drawn < 600) == 300
        assert np.count_nonzero(drawn >= 1000) == 1
    # Drawn anew in each epoch: after some of them nearly every example has been seen.
    assert len(set(np.concatenate(epochs))) > 970


@pytest.mark.parametrize("share", [1.0, 0.4])
def test_only_what_is_eligible(share):
    odd = Sampling((101,), (share,), 8, 20, lambda places: places % 2 == 1)
    drawn = examples(odd, 1, 0)
    assert (drawn % 2 == 1).all()
    assert len(set(drawn)) == len(drawn) == round(50 * share)
    # Nothing in the second text.
    first = Sampling((50, 60), (1.0, 0.5), 8, 1000, lambda places: places < 50)
    assert sorted(examples(first, 1, 0)) == list(range(50))


def test_buffers_are_about_equal_and_chunks_lie_together():
    order = Sampling((10_000,), (1.0,), 100, 3000).order(1, 0)
    assert len(order.sizes) == 4
    assert order.sizes.min() >= 2400
    for i in range(4):
        assert len(set(order.buffer(i) // 100)) == order.sizes[i] / 100
    assert order.buffer(0)[:50].max() - order.buffer(0)[:50].min() > 5000


def test_windows_of_a_pass(make_task, monkeypatch):
    monkeypatch.setattr(tasks, "CHUNK", 64)
    monkeypatch.setattr(tasks, "BUFFER", 1000)
    task = make_task(resampling=[0.7])
    one = open_epoch(task, 1)
    order = task.sampling.order(1, 1)
    assert one.examples == round(0.7 * task.texts.events)
    rows = [task.texts.windows(order.buffer(i), 4) for i in range(len(order.sizes))]
    assert len(rows) > 2
    done, found = 0, []
    while done < one.examples:
        batches = one.take(done, 350)
        assert all(len(batch.words) == 100 for batch in batches[:-1])
        found += [batch.words for batch in batches]
        done += sum(batch.examples for batch in batches)
    assert (np.concatenate(found) == np.concatenate(rows)).all()
    again = open_epoch(task, 1).take(int(order.sizes[:2].sum()), 1)
    assert (again[0].words == rows[2][:100]).all()


@pytest.mark.parametrize("share", [1, 0.5])
def test_batches_of_sentences(make_task, monkeypatch, share):
    monkeypatch.setattr(tasks, "SENTENCE_CHUNK", 10)
    monkeypatch.setattr(tasks, "SENTENCE_BUFFER", 90 if share == 1 else 1000)
    task = make_task(network="gru", objective="likelihood", resampling=[share])
    seen = []
    for number in (0, 0, 1):
        one = open_epoch(task, number)
        batches, sizes = [], []
        while sum(sizes) < one.examples:
            some = one.take(sum(sizes), 500)
            batches += [batch.words for batch in some]
            sizes += [batch.examples for batch in some]
        assert one.examples == sum(sizes)
        assert sum(len(batch) for batch in batches) == 400 * share
        for batch, size in zip(batches, sizes, strict=True):
            assert np.count_nonzero(batch[:, 1:] >= 0) == size < 100 + batch.shape[1]
            assert (batch[:, 0] == 1).all()
            assert (batch == 2).sum(1).tolist() == [1] * len(batch)
            assert np.ptp((batch >= 0).sum(1)) <= 10 + 10 * (share == 1)
        seen.append([batch.tolist() for batch in batches])
        later = one.take(sum(sizes[:3]), 1)
        assert later[0].words.tolist() == seen[-1][3]
        assert len(later) == 1
    assert seen[0] == seen[1] != seen[2]
