"""Several processes train one model: two of them, on the CPU."""

import json
import os
import socket
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
import torch
from train_together import BUCKETED, MODELS, settings

from nlmt.cli import main
from nlmt.errors import InputError
from nlmt.lm.kinds import TrainingData
from nlmt.neural import NeuralConfig, NeuralLM, Task, Trainer
from nlmt.neural.tensors import read_tensors
from nlmt.neural.train.ranks import Ranks

COUNT = 2
FAILED = "another of the processes that train together failed:"


def start_together(command):
    """Run a command in two processes; (exit status, standard output, standard error) of each."""
    with socket.create_server(("127.0.0.1", 0)) as server:
        port = server.getsockname()[1]
    shared = {"WORLD_SIZE": str(COUNT), "MASTER_ADDR": "127.0.0.1", "MASTER_PORT": str(port)}
    shared["OMP_NUM_THREADS"] = "1"
    processes = [
        subprocess.Popen(
            [sys.executable, *command],
            env={**os.environ, **shared, "RANK": rank, "LOCAL_RANK": rank},
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
        )
        for rank in map(str, range(COUNT))
    ]
    ends = [process.communicate(timeout=300) for process in processes]
    return [(process.returncode, *end) for process, end in zip(processes, ends, strict=True)]


@pytest.fixture(scope="module")
def trained(texts, tmp_path_factory):
    """The folder that two processes wrote into, until an error of the second ended both."""
    folder = tmp_path_factory.mktemp("together")
    worker = Path(__file__).with_name("train_together.py")
    (first, _, errors), (second, _, own_errors) = start_together(
        [str(worker), str(folder), *map(str, texts)]
    )
    assert (first, second) == (1, 1), errors + own_errors
    assert errors.endswith(f"InputError: {FAILED} RuntimeError('no such tensor')\n"), errors
    assert "RuntimeError" in own_errors.splitlines()[-1]
    return folder


@pytest.mark.parametrize("name", MODELS)
def test_two_processes_find_the_model_of_one(trained, texts, name):
    train, dev, classes = texts
    task = Task.read(NeuralConfig.from_dict(settings(name)), TrainingData([train], dev, classes))
    alone = Trainer(task).run()
    (first, notes), (second, _) = (read_tensors(trained / f"{name}.{rank}") for rank in (0, 1))
    for key, values in alone.model.parameters.items():
        assert first[key].tobytes() == second[key].tobytes()
        np.testing.assert_allclose(first[key], values, rtol=2e-3, atol=2e-4, err_msg=key)
    curve = [float(number) for number in notes["curve"].split()]
    assert curve == pytest.approx([row.objective for row in alone.progress.log], rel=1e-5)


def test_resumed_training_of_two_processes(trained):
    """And a run that is repeated gives the same bytes."""
    whole, resumed = (read_tensors(trained / f"{name}.0")[0] for name in ("two", "resumed"))
    assert all(whole[key].tobytes() == resumed[key].tobytes() for key in whole)


def test_an_explosion_is_one_error(trained):
    first, second = ((trained / f"error.{rank}").read_text() for rank in range(COUNT))
    assert first == second
    assert "training exploded in epoch 1" in first


def test_an_error_of_the_process_that_writes_is_that_of_all(trained):
    log, checkpoint = (
        {(trained / f"{name}.{rank}").read_text() for rank in range(COUNT)}
        for name in ("log", "checkpoint")
    )
    assert log == {"InputError no space"}
    (said,) = checkpoint
    assert "sums.0" in said


def test_both_give_up_a_setting_whose_numbers_are_not_finite(trained):
    """Whether both see it, in the loss, or only the first, in the parameters that it saves."""
    first, second = (json.loads((trained / f"searched.{n}").read_text()) for n in range(COUNT))
    assert first == second
    assert {name: one["end"] for name, one in first.items()} == {
        "learning_rate 0.05": "trained",
        "learning_rate 0.1": "diverged",
        "learning_rate 100": "diverged",
    }
    assert NeuralLM.load(trained / "search").config.learning_rate == 0.05


def test_one_message(tmp_path, texts, capfd):
    (tmp_path / "model.yaml").write_text("engine: kernel\n")
    train, dev, classes = map(str, texts)
    command = ["lm", "train", "--processes", str(COUNT)]
    command += ["--config", str(tmp_path / "model.yaml"), "--train", train, "--dev", dev]
    command += ["--classes", classes, "--out", str(tmp_path / "m")]
    assert main(command) == 1
    said, who = capfd.readouterr().err.splitlines()
    assert said == (
        "nlmt lm: engine: kernel trains in one process, on all the threads of a machine "
        "(start one process, or set engine: torch)"
    )
    assert who in [f"nlmt lm: process {n} of 2 failed (status 1)" for n in (1, 2)]  # who was first


def test_a_process_that_is_killed():
    code = """if True:
        import os
        from nlmt.neural.train.ranks import joined
        with joined() as ranks:
            ranks.said_by_all("here")
            if not ranks.first:
                os._exit(9)
            ranks.said_by_all("still here")
    """
    (status, _, errors), (killed, *_) = start_together(["-c", code])
    assert (status, killed) == (1, 9)
    assert "InputError: another of the processes that train together is gone" in errors


def test_an_error_of_one_process_is_told_to_the_others(trained):
    first, second = ((trained / f"failed.{rank}").read_text() for rank in range(COUNT))
    assert first == f"InputError {FAILED} MemoryError()"
    assert second == "MemoryError "


@pytest.mark.parametrize("rank", range(COUNT))
def test_sums_in_buckets(trained, rank):
    """Shapes of several buckets, one above its size, come back in order, and no bucket too many."""
    found = json.loads((trained / f"sums.{rank}").read_text())
    assert [tuple(shape) for shape in found["shapes"]] == BUCKETED
    assert found["sums"] == [
        np.full(shape, 2 * 10.0**i + 1).tolist() for i, shape in enumerate(BUCKETED)
    ]
    assert found["sizes"] == [12, 16, 1]
    assert found["rows"] == [[[1, 3], [4.0, 10.0]], [[0, 1], [[1.0, 1.0], [1.0, 1.0]]]]


def test_parts_cover_a_minibatch():
    for n in (0, 1, 2, 7, 100):
        parts = [list(range(n))[Ranks(rank, 3).part(n)] for rank in range(3)]
        assert [row for part in parts for row in part] == list(range(n))
        assert max(map(len, parts)) - min(map(len, parts)) <= 1


def test_alone():
    ranks = Ranks()
    tensor = torch.tensor([1.0, 2.0])
    assert ranks.sum(tensor) is tensor
    assert ranks.said_by_all("all is well") == ["all is well"]
    with pytest.raises(InputError, match="lost"), ranks.together():
        raise InputError("lost")
