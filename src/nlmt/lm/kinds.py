"""The kinds of language models: how each is configured, trained, stored and loaded.

A kind is one object that answers `ModelKind` and one line in `KINDS`; rules, scripts and the
library ask it and know no kind by name.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal, Protocol

from nlmt.lm.protocol import LanguageModel
from nlmt.registry import Registry
from nlmt.settings import REQUIRED, Settings, setting


class ModelSettings(Settings):
    """Keys that the language models of every kind have."""

    kind: str = setting(REQUIRED, "What kind of model this is.")
    units: Literal["words", "tuples", "source"] = setting(
        "words",
        "What the model is of: words of the target, bilingual tuples (docs/tuples.md), or words of "
        "the source, for the key source_embeddings of other models.",
    )
    texts: tuple[str, ...] = setting(
        ("default",),
        "Training texts, entries of `texts`. A model that sees the source learns from the bitext.",
        min_length=1,
    )


@dataclass(frozen=True)
class TrainingData:
    """What a model is trained on, as files.

    Attributes:
        texts: training texts, as `ModelKind.encoded` asks for them.
        dev: text for early stopping, a sentence a line.
        classes: word classes (Liang's paths); None where the kind needs none.
        sources: source text and, if needed, alignment of each training text; empty without source.
        dev_source: those of the dev text.
        source_embeddings: folder of the model that gives embeddings of source words.
        start: folder of a model to go on from.
    """

    texts: Sequence[Path]
    dev: Path
    classes: Path | None = None
    sources: Sequence[Sequence[Path]] = ()
    dev_source: Sequence[Path] = ()
    source_embeddings: Path | None = None
    start: Path | None = None


@dataclass(frozen=True)
class TrainingResources:
    """What a training job asks for, beside what grows with the size of its texts.

    Attributes:
        mem_mb: memory, in megabytes.
        mem_per_mb: further memory for each megabyte of input files.
        runtime: minutes.
        runtime_per_mb: further minutes for each megabyte of input files.
        threads: at most.
        gpus: graphics processors.
    """

    mem_mb: int
    mem_per_mb: float
    runtime: int
    runtime_per_mb: float
    threads: int = 1
    gpus: int = 0


class ModelKind(Protocol):
    """One kind of language model.

    `settings` below are always of the class `self.settings`, checked.

    Attributes:
        settings: keys of an entry under `language_models`.
        feature: start of the names of its features in n-best lists: LM0, NLM0 ...
    """

    settings: type[Settings]
    feature: str

    def files(self, settings: Any) -> tuple[str, ...]:
        """Names of the files of a trained model in its folder; the first stands for the model."""
        ...

    def curve(self, settings: Any) -> str | None:
        """Name of the file with its learning curve, if there is one."""
        ...

    def encoded(self, settings: Any) -> int | None:
        """Least count of the words of encoded training texts; None: texts as sentences."""
        ...

    def classes(self, settings: Any) -> str | None:
        """Name of the method that makes its word classes; None: it needs none."""
        ...

    def source(self, settings: Any) -> str:
        """What it sees of the source: `none`, `sentence` or `alignment` (sentence and links)."""
        ...

    def other_models(self, settings: Any) -> dict[str, str]:
        """Names of models that its training takes, by role: `start`, `source_embeddings`."""
        ...

    def resources(self, settings: Any) -> TrainingResources:
        """What its training asks for."""
        ...

    def check(self, settings: Any) -> None:
        """Refuse settings that make no sense together.

        Raises:
            InputError: says which keys, and what to do.
        """
        ...

    def unfit_for_decoder(self, settings: Any) -> str:
        """Why the decoder cannot take such a model; empty if it can."""
        ...

    def decoder_feature(self, settings: Any, folder: str) -> dict[str, Any]:
        """What the decoder's moses.ini says of it, for a model in that folder."""
        ...

    def remembers(self, settings: Any) -> int | None:
        """Words before a word on which its probability depends; None: all of the sentence."""
        ...

    def train(self, settings: Any, data: TrainingData, folder: Path, *, threads: int) -> None:
        """Train a model and write its files; an interrupted training goes on when called again.

        Raises:
            InputError: unusable texts; training that diverges.
        """
        ...

    def find(self, path: Path) -> Path | None:
        """What to load where a path is a model of this kind, or a file that stands for one."""
        ...

    def load(self, path: Path, *, threads: int = 1) -> LanguageModel:
        """Load what `find` returned.

        Raises:
            InputError: a missing or damaged file.
        """
        ...


# A kind is asked whether a path is one of its models in this order.
KINDS: Registry[ModelKind] = Registry(
    "kind of language model",
    {"neural": "nlmt.neural.kind:NEURAL", "ngram": "nlmt.ngram.kind:NGRAM"},
)
