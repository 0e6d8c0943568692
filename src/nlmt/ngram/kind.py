"""Back-off n-gram models as a kind of language model."""

from collections.abc import Iterator
from math import inf
from pathlib import Path
from typing import Annotated, Any, Literal

from typing_extensions import override

from nlmt.errors import InputError
from nlmt.io.json_files import write_json
from nlmt.io.moses_ini import Feature
from nlmt.lm.kinds import ModelKind, ModelSettings, TrainingData
from nlmt.lm.plan import ModelPlan, TrainingResources
from nlmt.ngram.files import is_kenlm, read_facts, read_vocabulary
from nlmt.ngram.mixing import train_interpolated
from nlmt.ngram.model import NgramModel
from nlmt.ngram.training import Storage, job_memory, train_binary
from nlmt.settings import REQUIRED, setting
from nlmt.vocabulary import SPECIAL

MODEL = "model.binary"
WEIGHTS = "interpolation.json"
MOST_MB = 24_000  # largest need of a job


class BackoffSettings(ModelSettings):
    """Options of lmplz's estimation and of KenLM's storage of a model."""

    order: int = setting(REQUIRED, "Length of the longest n-grams.", ge=2, le=6, unit="words")
    prune: tuple[Annotated[int, setting(REQUIRED, "", ge=0)], ...] = setting(
        (),
        "Thresholds for n-grams of one word, two words and so on, the last for all longer ones: "
        "n-grams that occur at most so often are removed. Single words are never removed, so the "
        "first threshold is 0.",
        source="lmplz --prune",
        examples=[[0, 0, 1]],
    )
    structure: Literal["trie", "probing"] = setting(
        "trie",
        "Data structure of the model: trie is small, probing (a hash table) is fast.",
        source="build_binary",
    )
    quantise: int | None = setting(
        None,
        "Bits per probability and back-off weight in a trie; null: no quantisation.",
        unit="bits",
        source="build_binary -q and -b",
        ge=2,
        le=25,
    )
    pointers: int | None = setting(
        None,
        "Largest number of bits of a trie's pointers to replace by an array; null: none.",
        unit="bits",
        source="build_binary -a",
        ge=1,
        le=255,
    )


class NgramSettings(BackoffSettings):
    """A back-off n-gram model with modified Kneser-Ney smoothing, by KenLM's lmplz.

    Several texts have a model each; these are interpolated into one, with the weights that maximise
    the probability of the dev text.
    """

    kind: Literal["ngram"] = setting(REQUIRED, "The kind of model.")


class NgramKind(ModelKind[NgramSettings]):
    """Models that lmplz estimates, stored by KenLM."""

    settings = NgramSettings
    feature = "LM"
    form = f"a file of KenLM, binary or ARPA, or a folder with {MODEL}"

    @override
    def plan(self, settings: NgramSettings) -> ModelPlan:
        check_settings(settings)
        arguments = {"factor": "0", "path": MODEL, "order": str(settings.order)}
        return ModelPlan(
            files=(MODEL,) if len(settings.texts) == 1 else (MODEL, WEIGHTS),
            resources=training_resources(settings),
            decoder=Feature("KENLM", self.feature, arguments),
            remembers=settings.order - 1,
        )

    @override
    def train(
        self, settings: NgramSettings, data: TrainingData, folder: Path, *, threads: int
    ) -> None:
        train_model(settings, data, folder / MODEL)

    @override
    def find(self, path: Path) -> Path | None:
        if (path / MODEL).is_file():
            return path / MODEL
        return path if path.is_file() and is_kenlm(path) else None

    @override
    def load(self, path: Path, *, threads: int = 1) -> NgramModel:
        return NgramModel(path)

    @override
    def describe(self, path: Path) -> Iterator[str]:
        return describe(path)


def training_resources(settings: BackoffSettings) -> TrainingResources:
    """Resources of training: all but a hash table is sorted, and written, in pieces."""
    several = len(settings.texts) > 1
    # Two billion words, 4,000 MB compressed, take 300 GB of temporary files in one text, 550 in
    # several (nlmt.ngram.mixing). Minutes are four times the processor time in the help corpus,
    # 0.45 s a megabyte in one text, 8 s in several, and a tenth of a second for each megabyte of
    # temporary files, which are written and read a few times.
    return TrainingResources(
        mem_mb=2000,
        mem_per_mb=40,
        runtime=30,
        runtime_per_mb=0.8 if several else 0.2,
        most_mb=inf if settings.structure == "probing" else MOST_MB,
        scratch_per_mb=140 if several else 75,
    )


def check_settings(settings: BackoffSettings) -> None:
    """Refuse keys that contradict each other.

    Raises:
        InputError: says which, and what to do.
    """
    thresholds = settings.prune
    if thresholds and (thresholds[0] != 0 or list(thresholds) != sorted(thresholds)):
        what = f"prune: {list(thresholds)} does not begin with 0, or falls"
        raise InputError(what, hint="prune: [0, 0, 1] leaves out trigrams that occur once")
    if len(thresholds) > settings.order:
        what = f"prune: {len(thresholds)} numbers for order {settings.order}"
        raise InputError(what, hint="the last number is for all longer n-grams")
    for key in ("quantise", "pointers"):
        if settings.structure != "trie" and getattr(settings, key) is not None:
            what = f"{key} has no effect with structure: {settings.structure}"
            raise InputError(what, hint=f"leave {key} out, or set structure: trie")


def train_model(settings: BackoffSettings, data: TrainingData, model: Path) -> None:
    """Write a model as KenLM's binary file; for several texts also `WEIGHTS`, beside it."""
    options: dict[str, Any] = {
        "order": settings.order,
        "prune": settings.prune,
        "memory": job_memory(data.memory_mb),
        "storage": Storage(settings.structure, settings.quantise, settings.pointers),
    }
    if len(data.texts) == 1:
        train_binary(data.texts[0], model, **options)
        return
    found = train_interpolated(data.texts, data.dev, model, **options)
    names = [path.name.removesuffix(".gz") for path in data.texts]
    write_json(model.with_name(WEIGHTS), found.to_dict(names))


def describe(path: Path) -> Iterator[str]:
    """Yield a description of a file of KenLM: form, numbers of n-grams and words, size."""
    NgramModel(path)  # checks the whole file
    facts = read_facts(path)
    yield f"n-gram model: {facts.form}"
    yield f"order: {len(facts.counts)}"
    for order, count in enumerate(facts.counts, start=1):
        yield f"  {order}-grams: {count}"
    vocabulary = read_vocabulary(path)
    if vocabulary is None:
        yield "words: not in the file"
    else:
        yield f"words: {len(set(vocabulary.words).difference(SPECIAL))}, and <unk>, <s>, </s>"
    yield f"bytes: {path.stat().st_size}"


NGRAM = NgramKind()
