"""Train a model: epochs over the shuffled text, early stopping, checkpoints, the learning curve."""

import logging
import math
import time
from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from nlmt.errors import InputError
from nlmt.lm.perplexity import Perplexity
from nlmt.neural.model import NeuralLM
from nlmt.neural.outputs.layout import OutputLayout
from nlmt.neural.parameters import TrainingState, initial
from nlmt.neural.parts import NETWORKS, OBJECTIVES
from nlmt.neural.score.scorer import perplexity
from nlmt.neural.settings.neural import NeuralConfig
from nlmt.neural.source.transform import TransformEncoder, cosine_facts
from nlmt.neural.tensors import Parameters
from nlmt.neural.text.numbered import NumberedText
from nlmt.neural.train.checkpoints import LogRow, Progress, TrainingCheckpoint
from nlmt.neural.train.engine import Engine, KernelEngine
from nlmt.neural.train.epochs import Epoch, open_epoch
from nlmt.neural.train.ranks import ALONE, Ranks
from nlmt.neural.train.schedules import has_ended, rates
from nlmt.neural.train.search import Tried
from nlmt.neural.train.task import Task
from nlmt.provenance import Code, present_code
from nlmt.steps import step

# Examples per call of the engine: a fraction of a second, then progress is shown.
CALL_EXAMPLES = 32_000
# Least time between checkpoints within an epoch: in seconds, and in multiples of the time to write
# one.
CHECKPOINT_SECONDS = 60.0
CHECKPOINT_RATIO = 20.0
# A loss of this many times an untrained model's means that training has diverged.
EXPLODED = 3.0
# Keys that may change on resuming, so that training can continue from the checkpoint before it
# diverged.
CHANGEABLE = ("learning_rate", "clip")


class ExplodedError(InputError):
    """Training diverged; a lower learning rate may help."""


@dataclass(frozen=True, eq=False)
class Result:
    """The best model and its training.

    Attributes:
        model: of the evaluation with the lowest dev perplexity.
        dev: its perplexity on the dev text.
        unigram: perplexity of a unigram model on the dev text.
        mean_abs_log_z: on the dev text; see `NeuralLM.mean_abs_log_z`.
        progress: counts and the learning curve.
        cosines: of a transform of the source: those of its vectors and the translations' on the
            training text, mean and standard error.
        transform_errors: as in `Task`.
        searched: what became of each of the alternatives of a search; empty if there was none.
    """

    model: NeuralLM
    dev: Perplexity
    unigram: float
    mean_abs_log_z: float
    progress: Progress
    cosines: Mapping[str, float] = field(default_factory=dict)
    transform_errors: Mapping[float, float] = field(default_factory=dict)
    searched: Mapping[str, Tried] = field(default_factory=dict)

    def metrics(self) -> dict[str, object]:
        """Figures for `metrics.json`."""
        log = self.progress.log
        tokens = log[-1].tokens if log else 0
        searched = {name: one.to_dict() for name, one in self.searched.items()}
        errors = {
            f"{rate:g}": round(error, 6) if math.isfinite(error) else None
            for rate, error in self.transform_errors.items()
        }
        return {
            "best_epoch": round(self.progress.best_epoch, 4),
            "epochs": self.progress.epochs,
            "tokens": tokens,
            "seconds": round(self.progress.seconds, 3),
            "tokens_per_second": round(tokens / max(self.progress.seconds, 1e-9), 1),
            "dev": self.dev.to_dict(),
            "dev_unigram_perplexity": round(self.unigram, 4),
            "dev_mean_abs_log_z": round(self.mean_abs_log_z, 6),
            **{f"train_{name}": value for name, value in self.cosines.items()},
            **({"transform_errors": errors} if errors else {}),
            **({"searched": searched} if searched else {}),
        }


@dataclass
class Trainer:
    """Runs a task to its end, from the beginning or from a checkpoint.

    `after_evaluation` is called with the learning curve so far. The first of the `ranks` evaluates
    and writes. Without a path no checkpoint is kept. `other_code` made what this process resumes.
    """

    task: Task
    checkpoint: Path | None = None
    threads: int = 1
    after_evaluation: Callable[[list[LogRow]], None] = field(default=lambda log: None)
    ranks: Ranks = ALONE
    other_code: Sequence[Code] = ()
    _engine: Engine = field(init=False)
    _progress: Progress = field(init=False)
    _best: Parameters = field(init=False)

    def run(self, start: TrainingCheckpoint | None = None) -> Result:
        """Train until the dev perplexity no longer falls or all epochs are done.

        The model is bit for bit the same whether or not training was interrupted.

        Raises:
            InputError: training diverged; the last checkpoint stays.
        """
        task = self.task
        self.advance(1.0, start)
        model = task.model(self._best, self.threads)
        dev = model.text_perplexity(task.dev)
        encoder = task.encoder
        cosines = (
            cosine_facts(encoder.cosines(task.texts))
            if isinstance(encoder, TransformEncoder)
            else {}
        )
        unigram, log_z = task.unigram_perplexity(), model.mean_abs_log_z(task.dev)
        if dev.perplexity >= unigram:
            logging.warning(
                "dev perplexity %.2f is no better than a unigram model's, %.2f: more epochs, "
                "another learning rate or more text may help",
                dev.perplexity,
                unigram,
            )
        return Result(model, dev, unigram, log_z, self._progress, cosines, task.transform_errors)

    def advance(self, share: float, start: TrainingCheckpoint | None = None) -> Sequence[LogRow]:
        """Train until the first evaluation after this share of all epochs, or the end.

        Returns the learning curve until then.

        Raises:
            InputError: training diverged.
        """
        task, config = self.task, self.task.config
        start = start or self._beginning()
        self._progress, self._best = start.progress, start.best
        with self.ranks.together():
            parts = config, task.layout, task.counts, start.state
            self._engine = make_engine(*parts, self.threads, self.ranks)
        parameters = sum(values.size for values in start.state.parameters.values())
        logging.info(
            "%d training tokens an epoch, %d words, an output layer of %d %s, %d parameters",
            round(task.counts.sum()),
            len(task.vocabulary),
            task.layout.count,
            task.layout.name,
            parameters,
        )
        # Not a number of evaluations: an epoch of few minibatches has fewer of them.
        epochs, log = share * config.epochs, self._progress.log
        epoch: Epoch | None = None
        while not (log and log[-1].number >= epochs) and not self._finished():
            if epoch is None or self._progress.done == 0:
                epoch = open_epoch(task, self._progress.epochs)
            self._run(epoch)
            self._evaluate(epoch.examples)
            with self.ranks.together():
                if self.ranks.first:
                    self.after_evaluation(self._progress.log)
            self._save()
        return log[: sum(row.number < epochs for row in log) + 1]

    def _beginning(self) -> TrainingCheckpoint:
        """Random parameters; or those to start from, which are the best until others are better."""
        task, config = self.task, self.task.config
        if task.start is None:
            parts = config, task.layout, task.counts, task.vocabulary, task.source_words
            state = TrainingState.first(initial(*parts), config)
            return TrainingCheckpoint(task.fingerprint, Progress(), state, {})
        dev = task.model(task.start, self.threads).text_perplexity(task.dev).perplexity
        dev = self.ranks.from_first(dev)  # another machine may round in another way
        logging.info("before the first epoch: dev perplexity %.2f", dev)
        progress = Progress(best_perplexity=dev)
        state = TrainingState.first(task.start, config)
        return TrainingCheckpoint(task.fingerprint, progress, state, dict(task.start))

    def _finished(self) -> bool:
        config, progress = self.task.config, self._progress
        worse = sum(row.number > progress.best_epoch for row in progress.log)
        ended = has_ended(config, progress.curve)
        return ended or progress.epochs >= config.epochs or worse >= config.patience

    def _run(self, epoch: Epoch) -> None:
        """Train until the next evaluation of the dev text."""
        config, progress, total = self.task.config, self._progress, epoch.examples
        # Part k of the epoch ends with the minibatch that reaches example k * total / evaluations.
        part = progress.done * config.evaluations // total + 1
        end = -(-part * total // config.evaluations)
        key = int(np.random.SeedSequence([config.seed, progress.epochs]).generate_state(1)[0])
        due = time.monotonic() + CHECKPOINT_SECONDS
        with (
            step(f"epoch {progress.epochs + 1}", total, "examples", progress.done) as shown,
            ThreadPoolExecutor(1) as ahead,
        ):
            taken = ahead.submit(epoch.take, progress.done, CALL_EXAMPLES)
            while progress.done < end:
                begin = time.perf_counter()
                # Calls end between minibatches: an interruption between calls changes no result.
                minibatches = taken.result()
                sizes = np.array([one.examples for one in minibatches])
                first = progress.done + np.cumsum(sizes) - sizes
                count = int(np.searchsorted(first, end))
                examples = int(sizes[:count].sum())
                if progress.done + examples < end:  # the next ones, while the engine trains
                    taken = ahead.submit(epoch.take, progress.done + examples, CALL_EXAMPLES)
                steps = rates(config, progress.epochs, total, first[:count], progress.curve)
                loss = self._engine.train(minibatches[:count], progress.done, key, steps)
                seconds = time.perf_counter() - begin
                self._check(loss / examples)
                progress.add(examples, loss, seconds)
                shown.done = progress.done
                shown.says = (
                    f"{progress.seen / progress.seen_seconds:,.0f} tokens/s, "
                    f"loss {progress.loss / progress.seen:.4f} a token"
                )
                if self._best:
                    shown.says += f", best dev perplexity {progress.best_perplexity:.2f}"
                late = time.monotonic() > due and progress.done < end
                if self.ranks.from_first(late):  # all save together, whatever their clocks say
                    begin = time.monotonic()
                    self._save()
                    took = time.monotonic() - begin
                    due = begin + took + max(CHECKPOINT_SECONDS, CHECKPOINT_RATIO * took)

    def _check(self, loss: float) -> None:
        """Raise if training diverged; `loss` is the mean per token."""
        config = self.task.config
        untrained = OBJECTIVES.get(config.objective).untrained_loss(config, self.task.layout)
        if not loss <= EXPLODED * untrained:
            raise self._exploded(f"the loss is {loss:.4g} a token")

    def _exploded(self, what: str) -> ExplodedError:
        kept, hint = "", "lower learning_rate"
        if self.checkpoint is not None and self.checkpoint.exists():
            kept = f"; the last good checkpoint: {self.checkpoint}"
            hint += ": nlmt lm train --resume then goes on from there"
        epoch = self._progress.epochs + 1
        return ExplodedError(f"training exploded in epoch {epoch}: {what}{kept}", hint=hint)

    def _evaluate(self, total: int) -> None:
        """Measure the dev perplexity, add a row to the log, and keep the best parameters.

        `total` is the number of examples of the current epoch, which ends here if all are done.
        """
        task, progress = self.task, self._progress
        dev = math.nan
        if self.ranks.first:
            with step("measure the dev perplexity"):
                dev = self._perplexity(task.dev)
        dev = self.ranks.from_first(dev)
        if not math.isfinite(dev):
            raise self._exploded(f"the dev perplexity is {dev}")
        test = None
        if task.test is not None and self.ranks.first:
            test = self._perplexity(task.test)
        first = np.array([progress.done - progress.seen])
        rate = rates(task.config, progress.epochs, total, first, progress.curve)
        row = progress.end_part(total, dev, float(rate[0]), test)
        logging.info(
            "epoch %g: dev perplexity %.2f, loss %.4f a token, %s tokens/s",
            row.number,
            dev,
            row.objective,
            f"{row.tokens_per_second:,.0f}",
        )
        if dev < progress.best_perplexity:
            progress.best_epoch, progress.best_perplexity = row.number, dev
            self._best = self._engine.parameters()

    def _perplexity(self, text: NumberedText) -> float:
        """The perplexity of a text with the present parameters."""
        scorer = self._engine.scorer(self.task.encoder)
        return perplexity(scorer, text, self.task.vocabulary).perplexity

    def _save(self) -> None:
        """Write a checkpoint; all processes call this, and all raise the same errors."""
        if self.checkpoint is None:
            return
        state = self._engine.state() if self.ranks.first else None
        # The last step before may have diverged, which no loss has shown yet.
        broken = (
            f"{group}/{name}"
            for group, arrays in (vars(state) if state is not None else {}).items()
            for name, values in arrays.items()
            if not np.isfinite(values).all()
        )
        found = self.ranks.from_first(next(broken, ""))
        if found:
            raise self._exploded(f"{found} is not finite")
        with self.ranks.together():  # none goes on, and may read it, before it is written
            if state is not None:
                parts = self.task.fingerprint, self._progress, state, self._best
                code = [*self.other_code, present_code()]
                TrainingCheckpoint(*parts, code).save(self.checkpoint)


def make_engine(
    config: NeuralConfig,
    layout: OutputLayout,
    counts: NDArray[np.float64],
    start: TrainingState,
    threads: int,
    ranks: Ranks,
) -> Engine:
    """The engine that the configuration selects.

    `counts` (V,) are those of each word as a target; training begins with the parameters and
    memories of `start`.

    Raises:
        InputError: the kernel is asked for in several processes or for parts that it does not have,
            or a GPU where there is none.
    """
    network = NETWORKS.get(config.network)
    if layout.predicted is not None and not network.reads_sentences:
        counts = np.where(layout.predicted, counts, 0.0)  # other words are no examples
    if config.engine == "kernel" and ranks.count > 1:
        what = "engine: kernel trains in one process, on all the threads of a machine"
        raise InputError(what, hint="start one process, or set engine: torch")
    objective = OBJECTIVES.get(config.objective).in_kernel(config)
    known = {
        "network": network.in_kernel,
        "output": layout.compiled(1) is not None,
        "objective": objective is not None,
    }
    for key in (key for key in known if config.engine == "kernel" and not known[key]):
        what = f"engine: kernel has no {key}: {getattr(config, key)}"
        raise InputError(what, hint="engine: auto or torch")
    torch = config.engine == "torch" or config.needs_torch or ranks.count > 1
    if not torch and all(known.values()):
        return KernelEngine(config, layout, counts, start, threads)
    # torch takes seconds to load: only where it is needed.
    from nlmt.neural.torch_backend.engine import SentenceEngine, WindowEngine

    engine = SentenceEngine if network.reads_sentences else WindowEngine
    return engine(config, layout, counts, start, threads, ranks)
