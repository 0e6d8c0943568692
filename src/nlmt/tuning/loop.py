"""The tuning loop: decode, add the new hypotheses to the pool, optimise, until nothing is gained.

As in Moses' tuning, but what counts is the objective of the decoder's own best translations: the
weights that gave the highest are kept, not the last ones, and the loop ends once it stops rising.
"""

import json
import logging
import tempfile
import time
from collections.abc import Collection, Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from nlmt.decoder import LatticeRequest, NbestRequest, TranslationEngine
from nlmt.errors import InputError
from nlmt.io.files import write_lines
from nlmt.io.lattice_file import LatticeFile
from nlmt.io.nbest import flatten_weights, read_nbest
from nlmt.io.weights import name_weights
from nlmt.tuning.checkpoint import Checkpoint, load_checkpoint, save_checkpoint
from nlmt.tuning.lattice_mert import lattice_mert, tunable_features
from nlmt.tuning.mert import Tuned
from nlmt.tuning.objective import get_objective
from nlmt.tuning.optimise import METHODS, normalise, optimise
from nlmt.tuning.pool import pool_of_nbest

logger = logging.getLogger(__name__)

LATTICE_MERT = "lattice-mert"
# These look for the highest value on the pool: the loop ends where they foresee no gain.
_EXACT = ("mert", "trust-region", LATTICE_MERT)
# Weights that differ by less are the same, as for Moses.
_SAME_WEIGHTS = 1e-5
# Best weights of earlier iterations from which the optimiser starts too.
_EARLIER_STARTS = 3


@dataclass(frozen=True)
class TuningOptions:
    """How to tune.

    Attributes:
        nbest: size of the n-best lists, distinct translations.
        method: one of `METHODS` on n-best lists, or `lattice-mert`.
        objective: `bleu`, `ter`, `ter-bleu` or `chrf`.
        tuned: labels or kinds of the features to tune, as in `optimise`; empty: all.
        runs: of each optimisation, the mean of whose weights is taken.
        restarts: random starting points of MERT.
        interpolation: share of what PRO finds in the next weights, the rest are those at hand
            (Hopkins and May 2011: 0.1).
        lattice_density: phrase applications for each word of the best translation that are kept
            in lattices.
        max_iterations: decoder runs at most.
        min_gain: of the objective times 100, that counts as a gain; the loop ends where MERT or
            the derivative-free search foresee none over the best decoder run.
        patience: it also ends after this many decoder runs in turn without a gain.
        seed: of all random numbers.
    """

    nbest: int = 100
    method: str = "mert"
    objective: str = "bleu"
    tuned: Collection[str] = ()
    runs: int = 1
    restarts: int = 20
    interpolation: float = 0.1
    lattice_density: float = 50
    max_iterations: int = 12
    min_gain: float = 0.05
    patience: int = 3
    seed: int = 1

    def __post_init__(self) -> None:
        for name, least in (
            ("nbest", 1),
            ("restarts", 0),
            ("max_iterations", 1),
            ("patience", 1),
            ("runs", 1),
        ):
            if getattr(self, name) < least:
                raise InputError(f"{name} is {getattr(self, name)}", hint=f"at least {least}")
        get_objective(self.objective)
        known = (*METHODS, LATTICE_MERT)
        if self.method not in known:
            raise InputError(f"unknown method {self.method!r}", hint="one of " + ", ".join(known))
        if not 0 < self.interpolation <= 1:
            raise InputError(f"an interpolation of {self.interpolation}", hint="above 0, at most 1")


@dataclass(frozen=True)
class Iteration:
    """One line of `log.tsv`; values of the objective are times 100.

    Attributes:
        iteration: from 1.
        decode_seconds: wall time.
        tune_seconds: wall time; 0 where the loop ended without optimising.
        hypotheses: in the pool.
        new_hypotheses: of this decoder run.
        decoded: value of the decoder's best translations under `weights`.
        foreseen: value of the pool under the weights found now; None where none were sought.
        weights: the ones that this run decoded with, (F,).
    """

    iteration: int
    decode_seconds: float
    tune_seconds: float
    hypotheses: int
    new_hypotheses: int
    decoded: float
    foreseen: float | None
    weights: list[float]


@dataclass(frozen=True)
class TuningResult:
    """The weights of the best iteration, and what happened.

    Attributes:
        weights: label to weights of the tuned features; their magnitudes sum to 1 if they do not
            come from the decoder's configuration.
        value: of the objective by the decoder's best translations under them, times 100.
        seed: of the run.
        log: all iterations.
    """

    weights: dict[str, list[float]]
    value: float
    seed: int
    log: list[Iteration]


def tune(
    decoder: TranslationEngine,
    source: Sequence[str],
    references: Sequence[Sequence[str]],
    options: TuningOptions,
    *,
    checkpoint: Path,
    fingerprint: str = "",
    threads: int = 1,
) -> TuningResult:
    """Tune the decoder's weights; the decoder keeps the last ones that it decoded with.

    Features that the n-best list does not hold (UnknownWordPenalty) keep their weights.

    Args:
        decoder: starts from the weights that it has.
        source: the sentences of the tuning set.
        references: one or more sets of lines.
        options: how.
        checkpoint: folder for what an interrupted run goes on from; the caller may remove it.
        fingerprint: stands for the decoder's models: another one starts afresh.
        threads: of the optimiser; the result does not depend on it.

    Raises:
        InputError: the numbers of lines differ, or the decoder gives no hypotheses.
    """
    start = decoder.weights()
    identity = json.dumps(
        [fingerprint, asdict(options), start, list(source), [list(lines) for lines in references]]
    )
    state = load_checkpoint(checkpoint, identity) or Checkpoint(None, [], [])
    log = [_row(values) for values in state.log]
    if log:
        logger.info("going on after iteration %d", len(log))
    while not _finished(log, options):
        state = _iterate(decoder, source, references, options, state, checkpoint, threads)
        save_checkpoint(checkpoint, identity, state)
        log = [_row(values) for values in state.log]
        logger.info(_message(log[-1]))
    pool = state.pool
    assert pool is not None, "max_iterations is at least 1"
    best = max(log, key=lambda row: row.decoded)
    logger.info("best: iteration %d, %.2f", best.iteration, best.decoded)
    weights = name_weights(pool.names, np.array(best.weights))
    return TuningResult(weights, best.decoded, options.seed, log)


def write_log(path: Path | str, result: TuningResult) -> None:
    """Write `log.tsv`: a header, then a line an iteration; weights as JSON by label."""
    fields = [name for name in Iteration.__dataclass_fields__ if name != "weights"]
    shape = [(label, len(values)) for label, values in result.weights.items()]
    lines = ["\t".join([*fields, "weights"])]
    for row in result.log:
        plain = [getattr(row, name) for name in fields]
        values = ["" if value is None else f"{value:.6g}" for value in plain]
        named = name_weights(shape, np.array([round(value, 6) for value in row.weights]))
        lines.append("\t".join([*values, json.dumps(named)]))
    write_lines(path, lines)


def _iterate(
    decoder: TranslationEngine,
    source: Sequence[str],
    references: Sequence[Sequence[str]],
    options: TuningOptions,
    state: Checkpoint,
    folder: Path,
    threads: int,
) -> Checkpoint:
    """Decode with the weights at hand, merge, and find new weights unless the loop ends here."""
    number = len(state.log) + 1
    if state.next_weights:
        assert state.pool is not None
        decoder.set_weights(name_weights(state.pool.names, np.array(state.next_weights)))
    # Runs of neighbouring seeds share no random numbers in any of their iterations.
    seed = options.seed * 1000 + number
    objective = get_objective(options.objective)
    tuned: Tuned | None = None
    began = time.monotonic()
    folder.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(dir=folder) as name:
        place = Path(name, "lists")
        best = _decode(decoder, source, options, place)
        decoded = time.monotonic()
        if options.method == LATTICE_MERT:
            lattices = LatticeFile(place)
            weights = state.next_weights or flatten_weights(
                tunable_features(lattices.feature_names), decoder.weights()
            )
            starts = [np.array(weights), *_earlier_starts(state.log)]
            tuned, pool = lattice_mert(
                lattices, references, starts, known=state.pool, objective=objective,
                tuned=options.tuned, runs=options.runs, restarts=options.restarts,
                seed=seed, threads=threads,
            )  # fmt: skip
        else:
            nbest = read_nbest(place)
            run = pool_of_nbest(nbest, references, objective=objective, threads=threads)
            pool = state.pool.merge([run]) if state.pool else run
    if len(pool) == 0:
        raise InputError("the decoder gave no hypotheses", hint="is the tuning set empty?")
    row = Iteration(
        iteration=number,
        decode_seconds=round(decoded - began, 3),
        tune_seconds=0.0,
        hypotheses=len(pool),
        new_hypotheses=len(pool) - (len(state.pool) if state.pool else 0),
        decoded=100 * objective.of_lines(best, references),
        foreseen=None,
        weights=state.next_weights or flatten_weights(pool.names, decoder.weights()).tolist(),
    )
    if tuned is None and not _finished([*map(_row, state.log), row], options):
        starts = [np.array(row.weights), *_earlier_starts(state.log)]
        tuned = optimise(
            pool, starts, method=options.method, tuned=options.tuned, runs=options.runs,
            restarts=options.restarts, seed=seed, threads=threads,
        )  # fmt: skip
    if tuned is None:
        return Checkpoint(pool, [*state.log, asdict(row)], [])
    found = tuned.weights
    if options.method == "pro":
        share = options.interpolation
        found = normalise(share * found + (1 - share) * normalise(np.array(row.weights)))
    row = replace(
        row, tune_seconds=round(time.monotonic() - decoded, 3), foreseen=100 * tuned.value
    )
    return Checkpoint(pool, [*state.log, asdict(row)], found.tolist())


def _decode(
    decoder: TranslationEngine, source: Sequence[str], options: TuningOptions, place: Path
) -> list[str]:
    """The decoder's best translations; its n-best lists or lattices are written to `place`."""
    if options.method == LATTICE_MERT:
        lattices = LatticeRequest(place, density=options.lattice_density)
        translations = decoder.translate(source, lattices=lattices)
    else:
        nbest = NbestRequest(path=place, size=options.nbest, distinct=True)
        translations = decoder.translate(source, nbest=nbest)
    return [translation.text for translation in translations]


def _earlier_starts(log: Sequence[Mapping[str, Any]]) -> list[NDArray[np.float64]]:
    """The weights of earlier iterations with the highest values."""
    ranked = sorted(log, key=lambda row: -row["decoded"])[:_EARLIER_STARTS]
    return [np.array(row["weights"], np.float64) for row in ranked]


def _row(values: Mapping[str, Any]) -> Iteration:
    return Iteration(**values)


def _finished(log: Sequence[Iteration], options: TuningOptions) -> bool:
    """Whether the last decoder run was the last one needed."""
    if not log:
        return False
    last = log[-1]
    if len(log) >= options.max_iterations or last.new_hypotheses == 0:
        return True
    # What the optimiser foresees on all hypotheses so far, decoding seldom beats.
    best = max(row.decoded for row in log)
    foreseen = last.foreseen if options.method in _EXACT else None
    if foreseen is not None and foreseen <= best + options.min_gain:
        return True
    if len(log) > 1:
        change = np.abs(np.subtract(last.weights, log[-2].weights)).max(initial=0)
        if change < _SAME_WEIGHTS:
            return True
    # Runs since the highest value rose by more than `min_gain`.
    peak, idle = last.decoded, 0
    for position, row in enumerate(log):
        if position == 0 or row.decoded > peak + options.min_gain:
            peak, idle = row.decoded, 0
        else:
            idle += 1
    return idle >= options.patience


def _message(row: Iteration) -> str:
    return (
        f"iteration {row.iteration}: decoded in {row.decode_seconds:.1f} s, "
        f"tuned in {row.tune_seconds:.1f} s, {row.hypotheses} hypotheses, "
        f"{row.new_hypotheses} new; {row.decoded:.2f}"
        + (f", {row.foreseen:.2f} foreseen" if row.foreseen is not None else "")
    )
