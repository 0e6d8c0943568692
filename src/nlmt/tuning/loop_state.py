"""The state of the tuning loop, from which an interrupted run resumes.

A folder has `state.json` and the pool that it names. The pool is written first under a new name,
then the state that names it takes the place of the old one: whenever the run is interrupted, the
folder has a complete state. The previous state and its pool are kept, as the last may be damaged.
"""

import hashlib
import json
import zlib
from dataclasses import asdict, dataclass
from pathlib import Path
from zipfile import BadZipFile

import numpy as np

from nlmt.decoder import TranslationEngine
from nlmt.io.files import atomic_path, put_in_place, write_text
from nlmt.io.moses_ini import format_ini, read_ini
from nlmt.provenance import Code
from nlmt.tuning.objective import Objective
from nlmt.tuning.pool import Pool

_STATE, _PREVIOUS = "state.json", "state.previous.json"
_CHECKSUM = "sha256"  # of the rest of the state, where a wrong digit would go unnoticed


@dataclass(frozen=True)
class Iteration:
    """One line of `log.tsv`; values of the objective are times 100.

    Attributes:
        iteration: from 1.
        decode_seconds: wall time.
        tune_seconds: wall time; 0 if the loop ended without optimising.
        hypotheses: in the pool.
        new_hypotheses: from this decoder run.
        decoded: value of the decoder's best translations with `weights`.
        length: ratio of these translations' length to the references'; None if the objective does
            not count lengths.
        foreseen: value of the pool with the new weights; None if none were sought.
        weights: with which this run decoded, (F,).
    """

    iteration: int
    decode_seconds: float
    tune_seconds: float
    hypotheses: int
    new_hypotheses: int
    decoded: float
    length: float | None
    foreseen: float | None
    weights: list[float]


@dataclass(frozen=True, eq=False)
class LoopState:
    """The state of the tuning loop after an iteration.

    Attributes:
        pool: all hypotheses so far; None before the first iteration.
        log: all iterations.
        next_weights: with which to decode next, (F,); empty if the loop has ended.
        code: of all processes whose work is in a state that was read, oldest first.
    """

    pool: Pool | None = None
    log: tuple[Iteration, ...] = ()
    next_weights: tuple[float, ...] = ()
    code: tuple[Code, ...] = ()


def save_state(folder: Path, identity: str, state: LoopState) -> None:
    """Write the state of a run; `identity` is a text that identifies the run."""
    assert state.pool is not None, "there is nothing to save before the first iteration"
    name = _pool_name(identity, len(state.log))
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
        "log": [asdict(row) for row in state.log],
        "next_weights": state.next_weights,
        "code": state.code,
    }
    content[_CHECKSUM] = _digest(json.dumps(content))
    if (folder / _STATE).exists():
        put_in_place(folder / _STATE, folder / _PREVIOUS)
    write_text(folder / _STATE, json.dumps(content) + "\n")
    kept = (name, _pool_name(identity, len(state.log) - 1))
    for old in folder.glob("pool-*.npz"):
        if old.name not in kept:
            old.unlink()


def load_state(folder: Path, identity: str, objective: Objective) -> LoopState | None:
    """Read the last state of the run `identity`, or the previous one where that is damaged.

    None if there is none, or only another run's.
    """
    for name in (_STATE, _PREVIOUS):
        if (state := _read_state(folder / name, identity, objective)) is not None:
            return state
    return None


def _read_state(path: Path, identity: str, objective: Objective) -> LoopState | None:
    try:
        content = json.loads(path.read_text(encoding="utf-8"))
        checksum = content.pop(_CHECKSUM)
        if checksum != _digest(json.dumps(content)) or content["run"] != _digest(identity):
            return None
        # `with_name` refuses a path that leads elsewhere.
        with np.load(path.with_name(content["pool"]), allow_pickle=False) as arrays:
            pool = Pool(
                arrays["sentence"],
                arrays["features"],
                arrays["statistics"],
                [(label, width) for label, width in content["names"]],
                objective,
            )
        log = tuple(Iteration(**row) for row in content["log"])
        code = tuple(content.get("code", ()))  # earlier versions wrote none
        return LoopState(pool, log, tuple(content["next_weights"]), code)
    except (OSError, EOFError, ValueError, KeyError, TypeError, BadZipFile, zlib.error):
        # A damaged checkpoint only costs time.
        return None


def _pool_name(identity: str, iterations: int) -> str:
    """The name of a pool's file, which differs by run, so that no run finds another's pool."""
    return f"pool-{_digest(identity)[:12]}-{iterations}.npz"


def _digest(text: str) -> str:
    return hashlib.sha256(text.encode()).hexdigest()


def run_fingerprint(engine: TranslationEngine, ini: Path | str) -> str:
    """Fingerprint of an engine and its models: of a run that resumes with the same alone.

    Without the version of nlmt, as a state has the code that made it.

    Raises:
        InputError: as in `model_fingerprint`.
    """
    own = engine.facts["engine"] == "nlmt"
    facts = {name: fact for name, fact in engine.facts.items() if not (own and name == "version")}
    return f"{facts} {model_fingerprint(ini)}"


def model_fingerprint(ini: Path | str) -> str:
    """Fingerprint of a moses.ini, and of size and time of the files that it names.

    Raises:
        InputError: no such file, or it does not parse.
    """
    settings = read_ini(ini)
    parts = [format_ini(settings)]
    for feature in settings.features:
        given = feature.arguments.get("path")
        names = (given, f"{given}.gz") if given else ()  # a table is found without its .gz
        for place in (folder / name for name in names for folder in (Path(), Path(ini).parent)):
            # A neural model is a folder.
            for path in (place, *sorted(place.glob("*"))):
                if path.is_file():
                    status = path.stat()
                    parts.append(f"{path} {status.st_size} {status.st_mtime_ns}")
    return "\n".join(parts)
