"""The state of a tuning run is gone on from as it was written, or not at all."""

import hashlib
import json

import numpy as np
import pytest

from nlmt.tuning.loop_state import Iteration, LoopState, load_state, save_state
from nlmt.tuning.objective import DEFAULT_OBJECTIVE
from nlmt.tuning.pool import Pool

ROW = Iteration(1, 0.5, 0.25, 1, 1, 50.0, None, 51.0, [0.1, 1 / 3])

CODE = ({"a": "1"}, {"a": "2"})


@pytest.fixture
def folder(tmp_path):
    pool = Pool(np.zeros(1, np.int32), np.ones((1, 2)), np.ones((1, 9), np.int32), [("A", 2)])
    save_state(tmp_path, "this run", LoopState(pool, (ROW,), (0.2, 1 / 7), CODE))
    return tmp_path


def test_it_comes_back(folder):
    state = load_state(folder, "this run", DEFAULT_OBJECTIVE)
    assert (state.log, state.next_weights) == ((ROW,), (0.2, 1 / 7))
    assert state.code == ({"a": "1"}, {"a": "2"})
    assert state.pool.names == [("A", 2)]
    assert load_state(folder, "another run", DEFAULT_OBJECTIVE) is None


def test_a_state_of_an_earlier_version_has_no_code(folder):
    path = folder / "state.json"
    content = json.loads(path.read_text())
    del content["sha256"], content["code"]
    content["sha256"] = hashlib.sha256(json.dumps(content).encode()).hexdigest()
    path.write_text(json.dumps(content))
    assert load_state(folder, "this run", DEFAULT_OBJECTIVE).code == ()


def test_a_wrong_digit(folder):
    path = folder / "state.json"
    path.write_text(path.read_text().replace("0.25", "0.35"))
    json.loads(path.read_text())
    assert load_state(folder, "this run", DEFAULT_OBJECTIVE) is None


@pytest.mark.parametrize("absolute", [True, False])
def test_a_pool_elsewhere(folder, absolute):
    """A state with a right checksum does not lead out of its folder."""
    path = folder / "state.json"
    content = json.loads(path.read_text())
    del content["sha256"]
    (folder / "inner").mkdir()
    pool = (folder / content["pool"]).rename(folder / "inner/pool.npz")
    content["pool"] = str(pool) if absolute else "inner/pool.npz"
    content["sha256"] = hashlib.sha256(json.dumps(content).encode()).hexdigest()
    path.write_text(json.dumps(content))
    assert load_state(folder, "this run", DEFAULT_OBJECTIVE) is None
