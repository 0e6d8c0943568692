"""Checkpoints: what explodes, is killed or damaged leaves the last good one, and no other."""

import json
from dataclasses import replace
from types import SimpleNamespace

import numpy as np
import pytest
from interruption import interrupted
from safetensors import SafetensorError
from safetensors.numpy import save_file

from nlmt.errors import InputError
from nlmt.io.locks import alone_in
from nlmt.neural import Trainer, find_checkpoint
from nlmt.neural import train_folder as train
from nlmt.neural.outputs.full import Flat
from nlmt.neural.parameters import TrainingState, check
from nlmt.neural.tensors import CHECKSUM, NOTES, read_tensors, write_tensors
from nlmt.neural.text.numbered import Source, Texts
from nlmt.neural.train.checkpoints import LogRow, Progress, TrainingCheckpoint, remove_checkpoints
from nlmt.provenance import present_code
from nlmt.provenance.stretches import begin_report, end_report

LIKELIHOOD = {"objective": "likelihood"}


@pytest.fixture
def checkpoint(tmp_path, make_task):
    """A checkpoint after one epoch."""
    path = tmp_path / "checkpoint.safetensors"
    Trainer(make_task(epochs=1), path).run()
    return path


def flip(path, place):
    """Change a bit of a byte."""
    content = bytearray(path.read_bytes())
    content[place] ^= 1 << place % 8
    path.write_bytes(content)


@pytest.mark.parametrize(
    ("objective", "engine"), [("nce", "kernel"), ("likelihood", "kernel"), ("nce", "torch")]
)
def test_an_explosion_leaves_the_checkpoint(checkpoint, make_task, objective, engine):
    wild = {"optimiser": "sgd", "learning_rate": 100.0, "minibatch": 20}
    trainer = Trainer(make_task(**wild, objective=objective, engine=engine), checkpoint)
    before = checkpoint.read_bytes()
    with pytest.raises(InputError, match=r"training exploded in epoch 1: .*lower learning_rate"):
        trainer.run()
    assert checkpoint.read_bytes() == before


@pytest.mark.parametrize(
    "settings",
    [
        {"network": "elman", **LIKELIHOOD, "learning_rate": 100.0},
        {"network": "lstm", **LIKELIHOOD, "learning_rate": 100.0},
        {**LIKELIHOOD, "optimiser": "adam", "learning_rate": 5.0},
    ],
    ids=str,
)
def test_a_first_pass_that_explodes_is_no_model(tmp_path, make_task, settings):
    with pytest.raises(InputError, match=r"exploded in epoch 1: the loss is \S+ a token .*lower"):
        train(make_task(**settings), tmp_path)
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize(
    "settings",
    [
        {"objective": "self-normalised", "alpha": 1.0, "output": "full"},
        {"objective": "nce", "noise": 100, "output": "full"},
    ],
    ids=str,
)
def test_the_high_loss_of_even_first_scores_is_no_explosion(make_task, settings):
    """Normalisers are V then, not 1."""
    task = make_task(**settings, initial_range=0.01, learning_rate=0.001, epochs=1)
    (row,) = Trainer(task).run().progress.log
    assert row.objective > 3 * np.log(len(task.vocabulary))


def test_numbers_that_are_not_finite_are_never_saved(tmp_path, make_task):
    """Those of the step before the loss shows it, too."""
    checkpoint = tmp_path / "checkpoint.safetensors"
    trainer = Trainer(make_task(epochs=1), checkpoint)
    trainer.run()
    before, start = checkpoint.read_bytes(), find_checkpoint(checkpoint, trainer.task)
    start.state.parameters["word_weight"][3, 1] = np.inf
    trainer._engine = SimpleNamespace(state=lambda: start.state)
    with pytest.raises(InputError, match=r"word_weight is not finite; the last good .*--resume"):
        trainer._save()
    start.state.parameters["word_weight"][3, 1] = 0
    start.state.squares["word_weight"][3, 1] = np.inf
    with pytest.raises(InputError, match=r"squares/word_weight is not finite; the last good"):
        trainer._save()
    assert checkpoint.read_bytes() == before


def test_a_checkpoint_goes_on_with_a_lower_rate(checkpoint, make_task, caplog):
    before = find_checkpoint(checkpoint, make_task(epochs=1)).progress
    wild = make_task(epochs=1, learning_rate=0.05, clip=1.0)
    with pytest.raises(InputError, match="made with another learning_rate, clip"):
        find_checkpoint(checkpoint, wild)
    with pytest.raises(InputError, match="made with another learning_rate, clip"):
        find_checkpoint(checkpoint, wild, ["clip"])
    assert find_checkpoint(checkpoint, wild, ["clip", "learning_rate"]) is not None
    with caplog.at_level("INFO"):
        result = train(wild, checkpoint.parent, resume="always")
    assert "with another learning_rate, clip" in caplog.text
    assert result.progress.log[: len(before.log)] == before.log


@pytest.mark.parametrize(
    ("resume", "changes", "resumes"),
    [
        ("never", {}, False),
        ("if it fits", {}, True),
        ("if it fits", {"learning_rate": 0.05}, False),
    ],
)
def test_what_training_resumes_from(checkpoint, make_task, caplog, resume, changes, resumes):
    """A checkpoint of another rate is taken only where `resume` is `always`, as above."""
    with caplog.at_level("INFO"):
        train(make_task(epochs=1, **changes), checkpoint.parent, resume=resume)
    assert ("resuming after 1 epochs" in caplog.messages) == resumes
    assert ("checkpoint of an earlier training is replaced" in caplog.text) == (resume == "never")


def test_training_that_other_code_began_says_so(tmp_path, make_task, monkeypatch, caplog):
    checkpoint, old = tmp_path / "checkpoint.safetensors", {"nlmt.neural.objectives": "0"}
    monkeypatch.setattr("nlmt.neural.train.trainer.present_code", lambda: old)
    interrupted(Trainer(make_task(epochs=2), checkpoint), None, 1, 300)
    assert TrainingCheckpoint.load(checkpoint).code == [old]
    monkeypatch.undo()
    saved = record_code(monkeypatch)
    train(make_task(epochs=2), tmp_path, resume="always")
    assert saved[-1] == [old, present_code()]
    assert "before a change of the code of nlmt.neural.objectives: the result is" in caplog.text
    train(make_task(epochs=2), tmp_path)
    assert saved[-1] == [present_code()]


def test_a_search_of_which_other_code_began_a_part_says_so(tmp_path, make_task, monkeypatch):
    """Also where another of its settings is chosen, as the choice depends on that one."""
    keys, old = {"epochs": 1, "search": {"learning_rate": (0.1, 0.001)}}, {"nlmt.gone": "0"}
    (tmp_path / "search-2").mkdir()
    monkeypatch.setattr("nlmt.neural.train.trainer.present_code", lambda: old)
    slow = make_task(**keys | {"search": {}, "learning_rate": 0.001})
    Trainer(slow, tmp_path / "search-2/checkpoint.safetensors").run()
    monkeypatch.undo()
    saved = record_code(monkeypatch)
    report = tmp_path / "report.json"
    begin_report(report)
    result = train(make_task(**keys), tmp_path, resume="if it fits")
    assert result.model.config.learning_rate == 0.1
    assert end_report(report, present_code()) == [old]
    assert saved == [[present_code()]]  # the other has ended


def record_code(monkeypatch):
    """Gets the code of each checkpoint that is saved."""
    saved, save = [], TrainingCheckpoint.save

    def record(checkpoint, path):
        saved.append(list(checkpoint.code))
        save(checkpoint, path)

    monkeypatch.setattr(TrainingCheckpoint, "save", record)
    return saved


def test_a_fingerprint_has_all_that_training_depends_on(make_task):
    task = make_task()
    (text,), dev = task.texts.parts, task.dev
    zeros, ones = np.zeros(9, np.int32), np.ones(9, np.int32)
    for key, changes in {
        "training text": {"texts": Texts([dev])},
        "dev text": {"dev": text},
        "test text": {"test": dev},
        "classes": {"layout": Flat(len(task.vocabulary))},
        "model to start from": {"start": {"a": zeros}},
        "source vectors": {"source_arrays": {"a": zeros}},
        "seed": {"config": task.config.model_copy(update={"seed": 9})},
    }.items():
        other = replace(task, **changes).fingerprint
        assert [name for name in other if other[name] != task.fingerprint[name]] == [key]
    starts = [replace(task, start=start) for start in ({"a": zeros}, {"a": ones}, {"b": zeros})]
    assert len({start.fingerprint["model to start from"] for start in starts}) == 3
    sources = [Source(text, zeros), Source(text, ones), Source(dev, zeros), None]
    parts = [[replace(text, source=source)] for source in sources] + [[text, dev], [dev, text]]
    assert len({Texts(some).fingerprint() for some in parts}) == 6


def test_one_training_a_folder(tmp_path, make_task):
    with alone_in(tmp_path), pytest.raises(InputError, match="is running there"):
        train(make_task(), tmp_path)
    (tmp_path / "file").touch()
    with pytest.raises(InputError, match="file: the folder cannot be made"):
        train(make_task(), tmp_path / "file")


def test_what_a_killed_process_left_behind_is_cleared(tmp_path, make_task):
    left = tmp_path / ".checkpoint.safetensors.0123abcd.work"
    left.mkdir()
    (left / ".tmp1234").write_text("half a checkpoint")
    train(make_task(epochs=1), tmp_path)
    assert not [path.name for path in tmp_path.iterdir() if path.name.startswith(".")]


def test_a_checkpoint_of_something_else(checkpoint, make_task, caplog):
    with pytest.raises(InputError, match=r"made with another dim, epochs .*without --resume"):
        find_checkpoint(checkpoint, make_task(dim=8))
    with pytest.raises(InputError, match="another"):
        train(make_task(dim=8), checkpoint.parent, resume="always")
    with caplog.at_level("INFO"):
        train(make_task(dim=8), checkpoint.parent, resume="if it fits")
    assert "starting from the beginning" in caplog.text


def test_a_checkpoint_without_a_key_of_a_later_version_has_its_default(checkpoint, make_task):
    before = TrainingCheckpoint.load(checkpoint)
    assert before.fingerprint.pop("clip") == "0.0"
    before.save(checkpoint)
    assert find_checkpoint(checkpoint, make_task(epochs=1)) is not None
    with pytest.raises(InputError, match="made with another clip "):
        find_checkpoint(checkpoint, make_task(epochs=1, clip=1.0))
    del before.fingerprint["dev text"]
    before.save(checkpoint)
    with pytest.raises(InputError, match="made with another dev text"):
        find_checkpoint(checkpoint, make_task(epochs=1))


def test_a_checkpoint_of_something_else_is_not_a_damaged_one(checkpoint, make_task):
    """The previous one is not taken in its place, even if it fits."""
    Trainer(make_task(epochs=1, dim=8), checkpoint).run()
    with pytest.raises(InputError, match="made with another dim "):
        find_checkpoint(checkpoint, make_task(epochs=1))


def test_progress_adds_up_and_each_part_begins_anew():
    progress = Progress()
    progress.add(2, 6.0, 0.5)
    progress.add(1, 3.0, 1.0)
    first = progress.end_part(4, 90.0, 0.5, None)
    assert first == LogRow(0.75, 3, 1.5, 2.0, 3.0, 90.0, 0.5, None)
    progress.add(1, 2.0, 0.5)
    second = progress.end_part(4, 80.0, 0.25, 70.0)
    assert second == LogRow(1, 4, 2.0, 2.0, 2.0, 80.0, 0.25, 70.0)
    assert (progress.epochs, progress.done, progress.seen, progress.loss) == (1, 0, 0, 0)
    assert progress.seen_seconds == 0
    assert progress.curve == [90, 80]
    progress.add(4, 2.0, 0.0)  # faster than the clock
    assert progress.end_part(4, 70.0, 0.25, None).tokens_per_second == 4 / 1e-9
    assert Progress() == Progress(0, 0, 0, 0.0, 0.0, 0.0, 0, float("inf"), [])


def test_a_checkpoint_comes_back_and_the_one_before_it_is_kept(tmp_path):
    path = tmp_path / "checkpoint.safetensors"
    arrays = [{"a/b": np.full(2, number, np.float32)} for number in range(4)]
    row = LogRow(1, 2, 3.0, 4.0, 5.0, 6.0, 7.0)
    for epochs in (0, 1):
        progress = Progress(epochs=epochs, log=[row])
        state = TrainingState(*arrays[:3])
        TrainingCheckpoint({"dim": "8"}, progress, state, arrays[3], [{"a": "1"}]).save(path)
    for place, epochs in ((path, 1), (tmp_path / "checkpoint.previous.safetensors", 0)):
        found = TrainingCheckpoint.load(place)
        assert found.fingerprint == {"dim": "8"}
        assert found.progress == Progress(epochs=epochs, log=[row])
        assert found.code == [{"a": "1"}]
        groups = (found.state.parameters, found.state.squares, found.state.moments, found.best)
        assert [{name: array[0] for name, array in group.items()} for group in groups] == [
            {"a/b": number} for number in range(4)
        ]
    remove_checkpoints(path)
    assert list(tmp_path.iterdir()) == []
    remove_checkpoints(path)


@pytest.mark.parametrize(
    ("found", "instead"),
    [
        ('"epochs": 1', '"epochs": -1'),
        ('"done": 0', '"done": "0"'),
        ('"seen": 0', '"sen": 0'),
        ('"loss": 0.0', '"loss": NaN'),
        ('"loss": 0.0', '"loss": Infinity'),
        ('"loss": 0.0', '"loss": -1.0'),
        ('"loss": 0.0', '"loss": null'),
        ('"objective": 5.0', '"objective": -1.0'),
        ("best/a", "other/a"),
    ],
)
def test_a_checkpoint_that_no_training_wrote(tmp_path, found, instead):
    path = tmp_path / "checkpoint.safetensors"
    progress = Progress(epochs=1, log=[LogRow(1, 2, 3.0, 4.0, 5.0, 6.0, 7.0)])
    best = {"a": np.ones(1, np.float32)}
    TrainingCheckpoint({}, progress, TrainingState({}, {}, {}), best).save(path)
    state = read_tensors(path)[1]["state"]
    assert found in state + "best/a"
    altered = {"best/a".replace(found, instead): best["a"]}
    write_tensors(path, altered, {"state": state.replace(found, instead)})
    with pytest.raises(InputError, match="not a checkpoint of nlmt"):
        find_checkpoint(path, None)
    write_tensors(path, {}, {})
    with pytest.raises(InputError, match="not a checkpoint of nlmt"):
        find_checkpoint(path, None)


def flipped(path, other, read):
    """The results of `read` with a bit of each byte of a safetensors header flipped, in `other`."""
    content = path.read_bytes()
    for place in range(8 + int.from_bytes(content[:8], "little")):
        other.write_bytes(content)
        flip(other, place)
        try:
            yield read(other)
        except InputError:
            continue


def test_each_altered_byte_before_the_arrays_is_found(tmp_path):
    """Also in the position of training, such as `"epochs": 1`, which the arrays do not show."""
    path, other = tmp_path / "checkpoint", tmp_path / "other"
    arrays = {"w": np.arange(4, dtype=np.float32).reshape(2, 2), "one": np.float32([[3]])}
    progress = Progress(epochs=1, log=[LogRow(1, 9, 1.0, 9.0, 1.5, 88.25, 0.1)])
    checkpoint = TrainingCheckpoint({"dim": "8"}, progress, TrainingState(arrays, arrays, {}), {})
    checkpoint.save(path)
    assert TrainingCheckpoint.load(path).progress == progress
    assert not list(flipped(path, other, TrainingCheckpoint.load))


def test_a_byte_that_hides_the_checksum_of_a_model_alters_nothing_else(tmp_path):
    """Files of other tools have none, so only what it says of itself may be lost."""
    path, other = tmp_path / "model", tmp_path / "other"
    arrays = {"w": np.arange(4, dtype=np.float32).reshape(2, 2), "b": np.array(3, np.float32)}
    write_tensors(path, arrays, {"parts": "8f"})
    for tensors, metadata in flipped(path, other, read_tensors):
        assert CHECKSUM not in metadata
        assert {name: values.tolist() for name, values in tensors.items()} == {
            "w": [[0, 1], [2, 3]],
            "b": [3],
        }


def test_numbers_that_numpy_lacks_are_refused(tmp_path):
    path = tmp_path / "model"
    header = json.dumps({"w": {"dtype": "BF16", "shape": [1], "data_offsets": [0, 2]}}).encode()
    path.write_bytes(len(header).to_bytes(8, "little") + header + bytes(2))
    with pytest.raises(InputError):
        check(read_tensors(path)[0], {"w": (1,)}, path, hint="")


def test_a_checkpoint_of_an_earlier_version_has_no_checksum(tmp_path):
    save_file({"best/a": np.ones(1, np.float32)}, tmp_path / "old", {NOTES: '{"state": "{}"}'})
    assert read_tensors(tmp_path / "old")[1] == {"state": "{}"}
    with pytest.raises(InputError, match=r"without a checksum: .*earlier version.*remove it"):
        TrainingCheckpoint.load(tmp_path / "old")


@pytest.mark.parametrize("damage", ["flipped", "lost"])
def test_a_damaged_checkpoint_costs_what_was_done_since_the_previous_one(
    tmp_path, make_task, caplog, damage
):
    checkpoint, task = tmp_path / "checkpoint.safetensors", make_task(epochs=3)
    whole = Trainer(task, checkpoint).run()
    if damage == "lost":
        checkpoint.unlink()
    else:
        flip(checkpoint, checkpoint.stat().st_size // 2)
    start = find_checkpoint(checkpoint, task)
    assert start.progress.epochs == 2
    result = Trainer(task, checkpoint).run(start)
    assert result.progress.curve == whole.progress.curve
    with caplog.at_level("INFO"):
        train(task, tmp_path, resume="if it fits")
    assert sorted(path.suffix for path in tmp_path.iterdir() if "checkpoint" in path.name) == []


def test_both_checkpoints_are_damaged(tmp_path, make_task):
    checkpoint, task = tmp_path / "checkpoint.safetensors", make_task(epochs=2)
    Trainer(task, checkpoint).run()
    checkpoint.write_bytes(checkpoint.read_bytes()[:-1000])
    previous = tmp_path / "checkpoint.previous.safetensors"
    flip(previous, previous.stat().st_size // 2)
    both = r"checkpoint\.safetensors: truncated .*checkpoint\.previous\.safetensors: damaged: "
    with pytest.raises(InputError, match=rf"{both}its content does not match .*remove both"):
        find_checkpoint(checkpoint, task)


@pytest.mark.parametrize("group", ["parameters", "squares", "best"])
def test_a_checkpoint_with_other_arrays(checkpoint, make_task, group):
    task = make_task(epochs=1)
    assert find_checkpoint(checkpoint, task) is not None
    tensors, metadata = read_tensors(checkpoint)
    name = f"{group}/context"

    def refused(says, changed):
        write_tensors(checkpoint, changed, metadata)
        with pytest.raises(InputError, match=f"{says}.*remove it"):
            find_checkpoint(checkpoint, task)

    refused(rf"no {name} \(3, 24\)", {k: v for k, v in tensors.items() if k != name})
    refused(rf"\(4, 24\) instead of {name}", tensors | {name: np.zeros((4, 24), np.float32)})
    refused(f"{name} is float64", tensors | {name: np.zeros((3, 24))})


def test_a_full_disk(tmp_path, monkeypatch):
    def save_file(*_: object) -> None:
        raise SafetensorError("I/O error: No space left on device (os error 28)")

    monkeypatch.setattr("nlmt.neural.tensors.save_file", save_file)
    with pytest.raises(InputError, match=r"a: cannot be written .*28.*free some space"):
        write_tensors(tmp_path / "a", {"x": np.zeros(2)})
    assert list(tmp_path.iterdir()) == []
