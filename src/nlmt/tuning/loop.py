"""The tuning loop: decode, add new hypotheses to the pool, optimise, until nothing is gained.

As in Moses' tuning, but judged by the objective of the decoder's own best translations: the weights
with the highest value are kept, not the last ones, and the loop ends when the value stops rising.
"""

import json
import logging
import time
from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from nlmt.decoder import LatticeRequest, NbestRequest, TranslationEngine
from nlmt.errors import InputError
from nlmt.io.files import scratch_folder, write_lines
from nlmt.io.lattice import tunable_features
from nlmt.io.lattice_file import LatticeFile
from nlmt.io.nbest import flatten_weights, read_nbest
from nlmt.io.weights import name_weights, write_weights
from nlmt.provenance import Code, present_code, resumed_code
from nlmt.steps import step
from nlmt.tuning.feature_names import leave_out
from nlmt.tuning.loop_state import Iteration, LoopState, load_state, save_state
from nlmt.tuning.objective import OBJECTIVES, Objective
from nlmt.tuning.optimise import normalise, optimise
from nlmt.tuning.outcome import Outcome
from nlmt.tuning.settings import TuningSettings
from nlmt.tuning.tuner import AnyTuner, LatticeTuner, ListTuner, Search

logger = logging.getLogger(__name__)

# Weights that differ by less count as equal, as in Moses.
_SAME_WEIGHTS = 1e-5
# Number of earlier iterations' best weights from which the tuner starts, too.
_EARLIER_STARTS = 3


@dataclass(frozen=True)
class TuningResult:
    """The weights of the best iteration, and the history.

    Attributes:
        weights: of the tuned features, by label; their magnitudes sum to 1 unless they come from
            the decoder's configuration.
        seed: of the run.
        log: all iterations.
        outcome: of the decoder's translations with these weights, and in the first iteration.
    """

    weights: dict[str, list[float]]
    seed: int
    log: Sequence[Iteration]
    outcome: Outcome


def tune(
    decoder: TranslationEngine,
    source: Sequence[str],
    references: Sequence[Sequence[str]],
    settings: TuningSettings,
    *,
    seed: int = 1,
    checkpoint: Path,
    fingerprint: str = "",
    threads: int = 1,
) -> TuningResult:
    """Tune the decoder's weights; the decoder keeps the last ones with which it decoded.

    Features that are not in the n-best list (UnknownWordPenalty) keep their weights.

    Args:
        decoder: starts from the weights that it has.
        source: the sentences of the tuning set.
        references: one or more sets of lines.
        settings: of tuning.
        seed: of this run.
        checkpoint: folder from which an interrupted run resumes; the caller may remove it.
        fingerprint: of the decoder's models; a run resumes only with the same one.
        threads: of the tuner; the result does not depend on it.

    Raises:
        InputError: the numbers of lines differ, a feature to leave out is missing, or the decoder
            gives no hypotheses.
    """
    if settings.left_out:
        decoder.set_weights(leave_out(decoder.weights(), settings.left_out))
    loop = _Loop(decoder, source, references, settings, seed, checkpoint, threads)
    options = settings.model_dump(mode="json")
    texts = [list(source), [list(lines) for lines in references]]
    identity = json.dumps([fingerprint, options, seed, decoder.weights(), *texts])
    state = load_state(checkpoint, identity, loop.objective) or LoopState()
    other_code: list[Code] = []
    if state.log:
        logger.info("resuming after iteration %d", len(state.log))
        other_code = resumed_code(state.code)
    with step("tune") as progress:
        while not _finished(state.log, settings, exact=loop.tuner.exact):
            progress.says = _position(state.log, settings)
            state = replace(loop.iterate(state), code=(*other_code, present_code()))
            save_state(checkpoint, identity, state)
            logger.info(_message(state.log[-1]))
    assert state.pool is not None, "max_iterations is at least 1"
    best = max(state.log, key=lambda row: row.decoded)
    logger.info("best: iteration %d, %.2f", best.iteration, best.decoded)
    weights = name_weights(state.pool.names, np.array(best.weights))
    first = state.log[0]
    outcome = Outcome(settings.objective, first.decoded, best.decoded, first.length, best.length)
    for warning in outcome.warnings:
        logger.warning(warning)
    return TuningResult(weights, seed, state.log, outcome)


def write_result(
    weights: Path | str, log: Path | str, result: TuningResult, decoder: TranslationEngine
) -> None:
    """Write `weights.json`, with what the weights reach, and `log.tsv` (`write_log`)."""
    write_log(log, result)
    write_weights(
        weights,
        result.weights,
        **result.outcome.facts(),
        seed=result.seed,
        iterations=len(result.log),
        decoder=decoder.facts,
    )


def write_log(path: Path | str, result: TuningResult) -> None:
    """Write `log.tsv`: a header, then a line per iteration; weights as JSON by label."""
    fields = [name for name in Iteration.__dataclass_fields__ if name != "weights"]
    shape = [(label, len(values)) for label, values in result.weights.items()]
    lines = ["\t".join([*fields, "weights"])]
    for row in result.log:
        plain = [getattr(row, name) for name in fields]
        values = ["" if value is None else f"{value:.6g}" for value in plain]
        named = name_weights(shape, np.array([round(value, 6) for value in row.weights]))
        lines.append("\t".join([*values, json.dumps(named)]))
    write_lines(path, lines)


@dataclass(frozen=True)
class _Loop:
    """One tuning run, with the arguments of `tune`."""

    decoder: TranslationEngine
    source: Sequence[str]
    references: Sequence[Sequence[str]]
    settings: TuningSettings
    seed: int
    folder: Path
    threads: int

    @property
    def tuner(self) -> AnyTuner:
        return self.settings.tuner()

    @property
    def objective(self) -> Objective:
        return OBJECTIVES.get(self.settings.objective)

    def iterate(self, state: LoopState) -> LoopState:
        """Decode with the current weights, merge, and find new weights unless the loop ends."""
        if state.next_weights:
            assert state.pool is not None
            self.decoder.set_weights(name_weights(state.pool.names, np.array(state.next_weights)))
        tuner = self.tuner
        with scratch_folder(self.folder / "lists") as folder:
            place = folder / "lists"
            began = time.monotonic()
            if isinstance(tuner, LatticeTuner):
                best = self._decode_lattices(place)
                decoded = time.monotonic()
                lattices = LatticeFile(place)
                starts = self._starts(state, tunable_features(lattices.feature_names))
                tuned, pool = tuner.find(
                    lattices, self.references, starts, self._search(state), known=state.pool
                )
            else:
                best = self._decode_lists(place)
                decoded = time.monotonic()
                nbest = read_nbest(place)
                tuned, pool = None, self._search(state).pool(nbest, self.references, state.pool)
        if len(pool) == 0:
            raise InputError("the decoder gave no hypotheses", hint="is the tuning set empty?")
        metric = self.objective.metric
        sums = metric.statistics(best, self.references).sum(axis=0, dtype=np.int64)
        row = Iteration(
            iteration=len(state.log) + 1,
            decode_seconds=round(decoded - began, 3),
            tune_seconds=0.0,
            hypotheses=len(pool),
            new_hypotheses=len(pool) - (len(state.pool) if state.pool else 0),
            decoded=100 * float(self.objective.value(sums)),
            length=metric.length_ratio(sums),
            foreseen=None,
            weights=self._weights(state, pool.names).tolist(),
        )
        log = (*state.log, row)
        if isinstance(tuner, ListTuner) and not _finished(log, self.settings, exact=tuner.exact):
            tuned = optimise(pool, self._starts(state, pool.names), tuner, self._search(state))
        if tuned is None:
            return LoopState(pool, log)
        found = tuned.weights
        if tuner.interpolated:
            share = self.settings.interpolation
            found = normalise(share * found + (1 - share) * normalise(np.array(row.weights)))
        seconds = round(time.monotonic() - decoded, 3)
        row = replace(row, tune_seconds=seconds, foreseen=100 * tuned.value)
        return LoopState(pool, (*state.log, row), tuple(found.tolist()))

    def _decode_lists(self, place: Path) -> list[str]:
        """The decoder's best translations; its n-best lists are written to `place`."""
        nbest = NbestRequest(path=place, size=self.settings.nbest, distinct=True)
        return [found.text for found in self.decoder.translate(self.source, nbest=nbest)]

    def _decode_lattices(self, place: Path) -> list[str]:
        """The decoder's best translations; its lattices are written to `place`."""
        lattices = LatticeRequest(place, density=self.settings.lattice_density)
        return [found.text for found in self.decoder.translate(self.source, lattices=lattices)]

    def _weights(self, state: LoopState, names: Sequence[tuple[str, int]]) -> NDArray[np.float64]:
        """The decoder's weights (F,)."""
        if state.next_weights:
            return np.array(state.next_weights)
        return flatten_weights(names, self.decoder.weights())

    def _starts(
        self, state: LoopState, names: Sequence[tuple[str, int]]
    ) -> list[NDArray[np.float64]]:
        """The current weights, and the weights of earlier iterations with the highest values."""
        ranked = sorted(state.log, key=lambda row: -row.decoded)[:_EARLIER_STARTS]
        return [self._weights(state, names), *(np.array(row.weights) for row in ranked)]

    def _search(self, state: LoopState) -> Search:
        # Runs of consecutive seeds share no random numbers in any iteration.
        seed = self.seed * 1000 + len(state.log) + 1
        return self.settings.search(seed=seed, threads=self.threads)


def _finished(log: Sequence[Iteration], settings: TuningSettings, *, exact: bool) -> bool:
    """Whether no further decoder run is needed."""
    if not log:
        return False
    last = log[-1]
    if len(log) >= settings.max_iterations or last.new_hypotheses == 0:
        return True
    # Decoding seldom exceeds the value that the tuner foresees on all hypotheses so far.
    best = max(row.decoded for row in log)
    if exact and last.foreseen is not None and last.foreseen <= best + settings.min_gain:
        return True
    if len(log) > 1:
        change = np.abs(np.subtract(last.weights, log[-2].weights)).max(initial=0)
        if change < _SAME_WEIGHTS:
            return True
    # Number of runs since the highest value rose by more than `min_gain`.
    peak, idle = last.decoded, 0
    for position, row in enumerate(log):
        if position == 0 or row.decoded > peak + settings.min_gain:
            peak, idle = row.decoded, 0
        else:
            idle += 1
    return idle >= settings.patience


def _position(log: Sequence[Iteration], settings: TuningSettings) -> str:
    """The number of the iteration, and the best value so far, in words."""
    text = f"iteration {len(log) + 1} of {settings.max_iterations} at most"
    if log:
        label = OBJECTIVES.get(settings.objective).label
        text += f", best {label} {max(row.decoded for row in log):.2f}"
    return text


def _message(row: Iteration) -> str:
    return (
        f"iteration {row.iteration}: decoded in {row.decode_seconds:.1f} s, "
        f"tuned in {row.tune_seconds:.1f} s, {row.hypotheses} hypotheses, "
        f"{row.new_hypotheses} new; {row.decoded:.2f}"
        + (f", {row.foreseen:.2f} foreseen" if row.foreseen is not None else "")
    )
