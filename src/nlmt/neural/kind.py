"""Neural models as a kind of language model."""

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Literal

from typing_extensions import override

from nlmt.classes.methods import METHODS
from nlmt.errors import InputError
from nlmt.io.json_files import read_json
from nlmt.io.moses_ini import Feature
from nlmt.lm.kinds import ModelKind, TrainingData
from nlmt.lm.plan import ModelPlan, SettingsSearch, TrainingResources
from nlmt.neural.arrays import unfit_for_decoder
from nlmt.neural.model import NeuralLM
from nlmt.neural.model_files import CONFIG, MODEL, SOURCE_VOCABULARY, VOCABULARY, read_config
from nlmt.neural.outputs.layout import CLASSES
from nlmt.neural.parameters import MEMORIES
from nlmt.neural.parts import NETWORKS, OBJECTIVES, OUTPUTS
from nlmt.neural.settings.neural import NeuralSettings
from nlmt.neural.train.folder import CURVE, METRICS, Job
from nlmt.neural.train.ranks import ALONE
from nlmt.neural.train.search import trainings
from nlmt.vocabulary import SPECIAL

FILES = (MODEL, CONFIG, VOCABULARY, CLASSES, METRICS)
BYTES = 4  # of a number in single precision
# A product of a matrix and a vector multiplies and adds; a step has three: the forward pass, the
# gradient of what goes in and the gradient of the matrix.
OPERATIONS = 2 * 3
# For jobs whose texts do not exist yet: the largest vocabulary, and a typical one; tokens in a
# megabyte of text: encoded (with up to 65,536 words), compressed, of compressed tuples.
_MOST_WORDS, _TYPICAL_WORDS = 400_000, 40_000
_ENCODED_TOKENS, _TEXT_TOKENS, _TUPLES = 400_000, 600_000, 200_000
# One thread of a processor: seconds of training per token and per minibatch beside the rest, then
# operations and bytes a second, between the rates of docs/results/neural_threads.tsv and
# neural_cpu.tsv, whose processors differ by up to four times; operations a second of scoring.
_TOKEN_SECONDS, _STEP_SECONDS = 3e-6, 5e-5
_RATE, _COPY_RATE = 6e10, 1e10
_SCORE_RATE = 8e10
# What a training on n threads asks for: the time of one by the rates above, twice, as processors
# differ, divided by n to a power, so that no model of those tables takes longer. Of small
# minibatches no speed on several threads has been measured.
_TIME_MARGIN = 2.0
_SPEED_UP, _SMALL_SPEED_UP = 0.68, 1 / 3
_SMALL_MINIBATCH = 100
# A GPU, an H100: seconds per token of launches of kernels, by cost of the network ("classes": of
# feed-forward models with a word of one class at a time), and operations a second, by precision:
# `benchmarks/neural_gpu.py`, docs/results/neural_gpu.tsv.
_GPU_SECONDS = {"feed-forward": 8e-7, "classes": 2.4e-6, "recurrent": 2.2e-5, "transformer": 8e-7}
_GPU_RATES = {"float32": 2.6e13, "tf32": 5.2e13, "bfloat16": 4e13}
# Megabytes of memory for a megabyte of input. Sentences are read into memory, at most nine bytes a
# token. The back-off model of a short-list, while it is built, takes 16 bytes for each n-gram, 40
# for each of the longest: of 10^8 words, 0.8 of these and 0.85 shorter ones a token.
_SENTENCES_MB, _BACKOFF_MB = 5, 12
# Of a job. Sixteen train 1.2 to 1.6 times as fast as eight (docs/results/neural_threads.tsv):
# two models beside each other are trained sooner on eight each.
_MOST_THREADS = 8
# Keys that the model to start from determines.
_OF_THE_START = (
    "classes",
    "class_count",
    "source_embeddings",
    "initial_range",
    "transform_rates",
    "transform_schedule",
    "transform_epochs",
)


class NeuralKind(ModelKind[NeuralSettings]):
    """Neural language models of words, tuples, or words of the source."""

    settings = NeuralSettings
    feature = "NLM"
    form = f"a folder with {MODEL}"

    @override
    def plan(self, settings: NeuralSettings) -> ModelPlan:
        _check(settings)
        unfit = unfit_for_decoder(settings)
        arguments = {"path": ".", "scores": "normalised"}
        needs_classes = settings.needs_classes and settings.start_from is None
        all_words = OUTPUTS.get(settings.output).all_words
        least = settings.min_count if _reads_encoded(settings) else None
        tried = settings.combinations().values()
        epochs = max(one.get("epochs", settings.epochs) for one in tried)
        searching = trainings(len(tried), epochs * settings.evaluations)
        alone = _resources(settings, epochs)  # with the chosen settings
        return ModelPlan(
            files=FILES if settings.source == "none" else (*FILES, SOURCE_VOCABULARY),
            resources=_resources(settings, epochs * searching),
            search=SettingsSearch(CONFIG, alone) if len(tried) > 1 else None,
            curve=CURVE,
            watches_test=settings.watch_test,
            min_count=least if least is None or not all_words else 1,
            source_min_count=least,
            all_words=all_words,
            classes=settings.classes if needs_classes else None,
            class_count=settings.class_count,
            source=_source(settings),
            bitext=settings.bitext,
            start=settings.start_from,
            source_embeddings=settings.source_embeddings,
            source_dim=settings.source_dim,
            dim=settings.dim,
            shares=settings.resampling,
            cost=NETWORKS.get(settings.network).cost,
            score_seconds=2 * _products(settings, _rows(settings, _MOST_WORDS)) / _SCORE_RATE,
            decoder=None if unfit else Feature("NeuralLM", self.feature, arguments),
            unfit=f"models of {unfit} rescore, they do not decode" if unfit else "",
            remembers=None if settings.reads_sentences else settings.context,
        )

    @override
    def train(
        self, settings: NeuralSettings, data: TrainingData, folder: Path, *, threads: int
    ) -> None:
        chosen = None if data.chosen is None else _chosen(settings, data.chosen / CONFIG)
        job = Job(settings, data, folder, max(1, threads // settings.processes), chosen)
        if settings.processes > 1:
            job.start(settings.processes)
        else:
            job.run(ALONE)

    @override
    def find(self, path: Path) -> Path | None:
        if path.name == MODEL and path.is_file():
            path = path.parent
        return path if (path / MODEL).is_file() else None

    @override
    def load(self, path: Path, *, threads: int = 1) -> NeuralLM:
        return NeuralLM.load(path, threads=threads)

    @override
    def describe(self, path: Path) -> Iterator[str]:
        model = NeuralLM.load(path)
        yield f"parameters: {model.parameter_count}"
        for name, values in model.parameters.items():
            yield f"  {name}: {' x '.join(map(str, values.shape))}"
        yield f"words: {len(model.vocabulary) - len(SPECIAL)}, and <unk>, <s>, </s>"
        if model.source_vocabulary is not None:
            yield f"source words: {len(model.source_vocabulary)}"
        yield f"{model.layout.name}: {model.layout.count}"
        for key, value in model.config.to_dict().items():
            yield f"{key}: {'null' if value is None else value}"
        metrics = path / METRICS
        if metrics.is_file():
            yield json.dumps(read_json(metrics), indent=2)


def _chosen(settings: NeuralSettings, path: Path) -> str:
    """The name of the alternative that another run chose, whose config.json is at `path`."""
    found = settings.like(read_config(path))
    if found is None:
        what = f"it has none of the values of search: {dict(settings.search)}"
        raise InputError(what, path=path, hint="train the first run again")
    return found


def _check(settings: NeuralSettings) -> None:
    """Refuse settings that contradict each other."""
    settings.check()
    if settings.processes > 1 and settings.engine == "kernel":
        what = f"processes: {settings.processes} needs torch"
        raise InputError(what, hint="engine: auto or torch")
    if settings.source != "none" and settings.units != "words":
        what = {"tuples": "tuples contain the source already"}.get(
            settings.units, "a model of the source language sees no other"
        )
        raise InputError(f"source: {what}", hint="leave source out")
    given, layout = settings.model_fields_set, OUTPUTS.get(settings.output)
    if "texts" in given:
        settings.shares(len(settings.texts))  # refuses another number of them
    if settings.start_from is not None:
        for key in given.union(settings.search).intersection(_OF_THE_START):
            what = f"{key} has no effect with start_from: the model determines it"
            raise InputError(what, hint=f"leave {key} out")
    elif settings.takes_embeddings and settings.source_embeddings is None:
        what = f"source: {settings.source} needs source_embeddings"
        raise InputError(what, hint="name a neural model with units: source")
    if settings.source_embeddings is not None and not settings.takes_embeddings:
        what = "source_embeddings has no effect with source_vectors: lsa"
        raise InputError(what, hint="leave source_embeddings out")
    if not settings.needs_classes:
        for key in given.intersection(("classes", "class_count")):
            what = f"{key} has no effect with output: {settings.output}, which needs no classes"
            raise InputError(what, hint=f"leave {key} out")
    elif METHODS.get(settings.classes).word_tree and not layout.takes_word_tree:
        what = f"classes: {settings.classes} gives each word a class of its own"
        raise InputError(what, hint="set output: tree-factored and tree: brown")


def _reads_encoded(settings: NeuralSettings) -> bool:
    """Whether its training texts are encoded, rather than sentences.

    An encoded text has a vocabulary of its own, of all words that are frequent enough; training
    that starts from a model takes the model's.
    """
    return settings.start_from is None and settings.max_words is None


def _source(settings: NeuralSettings) -> Literal["none", "sentence", "alignment", "reference"]:
    """The source that the model sees."""
    if settings.source == "none":
        return "none"
    if settings.source_of == "reference":
        return "reference"
    return "alignment" if settings.needs_alignment else "sentence"


def _resources(settings: NeuralSettings, epochs: float) -> TrainingResources:
    """The resources of so many epochs of training."""
    fixed = 1000 + _table_mb(settings) + _transform_mb(settings)
    tuples = settings.units == "tuples"
    encoded = _reads_encoded(settings) and not tuples  # and so mapped
    tokens = _ENCODED_TOKENS if encoded else _TUPLES if tuples else _TEXT_TOKENS
    backs_off = OUTPUTS.get(settings.output).all_words
    on_gpu, small = settings.device == "gpu", settings.minibatch < _SMALL_MINIBATCH
    return TrainingResources(
        mem_mb=fixed,
        mem_per_mb=60,
        most_mb=fixed + _vectors_mb(settings),
        held_per_mb=(0 if encoded else _SENTENCES_MB) + (_BACKOFF_MB if backs_off else 0),
        runtime=60,
        runtime_per_mb=epochs * tokens * _seconds(settings) / 60,
        time_margin=1.0 if on_gpu else _TIME_MARGIN,
        speed_up_power=0.0 if on_gpu else _SMALL_SPEED_UP if small else _SPEED_UP,
        threads=_threads(settings),
        gpus=settings.processes if on_gpu else 0,
        counts_operations=True,
    )


def _threads(settings: NeuralSettings) -> int:
    """Threads beyond which training gains nothing."""
    if settings.device == "gpu" or settings.processes > 1:
        return _MOST_THREADS
    products = settings.minibatch * settings.dim**2
    return NETWORKS.get(settings.network).threads(products, _MOST_THREADS)


def _table_mb(settings: NeuralSettings) -> int:
    """Memory of training for the direct features."""
    return _copies(settings) * BYTES * settings.direct_features // 10**6


def _transform_mb(settings: NeuralSettings) -> int:
    """Memory of training for the transform of the source: the present and the best one."""
    if settings.source != "transform":
        return 0
    return 2 * BYTES * (settings.source_dim << settings.source_bits) // 10**6


def _copies(settings: NeuralSettings) -> int:
    """Number of copies of each parameter during training.

    The parameter itself, the best so far, the optimiser's memories, a checkpoint being written.
    """
    return 3 + len(MEMORIES[settings.optimiser])


def _vectors_mb(settings: NeuralSettings) -> int:
    """Memory of training for the vectors of words: source, context, output."""
    sides = 1 if settings.source == "none" else 2
    numbers = _MOST_WORDS * (sides * settings.dim + settings.hidden_dim)
    return _copies(settings) * BYTES * numbers // 10**6


def _seconds(settings: NeuralSettings) -> float:
    """Approximate training time per token, on a GPU or on one thread of a processor."""
    layout, network = OUTPUTS.get(settings.output), NETWORKS.get(settings.network)
    contrasts = OBJECTIVES.get(settings.objective).contrasts
    # Weights of a token's own noise, and those that its minibatch shares.
    own = 2 * settings.noise * settings.last_hidden if contrasts else 0
    shared = _products(settings, 0 if contrasts else _rows(settings, _TYPICAL_WORDS))
    if settings.device == "gpu":
        grouped = settings.needs_classes and not layout.takes_word_tree and not contrasts
        by_class = grouped and not settings.reads_sentences
        seconds = _GPU_SECONDS["classes" if by_class else network.cost]
        return seconds + OPERATIONS * (own + shared) / _GPU_RATES[settings.precision]
    own += settings.dim * (1 if settings.reads_sentences else settings.positions)
    # The optimiser's step reads and writes weights and memories, the shared ones once a minibatch.
    stepped = own + (1 + len(MEMORIES[settings.optimiser])) * shared / settings.minibatch
    return (
        _TOKEN_SECONDS
        + _STEP_SECONDS / settings.minibatch
        + OPERATIONS * shared / _RATE
        + 2 * BYTES * stepped / _COPY_RATE
    )


def _rows(settings: NeuralSettings, words: int) -> int:
    """Approximate number of rows of the output layer for the normalised probability of a word.

    `words` is the size of the vocabulary where no key bounds it.
    """
    return OUTPUTS.get(settings.output).typical_products(settings, settings.max_words or words)


def _products(settings: NeuralSettings, rows: int) -> int:
    """Multiplications in the forward pass of a word, with so many rows of the output layer."""
    return NETWORKS.get(settings.network).products(settings) + settings.last_hidden * rows


NEURAL = NeuralKind()
