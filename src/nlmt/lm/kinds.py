"""The interface of a kind of language model: its configuration, plans, training and loading.

A kind is one object that implements `ModelKind` and one line in `nlmt.kinds.KINDS`.
"""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Any, Literal, Protocol, Self, TypeVar

from pydantic import Field

from nlmt.errors import InputError
from nlmt.lm.plan import ModelPlan
from nlmt.lm.protocol import LanguageModel
from nlmt.settings import REQUIRED, Distinct, Settings, setting


class ModelSettings(Settings):
    """Keys of language models of every kind."""

    kind: str = setting(REQUIRED, "The kind of model.")
    units: Literal["words", "tuples", "source"] = setting(
        "words",
        "Units of the model: words of the target, bilingual tuples (docs/tuples.md), or words of "
        "the source, for the key source_embeddings of other models.",
    )
    texts: Distinct[tuple[str, ...]] = setting(
        ("default",),
        "Training texts, entries of `texts`. A model that has other units than words, sees the "
        "source or names a bitext learns from a bitext instead.",
        min_length=1,
    )
    grid: Mapping[str, Annotated[tuple[Any, ...], Field(min_length=1)]] = setting(
        {},
        "Values of keys, in place of theirs: the workflow has a model, and a system for each that "
        "uses it, for every combination, and a table of them (docs/experiments.md).",
        examples=[{"dim": [100, 200], "dropout": [0.2, 0.4]}],
    )

    def completed(self, others: "Callable[[str], ModelSettings]") -> Self:
        """Return these settings with the keys that another model determines.

        Args:
            others: the completed settings of the model of a name.

        Raises:
            InputError: they contradict those of the other model.
        """
        return self

    def tried(self) -> dict[str, dict[str, Any]]:
        """The settings among which training chooses, by their names in `metrics.json`."""
        return {}


@dataclass(frozen=True)
class SourceFiles:
    """The source side of a text.

    Attributes:
        text: the source sentences, line for line, or encoded.
        alignment: the links `0-0 1-2` of each sentence pair, source-target; None where positions in
            the source do not matter.
    """

    text: Path
    alignment: Path | None = None


@dataclass(frozen=True)
class TrainingData:
    """The files for training a model.

    Attributes:
        texts: training texts, encoded where the plan has a `min_count`.
        dev: text for early stopping, one sentence per line.
        classes: word classes (Liang's paths); None if the kind needs none.
        backoff: ARPA file for a short-list; None for a Kneser-Ney model of the texts.
        sources: the source side of each training text, for a model conditioned on it.
        dev_source: the source side of the dev text.
        test: text whose perplexity is added to the learning curve; it influences nothing.
        test_source: the source side of the test text.
        chosen: folder of the model of another run, whose choice among settings it takes.
        source_embeddings: folder of the model with embeddings of source words.
        start: folder of a model to start from.
        parts: folders of its component models.
        memory_mb: memory that the job may use; None: unknown.
    """

    texts: Sequence[Path]
    dev: Path
    classes: Path | None = None
    backoff: Path | None = None
    sources: Sequence[SourceFiles] = ()
    dev_source: SourceFiles | None = None
    test: Path | None = None
    test_source: SourceFiles | None = None
    chosen: Path | None = None
    source_embeddings: Path | None = None
    start: Path | None = None
    parts: Sequence[Path] = ()
    memory_mb: int | None = None


Keys = TypeVar("Keys", bound=ModelSettings)


class ModelKind(Protocol[Keys]):
    """One kind of language model; `Keys` are the settings of its models.

    Attributes:
        settings: keys of an entry under `language_models`.
        feature: beginning of the names of its features in n-best lists: LM0, NLM0 ...
        form: of a model of this kind on disk, for messages: "a folder with model.safetensors".
    """

    settings: type[Keys]
    feature: str
    form: str

    def plan(self, settings: Keys) -> ModelPlan:
        """Return the plan of a model.

        Raises:
            InputError: settings that contradict each other; says which keys, and what to do.
        """
        ...

    def train(self, settings: Keys, data: TrainingData, folder: Path, *, threads: int) -> None:
        """Train a model and write its files; resume an interrupted training when called again.

        Raises:
            InputError: unusable texts; training that diverges.
        """
        ...

    def find(self, path: Path) -> Path | None:
        """The path to load, if `path` is the folder or the first file of a model of this kind.

        Kinds are asked in turn: inspect only names and first bytes, and import what loading needs
        in `load`.
        """
        ...

    def load(self, path: Path, *, threads: int = 1) -> LanguageModel:
        """Load the path that `find` returned."""
        ...

    def describe(self, path: Path) -> Iterator[str]:
        """Yield the lines of a description of the model at the path that `find` returned.

        Raises:
            InputError: a missing or damaged file; models of this kind have no description.
        """
        raise InputError("models of this kind have no description", path=path)


def find_file(path: Path, name: str) -> Path | None:
    """The file of this name at a path, or in the folder there."""
    path = path if path.name == name else path / name
    return path if path.is_file() else None
