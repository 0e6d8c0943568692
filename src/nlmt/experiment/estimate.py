"""Estimates of the resources of an experiment's jobs, before any of them runs.

The sizes of files that do not exist yet follow, job by job along the graph, from those that do or
from the configuration.
"""

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from nlmt.corpora import SOURCES, LaidOutSettings, given_parts, text_sizes
from nlmt.errors import InputError
from nlmt.experiment.experiment import Experiment
from nlmt.experiment.kinds_of_jobs import kind_of_job, score_seconds
from nlmt.io.shards import Shard
from nlmt.needs import base_rule, need, size_mb

_BYTES = 1e6
# Archives hold text compressed; a file of which nothing is stated is taken for a test set.
_TEXT_IN_ARCHIVES = 3
_UNKNOWN_MB = 20
_PACKAGE_MB = 2.5
# A test set of WMT has some 3,000 sentences; a side of it, compressed, has so many bytes a
# sentence.
_HELD_OUT_SENTENCES = 3000
_SENTENCE_BYTES = 50
# A token of a compressed text takes so many bytes; encoded, a text is larger than compressed.
_TOKEN_BYTES = 1.7
_ENCODED = 1.5
# Rules that join the first inputs into the first output, the next into the second ...
_GATHERING = ("gather_shards", "gather_text_shards")
_DRAWN = ("extract_bitext", "extract_held_out", "extract_reference")


@dataclass(frozen=True)
class PlannedJob:
    """A job to be run, with its outputs in the order of the rule."""

    rule: str
    wildcards: Mapping[str, str]
    inputs: tuple[str, ...]
    outputs: tuple[str, ...]
    threads: int


def planned_jobs(dag: Any, *, threads: bool = True) -> Iterator[PlannedJob]:
    """The jobs of Snakemake's graph that it would run, each after those that make its inputs.

    Their threads, which depend on the sizes of files that may not exist yet, are found if asked
    for.
    """
    for level in dag.toposorted(set(dag.needrun_jobs())):
        for job in level:
            if job.output:
                yield PlannedJob(
                    rule=job.rule.name,
                    wildcards=dict(job.wildcards_dict),
                    inputs=tuple(dict.fromkeys(map(str, job.input))),
                    outputs=tuple(map(str, job.output)),
                    threads=job.threads if threads else 1,
                )


@dataclass(frozen=True)
class Estimate:
    """The estimated resources of a job.

    Attributes:
        kind: its kind (`kind_of_job`).
        mem_mb: memory that it requests at its first attempt.
        seconds: of processor time, or of GPU time.
        written_mb: size of all that it writes.
        scratch_mb: size of the temporary files beside it.
        measured: whether the rule has measured points.
        ready: seconds until it ends, along the longest path to it, with all threads that it gets.
    """

    job: PlannedJob
    kind: str
    mem_mb: int
    seconds: float
    gpus: int
    written_mb: float
    scratch_mb: int
    measured: bool
    ready: float


@dataclass(frozen=True)
class Pace:
    """Processor time that finished jobs took, as shares of what the points let expect.

    Attributes:
        jobs: number of finished jobs.
        overall: the share of all of them; 1 without any.
        shares: by rule and kind.
    """

    jobs: int = 0
    overall: float = 1.0
    shares: Mapping[tuple[str, str], float] = field(default_factory=dict)

    def of(self, rule: str, kind: str) -> float:
        """The share of a rule's jobs of a kind; that of all where none has finished."""
        return self.shares.get((base_rule(rule), kind), self.overall)


@dataclass(frozen=True)
class _Download:
    """A file to download.

    Attributes:
        size: in bytes.
        text: bytes of the text of one pair or language in it.
    """

    size: float
    text: float


class _Estimator:
    """Estimates jobs in an order in which inputs are made before they are read."""

    def __init__(
        self, experiment: Experiment, cores: int, downloads: dict[str, _Download], pace: Pace
    ) -> None:
        self._experiment, self._cores, self._pace = experiment, cores, pace
        self._sizes: dict[str, float] = {}
        self._ready: dict[str, float] = {}
        self._downloads = downloads

    def estimate(self, job: PlannedJob) -> Estimate:
        """The estimate of a job that comes after those that make its inputs."""
        kind = kind_of_job(self._experiment, job.rule, job.wildcards)
        found = need(job.rule, kind)
        inputs = [(path, self._size(path, job.rule)) for path in job.inputs]
        size = size_mb(inputs, found.reads.memory)
        shards = Shard.parse(job.wildcards.get("scatteritem", "")).count
        time_size = written_size = size_mb(inputs, found.reads.time) / shards
        mem_mb, scratch_mb = found.mem_mb(size), found.scratch_mb(time_size)
        gpus, least, trainings = 0, 0.0, 1.0
        rule = base_rule(job.rule)
        if "lm" in job.wildcards and (rule == "measure_training" or rule.startswith("train_")):
            model = self._experiment.models[job.wildcards["lm"]]
            training = model.resources
            mem_mb = training.memory(size_mb(inputs, ()))  # as the rule requests
            scratch_mb = training.scratch(size_mb(inputs, ()))
            if rule != "measure_training":
                gpus, written_size = training.gpus, size
                time_size = model.time_mb(job.wildcards["src"], job.wildcards["tgt"], inputs)
                one = model.plan.search.resources if model.plan.search else training
                trainings = training.runtime_per_mb / one.runtime_per_mb
                time_size *= one.runtime_per_mb
                if training.counts_operations:  # trainings of the points may have ended early
                    least = 60 * time_size
        written = self._expected(job, inputs, [curve.at(written_size) for curve in found.written])
        self._write(job, written)
        of_score = score_seconds(self._experiment, job.rule, job.wildcards)
        seconds = trainings * max(least, found.seconds(time_size, of_score))  # of a search
        if not gpus:
            seconds *= self._pace.of(job.rule, kind)
        begin = max([0.0, *(self._ready.get(path, 0.0) for path in job.inputs)])
        ready = begin + seconds / max(1, min(job.threads, self._cores))
        self._ready.update(dict.fromkeys(job.outputs, ready))
        total = sum(self._sizes[path] for path in job.outputs) / _BYTES
        measured = bool(found.points)
        return Estimate(job, kind, mem_mb, seconds, gpus, total, scratch_mb, measured, ready)

    def _expected(
        self, job: PlannedJob, inputs: list[tuple[str, float]], by_curves: list[float]
    ) -> list[float]:
        """Megabytes of each output: of some rules by the texts themselves, else by the points."""
        rule, written = base_rule(job.rule), by_curves
        if job.rule in _GATHERING:
            parts = len(inputs) // len(job.outputs)
            written = [
                size_mb(inputs[number * parts : (number + 1) * parts], ())
                for number in range(len(job.outputs))
            ]
        elif rule == "gather_text":
            written = [self._gathered(job, inputs)]
        elif rule == "encode_text":
            written = [_ENCODED * size_mb(inputs, (f"/{job.wildcards['text']}.gz",))]
        if rule == "prepare_monolingual" or (
            rule == "prepare_text" and job.wildcards.get("split") == "train"
        ):
            written = [self._experiment.config.text.share * size for size in written]
        return written + [0.0] * (len(job.outputs) - len(written))

    def _gathered(self, job: PlannedJob, inputs: list[tuple[str, float]]) -> float:
        """Megabytes of a training text, of those that it joins."""
        text = self._experiment.texts(job.wildcards["task"])[job.wildcards["text"]]
        own = self._experiment.config.monolingual.get(job.wildcards["tgt"], ())
        parts = {"bitext": ("/text/train.",), "monolingual": tuple(map(str, own))}
        joined = [parts.get(part, (f"/text/mono.{part}.",)) for part in text.corpora]
        size = sum(size_mb(inputs, paths) for paths in joined if paths)
        if text.sentences is not None:
            size = min(size, _SENTENCE_BYTES * text.sentences / _BYTES)
        if text.tokens is not None:
            size = min(size, _TOKEN_BYTES * text.tokens / _BYTES)
        return size * (text.share or 1.0)

    def _size(self, path: str, rule: str) -> float:
        """Present or expected bytes of an input; of a download, only the pair's text."""
        if path in self._downloads and rule != "download_corpus":
            return self._downloads[path].text
        if path in self._sizes:
            return self._sizes[path]
        found = Path(path)
        return float(found.stat().st_size) if found.exists() else _UNKNOWN_MB * _BYTES

    def _write(self, job: PlannedJob, written: list[float]) -> None:
        for path, size in zip(job.outputs, written, strict=False):
            self._sizes[path] = _BYTES * size
            if path in self._downloads:
                self._sizes[path] = self._downloads[path].size
            if job.rule in _DRAWN and path.endswith(".gz"):
                name = Path(path).name.split(".")[0]
                corpus, part = self._experiment.origin(job.wildcards["task"], name)
                if part != "train":
                    config = self._experiment.config
                    given = part in given_parts(config.corpora[corpus])
                    sentences = _HELD_OUT_SENTENCES if given else getattr(config.split, part)
                    self._sizes[path] = _SENTENCE_BYTES * sentences


def _downloads(experiment: Experiment, times: float = 1) -> dict[str, _Download]:
    """The files that corpora download, by their paths, or files so many times as large."""
    found, texts = {}, text_sizes(experiment.config.corpora)
    for name, corpus in experiment.config.corpora.items():
        source = SOURCES.get(corpus.kind)
        stated = source.about_mb(name, corpus)
        text_share, unknown = 1.0, _PACKAGE_MB  # measured points are for whole packages
        if isinstance(corpus, LaidOutSettings):
            text_share = _TEXT_IN_ARCHIVES / len(corpus.pairs or corpus.languages)
            unknown = _UNKNOWN_MB
        for path in source.downloads(name, corpus):
            size = path.stat().st_size if path.exists() else _BYTES * (stated.get(path) or unknown)
            text = texts.get(str(path), text_share * size)
            found[str(path)] = _Download(times * size, times * text)
    return found


def measure_pace(experiment: Experiment, finished: Iterable[tuple[PlannedJob, float]]) -> Pace:
    """The processor time that jobs took beside their estimates.

    Args:
        experiment: of the jobs; those of what it does not have do not count, nor do trainings of
            other tasks, whose models may have had other sizes.
        finished: jobs, and the processor time of each in seconds; those whose inputs are gone do
            not count.
    """
    expected: dict[tuple[str, str], float] = defaultdict(float)
    taken: dict[tuple[str, str], float] = defaultdict(float)
    downloads, jobs = _downloads(experiment), 0
    for job, seconds in finished:
        if "lm" in job.wildcards and job.wildcards["task"] not in experiment.tasks():
            continue
        if not all(Path(path).exists() for path in job.inputs):
            continue
        try:  # each by itself: its inputs have the sizes of files
            one = _Estimator(experiment, 1, downloads, Pace()).estimate(job)
        except (InputError, KeyError):
            continue
        if one.measured and not one.gpus and one.seconds > 0:
            jobs += 1
            expected[base_rule(job.rule), one.kind] += one.seconds
            taken[base_rule(job.rule), one.kind] += seconds
    if not jobs:
        return Pace()
    shares = {key: taken[key] / expected[key] for key in expected}
    return Pace(jobs, sum(taken.values()) / sum(expected.values()), shares)


def estimate(
    experiment: Experiment,
    jobs: Iterable[PlannedJob],
    cores: int,
    pace: Pace | None = None,
    *,
    times: float = 1,
) -> list[Estimate]:
    """Estimate jobs that come each after those that make its inputs, at the pace of the machine.

    With `times`, the needs are those of corpora so many times as large, but for held-out text.
    """
    estimator = _Estimator(experiment, cores, _downloads(experiment, times), pace or Pace())
    return [estimator.estimate(job) for job in jobs]


def most_scratch_mb(estimates: Iterable[Estimate], at_once: int) -> int:
    """The largest size of the temporary files of so many jobs."""
    return sum(sorted((one.scratch_mb for one in estimates), reverse=True)[:at_once])
