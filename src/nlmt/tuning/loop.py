"""The tuning loop: decode, add the new hypotheses to the pool, optimise, until nothing is gained.

As in Moses' tuning, but what counts is the BLEU of the decoder's own best translations: the
weights that gave the highest are kept, not the last ones, and the loop ends once it stops rising.
"""

import json
import logging
import tempfile
import time
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from nlmt.decoder import NbestRequest, TranslationEngine
from nlmt.errors import InputError
from nlmt.evaluation import BLEU
from nlmt.io.files import write_lines
from nlmt.io.nbest import flatten_weights, read_nbest
from nlmt.io.weights import name_weights
from nlmt.tuning.checkpoint import Checkpoint, load_checkpoint, save_checkpoint
from nlmt.tuning.mert import mert
from nlmt.tuning.pool import Pool, pool_of_nbest

logger = logging.getLogger(__name__)

# Weights that differ by less are the same, as for Moses.
_SAME_WEIGHTS = 1e-5
# Best weights of earlier iterations from which the optimiser starts too.
_EARLIER_STARTS = 3


@dataclass(frozen=True)
class TuningOptions:
    """How to tune.

    Attributes:
        nbest: size of the n-best lists, distinct translations.
        restarts: random starting points of each optimisation.
        max_iterations: decoder runs at most.
        min_gain: BLEU, 0 to 100, that counts as a gain; the loop ends where the optimiser foresees
            none over the best decoder run.
        patience: it also ends after this many decoder runs in turn without a gain.
        seed: of all random numbers.
    """

    nbest: int = 100
    restarts: int = 20
    max_iterations: int = 12
    min_gain: float = 0.05
    patience: int = 3
    seed: int = 1

    def __post_init__(self) -> None:
        for name, least in (("nbest", 1), ("restarts", 0), ("max_iterations", 1), ("patience", 1)):
            if getattr(self, name) < least:
                raise InputError(f"{name} is {getattr(self, name)}", mend=f"at least {least}")


@dataclass(frozen=True)
class Iteration:
    """One line of `log.tsv`; BLEU from 0 to 100.

    Attributes:
        iteration: from 1.
        decode_seconds: wall time.
        tune_seconds: wall time; 0 where the loop ended without optimising.
        hypotheses: in the pool.
        new_hypotheses: of this decoder run.
        bleu_decoded: of the decoder's best translations under `weights`.
        bleu_predicted: of the pool under the weights found now; 0 where none were sought.
        weights: the ones that this run decoded with, (F,).
    """

    iteration: int
    decode_seconds: float
    tune_seconds: float
    hypotheses: int
    new_hypotheses: int
    bleu_decoded: float
    bleu_predicted: float
    weights: list[float]


@dataclass(frozen=True)
class TuningResult:
    """The weights of the best iteration, and what happened.

    Attributes:
        weights: label to weights of the tuned features; their magnitudes sum to 1 if they do not
            come from the decoder's configuration.
        bleu: of the decoder's best translations under them, 0 to 100.
        seed: of the run.
        log: all iterations.
    """

    weights: dict[str, list[float]]
    bleu: float
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
    """Tune the decoder's weights by MERT; the decoder keeps the last ones that it decoded with.

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
    log = [Iteration(**row) for row in state.log]
    if log:
        logger.info("going on after iteration %d", len(log))
    while not _finished(log, options):
        state = _iterate(decoder, source, references, options, state, checkpoint, threads)
        save_checkpoint(checkpoint, identity, state)
        log = [Iteration(**row) for row in state.log]
        logger.info(_message(log[-1]))
    pool = state.pool
    assert pool is not None, "max_iterations is at least 1"
    best = max(log, key=lambda row: row.bleu_decoded)
    logger.info("best: iteration %d, BLEU %.2f", best.iteration, best.bleu_decoded)
    weights = name_weights(pool.names, np.array(best.weights))
    return TuningResult(weights, best.bleu_decoded, options.seed, log)


def write_log(path: Path | str, result: TuningResult) -> None:
    """Write `log.tsv`: a header, then a line an iteration; weights as JSON by label."""
    fields = [name for name in Iteration.__dataclass_fields__ if name != "weights"]
    shape = [(label, len(values)) for label, values in result.weights.items()]
    lines = ["\t".join([*fields, "weights"])]
    for row in result.log:
        values = [f"{getattr(row, name):.6g}" for name in fields]
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
    began = time.monotonic()
    run, bleu = _decode(decoder, source, references, options.nbest, folder, threads)
    decoded = time.monotonic()
    pool = state.pool.merge([run]) if state.pool else run
    if len(pool) == 0:
        raise InputError("the decoder gave no hypotheses", mend="is the tuning set empty?")
    row = Iteration(
        iteration=number,
        decode_seconds=round(decoded - began, 3),
        tune_seconds=0.0,
        hypotheses=len(pool),
        new_hypotheses=len(pool) - (len(state.pool) if state.pool else 0),
        bleu_decoded=bleu,
        bleu_predicted=0.0,
        weights=state.next_weights or flatten_weights(pool.names, decoder.weights()).tolist(),
    )
    log = [*state.log, asdict(row)]
    if _finished([Iteration(**earlier) for earlier in log], options):
        return Checkpoint(pool, log, [])
    tuned = mert(
        pool,
        _starts(log),
        restarts=options.restarts,
        # Runs of neighbouring seeds share no random numbers in any of their iterations.
        seed=options.seed * 1000 + number,
        threads=threads,
    )
    row = replace(
        row, tune_seconds=round(time.monotonic() - decoded, 3), bleu_predicted=100 * tuned.value
    )
    return Checkpoint(pool, [*state.log, asdict(row)], tuned.weights.tolist())


def _decode(
    decoder: TranslationEngine,
    source: Sequence[str],
    references: Sequence[Sequence[str]],
    size: int,
    folder: Path,
    threads: int,
) -> tuple[Pool, float]:
    """The hypotheses of one decoder run, and the BLEU of its best translations, 0 to 100."""
    folder.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(dir=folder) as place:
        path = Path(place, "nbest")
        request = NbestRequest(path=path, size=size, distinct=True)
        best = [translation.text for translation in decoder.translate(source, nbest=request)]
        run = pool_of_nbest(read_nbest(path), references, threads=threads)
    statistics = BLEU.statistics(best, references)
    return run, float(BLEU.score(statistics.sum(axis=0, dtype=np.int64)))


def _starts(log: Sequence[Mapping[str, Any]]) -> list[NDArray[np.float64]]:
    """The weights of this run, and those of earlier ones with the highest BLEU."""
    *earlier, last = log
    ranked = sorted(earlier, key=lambda row: -row["bleu_decoded"])[:_EARLIER_STARTS]
    return [np.array(row["weights"], np.float64) for row in (last, *ranked)]


def _finished(log: Sequence[Iteration], options: TuningOptions) -> bool:
    """Whether the last decoder run was the last one needed."""
    if not log:
        return False
    last = log[-1]
    if len(log) >= options.max_iterations or last.new_hypotheses == 0:
        return True
    # What the optimiser foresees on all hypotheses so far, decoding seldom beats.
    best = max(row.bleu_decoded for row in log)
    if last.bleu_predicted and last.bleu_predicted <= best + options.min_gain:
        return True
    if len(log) > 1:
        change = np.abs(np.subtract(last.weights, log[-2].weights)).max(initial=0)
        if change < _SAME_WEIGHTS:
            return True
    # Runs since the highest BLEU rose by more than `min_gain`.
    peak, idle = last.bleu_decoded, 0
    for position, row in enumerate(log):
        if position == 0 or row.bleu_decoded > peak + options.min_gain:
            peak, idle = row.bleu_decoded, 0
        else:
            idle += 1
    return idle >= options.patience


def _message(row: Iteration) -> str:
    return (
        f"iteration {row.iteration}: decoded in {row.decode_seconds:.1f} s, "
        f"tuned in {row.tune_seconds:.1f} s, {row.hypotheses} hypotheses, "
        f"{row.new_hypotheses} new; BLEU {row.bleu_decoded:.2f}"
        + (f", {row.bleu_predicted:.2f} foreseen" if row.bleu_predicted else "")
    )
