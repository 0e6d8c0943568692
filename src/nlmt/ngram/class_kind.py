"""Class n-gram models as a kind of language model."""

import logging
from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import replace
from pathlib import Path
from typing import Annotated, Literal

from typing_extensions import override

from nlmt.classes.class_files import read_classes
from nlmt.classes.methods import METHODS
from nlmt.errors import InputError
from nlmt.io.files import read_lines, scratch_folder, write_lines
from nlmt.io.moses_ini import Feature
from nlmt.lm.kinds import ModelKind, TrainingData, find_file
from nlmt.lm.plan import ModelPlan
from nlmt.ngram.class_model import CLASSES, WORDS, ClassNgramModel, load_table
from nlmt.ngram.class_table import ClassTable
from nlmt.ngram.kind import (
    WEIGHTS,
    BackoffSettings,
    check_settings,
    describe,
    train_model,
    training_resources,
)
from nlmt.settings import REQUIRED, NameIn, setting
from nlmt.vocabulary import SPECIAL, count_words

log = logging.getLogger(__name__)

BROWN = "Brown et al. 1992"


class ClassNgramSettings(BackoffSettings):
    """A back-off n-gram model of word classes, times the probability of each word in its class.

    Its words are those of the training texts, so that its perplexity is comparable with that of
    their n-gram model. Keys of lmplz and KenLM are for the model of classes.
    """

    kind: Literal["class-ngram"] = setting(REQUIRED, "The kind of model.")
    classes: Annotated[str, NameIn(METHODS)] = setting(
        "brown", "Method for its word classes; see the same key of neural models.", source=BROWN
    )
    class_count: int | None = setting(
        None,
        "Number of its word classes; null: the key `count` of `classes`.",
        ge=2,
        unit="classes",
        source=BROWN,
    )


class ClassNgramKind(ModelKind[ClassNgramSettings]):
    """Models of classes, estimated by lmplz, and relative frequencies of words in classes."""

    settings = ClassNgramSettings
    feature = "LM"
    form = f"a folder with {WORDS} and {CLASSES}"

    @override
    def plan(self, settings: ClassNgramSettings) -> ModelPlan:
        check_settings(settings)
        if METHODS.get(settings.classes).word_tree:
            what = f"classes: {settings.classes} gives each word a class of its own"
            raise InputError(what, hint="classes: brown, or kind: ngram")
        decodes = settings.units == "words"
        return ModelPlan(
            files=(WORDS, CLASSES) if len(settings.texts) == 1 else (WORDS, CLASSES, WEIGHTS),
            resources=training_resources(settings),
            classes=settings.classes,
            class_count=settings.class_count,
            decoder=Feature("ClassLM", self.feature, {"path": "."}) if decodes else None,
            unfit="models of classes of tuples rescore, they do not decode",
            remembers=settings.order - 1,
        )

    @override
    def train(
        self, settings: ClassNgramSettings, data: TrainingData, folder: Path, *, threads: int
    ) -> None:
        if data.classes is None:
            hint = "make them with nlmt classes brown --text TEXT --out FILE, and give --classes"
            raise InputError("a model of classes needs word classes", hint=hint)
        table = _table(data.texts, data.classes)
        with scratch_folder(folder / WORDS) as scratch:
            texts = [scratch / str(i) / path.name for i, path in enumerate(data.texts)]
            dev = scratch / "dev"
            for text, path in zip((*data.texts, data.dev), (*texts, dev), strict=True):
                path.parent.mkdir(exist_ok=True)
                write_lines(path, table.class_lines(read_lines(text)))
            train_model(settings, replace(data, texts=texts, dev=dev), folder / CLASSES)
        table.write(folder / WORDS)

    @override
    def find(self, path: Path) -> Path | None:
        return find_file(path, WORDS)

    @override
    def load(self, path: Path, *, threads: int = 1) -> ClassNgramModel:
        return ClassNgramModel.load(path.parent)

    @override
    def describe(self, path: Path) -> Iterator[str]:
        table = load_table(path.parent)
        count = len(table.masses())
        yield f"words: {len(table.members)}, in {count} classes, and <unk>, <s>, </s>"
        yield "of classes:"
        yield from describe(path.with_name(CLASSES))


def _table(texts: Iterable[Path], classes: Path) -> ClassTable:
    """The table of the words of texts and their classes in a file."""
    counts: Counter[str] = Counter()
    for text in texts:
        counts.update(count_words(read_lines(text)))
    class_of = read_classes(classes).class_of
    words = set(counts).difference(SPECIAL)
    missing = sorted(words.difference(class_of))
    if 2 * len(missing) > len(words):
        what = f"{len(missing)} of the {len(words)} words of the training texts have no class"
        raise InputError(what, path=classes, hint="cluster the words of those texts")
    if missing:
        log.warning("%d words without a class, such as %s, share one", len(missing), missing[0])
    return ClassTable.estimate(class_of, counts)


CLASS_NGRAM = ClassNgramKind()
