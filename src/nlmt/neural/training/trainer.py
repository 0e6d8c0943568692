"""Train a model: epochs over the shuffled text, early stopping, checkpoints, the learning curve."""

import logging
import math
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np

from nlmt.errors import InputError
from nlmt.io.files import write_lines
from nlmt.lm.perplexity import Perplexity
from nlmt.neural.data.tensors import Parameters
from nlmt.neural.data.transform import TransformEncoder
from nlmt.neural.keys.training import Training
from nlmt.neural.model import NeuralLM
from nlmt.neural.outputs.registry import OutputLayout
from nlmt.neural.parameters import MEMORIES, TrainingState, initial, shapes
from nlmt.neural.scoring.protocol import perplexity
from nlmt.neural.training.checkpoints import LogRow, Progress, TrainingCheckpoint, previous_of
from nlmt.neural.training.engines import Engine, make_engine
from nlmt.neural.training.epochs import Epoch, make_epochs
from nlmt.neural.training.ranks import ALONE, Ranks
from nlmt.neural.training.rates import ExplodedError
from nlmt.neural.training.schedules import has_ended, rates
from nlmt.neural.training.task import Task
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


@dataclass(frozen=True, eq=False)
class Result:
    """The best model and its training.

    Attributes:
        model: of the evaluation with the lowest dev perplexity.
        dev: its perplexity on the dev text.
        mean_abs_log_z: on the dev text; see `NeuralLM.mean_abs_log_z`.
        progress: counts and the learning curve.
        source_cosine: of a transform of the source: mean cosine, on the training text, of its
            vectors and those of the translations.
        rates: lowest dev perplexity of each learning rate tried, None where training diverged;
            empty if there was only one.
    """

    model: NeuralLM
    dev: Perplexity
    mean_abs_log_z: float
    progress: Progress
    source_cosine: float | None = None
    rates: Mapping[float, float | None] = field(default_factory=dict)

    def metrics(self) -> dict[str, object]:
        """Figures for `metrics.json`."""
        log = self.progress.log
        tokens = log[-1].tokens if log else 0
        return {
            "best_epoch": round(self.progress.best_epoch, 4),
            "epochs": self.progress.epochs,
            "tokens": tokens,
            "seconds": round(self.progress.seconds, 3),
            "tokens_per_second": round(tokens / max(self.progress.seconds, 1e-9), 1),
            "dev": self.dev.to_dict(),
            "dev_mean_abs_log_z": round(self.mean_abs_log_z, 6),
            **({} if self.source_cosine is None else {"train_source_cosine": self.source_cosine}),
            **(
                {"learning_rates": {f"{r:g}": p for r, p in self.rates.items()}}
                if self.rates
                else {}
            ),
        }

    def write_log(self, path: Path) -> None:
        """Write the learning curve as TSV."""
        write_lines(path, log_lines(self.progress.log))


def log_lines(log: list[LogRow]) -> list[str]:
    """The lines of `log.tsv`, heading first."""
    heading = "epoch\ttokens\tseconds\ttokens_per_second\tobjective\tdev_perplexity\tlearning_rate"
    tested = any(row.test_perplexity is not None for row in log)
    return [
        heading + ("\ttest_perplexity" if tested else ""),
        *(
            f"{row.number:g}\t{row.tokens}\t{row.seconds:.3f}\t{row.tokens_per_second:.0f}\t"
            f"{row.objective:.6f}\t{row.dev_perplexity:.4f}\t{row.learning_rate:.6g}"
            + (f"\t{row.test_perplexity:.4f}" if row.test_perplexity is not None else "")
            for row in log
        ),
    ]


@dataclass
class Trainer:
    """Runs a task to its end, from the beginning or from a checkpoint.

    Attributes:
        task: configuration and texts.
        checkpoint: file for checkpoints; None keeps none.
        threads: of the CPU.
        after_evaluation: called after each evaluation with the learning curve so far.
        ranks: the processes that train together; the first one evaluates, writes and reports.
    """

    task: Task
    checkpoint: Path | None = None
    threads: int = 1
    after_evaluation: Callable[[list[LogRow]], None] = field(default=lambda log: None)
    ranks: Ranks = ALONE

    def run(self, start: TrainingCheckpoint | None = None) -> Result:
        """Train until the dev perplexity no longer falls or all epochs are done.

        The model is bit for bit the same whether or not training was interrupted.

        Raises:
            InputError: training diverged; the last checkpoint stays.
        """
        task = self.task
        epochs = make_epochs(
            task.config, task.texts, task.sampling, task.encoder, len(task.vocabulary)
        )
        if start is None:
            start = self._beginning()
        progress, best = start.progress, start.best
        with self.ranks.together():
            engine = make_engine(
                task.config, task.layout, task.counts, start.state, self.threads, self.ranks
            )
        parameters = sum(values.size for values in start.state.parameters.values())
        self._say(
            f"{round(task.counts.sum())} training tokens an epoch, {len(task.vocabulary)} words, "
            f"{task.layout.count} {task.layout.name}, {parameters} parameters"
        )
        present: Epoch | None = None
        while not self._finished(progress):
            if present is None or progress.done == 0:
                present = epochs.open(progress.epochs)
            self._run(engine, present, progress, best)
            best = self._evaluate(engine, present.examples, progress, best)
            if self.ranks.first:
                self.after_evaluation(progress.log)
            self._save(engine, progress, best)
        model = model_of(task, best, self.threads)
        dev = model.text_perplexity(task.dev)
        encoder = task.encoder
        cosine = encoder.cosine(task.texts) if isinstance(encoder, TransformEncoder) else None
        return Result(model, dev, model.mean_abs_log_z(task.dev), progress, cosine)

    def _beginning(self) -> TrainingCheckpoint:
        """Random parameters; or those to start from, which are the best until others are better."""
        task, training = self.task, self.task.config.training
        if task.start is None:
            parameters = initial(
                task.config.architecture,
                task.layout,
                task.counts,
                task.vocabulary,
                training.seed,
                task.source_words,
                training.initial_range,
            )
            state = TrainingState.first(parameters, training)
            return TrainingCheckpoint(task.fingerprint, Progress(), state, {})
        dev = model_of(task, task.start, self.threads).text_perplexity(task.dev).perplexity
        self._say(f"before the first epoch: dev perplexity {dev:.2f}")
        progress = Progress(best_perplexity=dev)
        state = TrainingState.first(task.start, training)
        return TrainingCheckpoint(task.fingerprint, progress, state, dict(task.start))

    def _finished(self, progress: Progress) -> bool:
        training = self.task.config.training
        worse = sum(row.number > progress.best_epoch for row in progress.log)
        ended = has_ended(training, [row.dev_perplexity for row in progress.log])
        return ended or progress.epochs >= training.epochs or worse >= training.patience

    def _run(
        self,
        engine: Engine,
        present: Epoch,
        progress: Progress,
        best: Parameters,
    ) -> None:
        """Train until the dev text is to be evaluated."""
        training, total = self.task.config.training, present.examples
        # Part k of the epoch ends with the minibatch that reaches example k * total / evaluations.
        part = progress.done * training.evaluations // total + 1
        end = -(-part * total // training.evaluations)
        key = int(np.random.SeedSequence([training.seed, progress.epochs]).generate_state(1)[0])
        curve = [row.dev_perplexity for row in progress.log]
        due = time.monotonic() + CHECKPOINT_SECONDS
        name = f"epoch {progress.epochs + 1}"
        with step(name, total, "examples", progress.done) as shown:
            while progress.done < end:
                begin = time.perf_counter()
                # Calls end between minibatches: an interruption between calls changes no result.
                minibatches, sizes = present.take(progress.done, CALL_EXAMPLES)
                first = progress.done + np.cumsum(sizes) - sizes
                count = int(np.searchsorted(first, end))
                examples = int(sizes[:count].sum())
                steps = rates(training, progress.epochs, total, first[:count], curve)
                loss = engine.train(minibatches[:count], progress.done, key, steps)
                seconds = time.perf_counter() - begin
                self._check(loss / examples, progress)
                progress.done += examples
                progress.seen += examples
                progress.loss += loss
                progress.seconds += seconds
                progress.seen_seconds += seconds
                shown.done = progress.done
                shown.says = (
                    f"{progress.seen / progress.seen_seconds:,.0f} tokens/s, "
                    f"loss {progress.loss / progress.seen:.4f} a token"
                    + (f", best dev perplexity {progress.best_perplexity:.2f}" if best else "")
                )
                if time.monotonic() > due and progress.done < end:
                    begin = time.monotonic()
                    self._save(engine, progress, best)
                    took = time.monotonic() - begin
                    due = begin + took + max(CHECKPOINT_SECONDS, CHECKPOINT_RATIO * took)

    def _say(self, text: str) -> None:
        """Log a message, in the first process only."""
        if self.ranks.first:
            logging.info("%s", text)

    def _check(self, loss: float, progress: Progress) -> None:
        """Raise if training diverged; `loss` is the mean per token."""
        if not loss <= EXPLODED * untrained_loss(self.task.config.training, self.task.layout):
            raise self._exploded(f"the loss is {loss:.4g} a token", progress)

    def _exploded(self, what: str, progress: Progress) -> ExplodedError:
        kept, hint = "", "lower learning_rate"
        if self.checkpoint is not None and self.checkpoint.exists():
            kept = f"; the last good checkpoint: {self.checkpoint}"
            hint += ": nlmt lm train --resume then goes on from there"
        return ExplodedError(
            f"training exploded in epoch {progress.epochs + 1}: {what}{kept}", hint=hint
        )

    def _evaluate(
        self,
        engine: Engine,
        total: int,
        progress: Progress,
        best: Parameters,
    ) -> Parameters:
        """Measure the dev perplexity and add a row to the log; return the best parameters so far.

        `total` is the number of examples of the current epoch, which ends here if all are done.
        """
        task = self.task
        dev = math.nan
        if self.ranks.first:
            with step("measure the dev perplexity"):
                dev = perplexity(engine.scorer(task.encoder), task.dev, task.vocabulary).perplexity
        dev = self.ranks.from_first(dev)
        if not math.isfinite(dev):
            raise self._exploded(f"the dev perplexity is {dev}", progress)
        test = None
        if task.test is not None and self.ranks.first:
            test = perplexity(engine.scorer(task.encoder), task.test, task.vocabulary).perplexity
        curve = [row.dev_perplexity for row in progress.log]
        first = np.array([progress.done - progress.seen])
        rate = rates(task.config.training, progress.epochs, total, first, curve)
        if progress.done == total:
            progress.epochs, progress.done = progress.epochs + 1, 0
        row = LogRow(
            number=progress.epochs + (progress.done / total if progress.done else 0),
            tokens=progress.seen + (progress.log[-1].tokens if progress.log else 0),
            seconds=progress.seconds,
            tokens_per_second=progress.seen / max(progress.seen_seconds, 1e-9),
            objective=progress.loss / progress.seen,
            dev_perplexity=dev,
            learning_rate=float(rate[0]),
            test_perplexity=test,
        )
        progress.log.append(row)
        progress.seen, progress.loss, progress.seen_seconds = 0, 0.0, 0.0
        self._say(
            f"epoch {row.number:g}: dev perplexity {dev:.2f}, loss {row.objective:.4f} a token, "
            f"{row.tokens_per_second:,.0f} tokens/s"
        )
        if dev < progress.best_perplexity:
            progress.best_epoch, progress.best_perplexity = row.number, dev
            return engine.state().parameters
        return best

    def _save(self, engine: Engine, progress: Progress, best: Parameters) -> None:
        if self.checkpoint is None or not self.ranks.first:
            return
        state = engine.state()
        # The last step before may have diverged, which no loss has shown yet.
        for name, values in state.parameters.items():
            if not np.isfinite(values).all():
                raise self._exploded(f"{name} is not finite", progress)
        TrainingCheckpoint(self.task.fingerprint, progress, state, best).save(self.checkpoint)


def model_of(task: Task, parameters: Parameters, threads: int) -> NeuralLM:
    """The model of a task with these parameters."""
    return NeuralLM(
        task.config,
        task.vocabulary,
        task.layout,
        parameters,
        task.source_vocabulary,
        task.source_arrays,
        threads=threads,
    )


def untrained_loss(training: Training, layout: OutputLayout) -> float:
    """Approximate loss per token (natural log) of an untrained model.

    With the normaliser at 1 that is log V; under `nce` a decision between a word and k samples,
    each as likely as the word, for each of two layers.
    """
    if training.noise_contrastive:
        k = training.noise
        return 2 * (math.log(k + 1) + k * math.log((k + 1) / k))
    return math.log(layout.words)


def find_checkpoint(
    path: Path, task: Task, may_differ: Sequence[str] = ()
) -> TrainingCheckpoint | None:
    """The checkpoint at `path`, the previous one where that is damaged, or None without any.

    Its configuration has to be the task's, except for the keys in `may_differ`.

    Raises:
        InputError: it is damaged, belongs to another configuration or other texts, or its arrays
            do not fit the model.
    """
    kept = [place for place in (path, previous_of(path)) if place.exists()]
    for place in kept[:-1]:
        try:
            return _read_checkpoint(place, task, may_differ)
        except InputError as error:
            logging.info("trying the previous checkpoint: %s", error)
    return _read_checkpoint(kept[-1], task, may_differ) if kept else None


def _read_checkpoint(path: Path, task: Task, may_differ: Sequence[str]) -> TrainingCheckpoint:
    checkpoint = TrainingCheckpoint.load(path)
    wanted = task.fingerprint
    other = [key for key in wanted if checkpoint.fingerprint.get(key) != wanted[key]]
    if other and set(other) <= set(may_differ):
        logging.info("the checkpoint was made with another %s", ", ".join(other))
    elif other:
        raise InputError(
            f"the checkpoint was made with another {', '.join(other)}",
            path=path,
            hint="train without --resume to start from the beginning",
        )
    expected = shapes(task.config.architecture, task.layout, task.source_words)
    checkpoint.check(expected, MEMORIES[task.config.training.optimiser], path)
    return checkpoint
