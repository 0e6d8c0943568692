"""What an interrupted tuning run goes on from: `state.json` and the pool it names, in one folder.

The pool is written first under a name of its own, then the state that names it takes the place of
the old one: whenever the run is cut off, the folder holds a whole state.
"""

import hashlib
import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from nlmt.io.files import atomic_path, write_text
from nlmt.io.moses_ini import format_ini, read_ini
from nlmt.tuning.pool import Pool

_STATE = "state.json"


@dataclass(frozen=True, eq=False)
class Checkpoint:
    """The state after an iteration.

    Attributes:
        pool: all hypotheses so far; None before the first iteration.
        log: what happened, one mapping of plain values an iteration.
        next_weights: to decode with now, (F,); empty where the loop has ended.
    """

    pool: Pool | None
    log: Sequence[Mapping[str, Any]]
    next_weights: list[float]


def save_checkpoint(folder: Path, identity: str, state: Checkpoint) -> None:
    """Write the state of a run; `identity` is a text that says what the run is."""
    assert state.pool is not None, "there is nothing to save before the first iteration"
    name = f"pool-{len(state.log)}.npz"
    with atomic_path(folder / name) as temporary, temporary.open("wb") as stream:
        np.savez(
            stream,
            sentence=state.pool.sentence,
            features=state.pool.features,
            statistics=state.pool.statistics,
        )
    content = {
        "run": _digest(identity),
        "pool": name,
        "names": state.pool.names,
        "log": [dict(row) for row in state.log],
        "next_weights": state.next_weights,
    }
    write_text(folder / _STATE, json.dumps(content) + "\n")
    for old in folder.glob("pool-*.npz"):
        if old.name != name:
            old.unlink()


def load_checkpoint(folder: Path, identity: str) -> Checkpoint | None:
    """Read the state of the run `identity`; None where there is none, or only that of another."""
    try:
        content = json.loads((folder / _STATE).read_text(encoding="utf-8"))
        if content["run"] != _digest(identity):
            return None
        # The name is our own, yet it came from a file: take nothing but its last part.
        with np.load(folder / Path(content["pool"]).name, allow_pickle=False) as arrays:
            pool = Pool(
                arrays["sentence"],
                arrays["features"],
                arrays["statistics"],
                [(label, width) for label, width in content["names"]],
            )
        return Checkpoint(pool, content["log"], content["next_weights"])
    except (OSError, ValueError, KeyError, TypeError):
        # A damaged checkpoint costs time, not the run: start afresh.
        return None


def _digest(identity: str) -> str:
    return hashlib.sha256(identity.encode()).hexdigest()


def model_fingerprint(ini: Path | str) -> str:
    """What a moses.ini says, and size and time of the files that it names: another model differs.

    Raises:
        InputError: no such file, or it does not parse.
    """
    parts = [format_ini(read_ini(ini))]
    for feature in read_ini(ini).features:
        given = feature.arguments.get("path")
        for place in (Path(given), Path(ini).parent / given) if given else ():
            # A neural model is a folder.
            for path in (place, *sorted(place.glob("*"))):
                if path.is_file():
                    status = path.stat()
                    parts.append(f"{path} {status.st_size} {status.st_mtime_ns}")
    return "\n".join(parts)
