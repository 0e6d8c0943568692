"""The kinds of language models: how each is configured, trained, stored and loaded.

A kind is one object that answers `ModelKind` and one line in `KINDS`; rules, scripts and the rest
of the library ask the registry and know no kind by its name.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from math import inf
from pathlib import Path
from typing import Any, Literal, Protocol

from nlmt.errors import InputError
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
        "Training texts, entries of `texts`. A model that sees the source learns from a bitext.",
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
        test: text whose perplexity the learning curve has, too; it decides nothing.
        test_source: those of the test text.
        source_embeddings: folder of the model that gives embeddings of source words.
        start: folder of a model to go on from.
        parts: folders of the models that it is made of.
        memory_mb: memory that the job may take; None: not known.
    """

    texts: Sequence[Path]
    dev: Path
    classes: Path | None = None
    sources: Sequence[Sequence[Path]] = ()
    dev_source: Sequence[Path] = ()
    test: Path | None = None
    test_source: Sequence[Path] = ()
    source_embeddings: Path | None = None
    start: Path | None = None
    parts: Sequence[Path] = ()
    memory_mb: int | None = None


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
        most_mb: memory that no text is too large for.
    """

    mem_mb: int
    mem_per_mb: float
    runtime: int
    runtime_per_mb: float
    threads: int = 1
    gpus: int = 0
    most_mb: float = inf

    def memory(self, input_mb: float) -> int:
        """Megabytes of memory for input files of that size."""
        return int(min(self.mem_mb + self.mem_per_mb * input_mb, self.most_mb))

    def minutes(self, input_mb: float) -> int:
        """Minutes for input files of that size."""
        return int(self.runtime + self.runtime_per_mb * input_mb)


class ModelKind(Protocol):
    """One kind of language model.

    The class of a kind inherits from this one. The defaults suit a model that is trained on texts
    of sentences, sees nothing of the source, and scores n-best lists; `files`, `resources`,
    `train`, `find` and `load` have none.

    `settings` of the methods are always of the class `self.settings`, checked.

    Attributes:
        settings: keys of an entry under `language_models`.
        feature: start of the names of its features in n-best lists: LM0, NLM0 ...
        form: what a model of this kind is on disk, for messages: "a folder with model.safetensors".
    """

    settings: type[Settings]
    feature: str
    form: str

    def files(self, settings: Any) -> tuple[str, ...]:
        """Names of the files of a trained model in its folder; the first stands for the model."""
        ...

    def inputs(self, settings: Any) -> tuple[str, ...]:
        """Paths of files that the settings name, which training reads beside its texts."""
        return ()

    def curve(self, settings: Any) -> str | None:
        """Name of the file with its learning curve, if there is one."""
        return None

    def watches_test(self, settings: Any) -> bool:
        """Whether its learning curve has the perplexity of the test text, too."""
        return False

    def encoded(self, settings: Any) -> int | None:
        """Least count of the words of encoded training texts; None: texts as sentences."""
        return None

    def needs_all_words(self, settings: Any) -> bool:
        """Whether its training texts must have their own words, where others have `<unk>`."""
        return False

    def classes(self, settings: Any) -> str | None:
        """Name of the method that makes its word classes; None: it needs none."""
        return None

    def source(self, settings: Any) -> str:
        """What it sees of the source: `none`, `sentence` or `alignment` (sentence and links).

        Or `reference`, the reference translation in its place.
        """
        return "none"

    def bitext(self, settings: Any) -> str | None:
        """The corpus whose bitext it learns from, where it sees the source; None: the task's."""
        return None

    def other_models(self, settings: Any) -> dict[str, str]:
        """Names of models that its training takes, by role: `start`, `source_embeddings`."""
        return {}

    def starting_from(self, settings: Any, start: Any) -> Any:
        """The settings with what they leave out and the model to start from has.

        Raises:
            InputError: training cannot start from such a model; says why.
        """
        return settings

    def parts(self, settings: Any) -> tuple[str, ...]:
        """Names of the models that it is made of: loading it loads them."""
        return ()

    def resources(self, settings: Any) -> TrainingResources:
        """What its training asks for."""
        ...

    def check(self, settings: Any) -> None:
        """Refuse settings that make no sense together.

        Raises:
            InputError: says which keys, and what to do.
        """
        return

    def unfit_for_decoder(self, settings: Any) -> str:
        """Why the decoder cannot take such a model; empty if it can."""
        return "the decoder takes n-gram and feed-forward neural models only"

    def decoder_feature(self, settings: Any, folder: str) -> dict[str, Any]:
        """What the decoder's moses.ini says of it, for a model in that folder.

        Returns:
            `feature`, the class of the feature function; `path`; further settings by their names.
        """
        raise InputError(self.unfit_for_decoder(settings))

    def remembers(self, settings: Any) -> int | None:
        """Words before a word on which its probability depends; None: all of the sentence."""
        return None

    def train(self, settings: Any, data: TrainingData, folder: Path, *, threads: int) -> None:
        """Train a model and write its files; an interrupted training goes on when called again.

        Raises:
            InputError: unusable texts; training that diverges.
        """
        ...

    def find(self, path: Path) -> Path | None:
        """What to load where a path is the folder or the first file of a model of this kind.

        Kinds are asked one after the other: look at names and first bytes only, and import what
        loading needs in `load`.
        """
        ...

    def load(self, path: Path, *, threads: int = 1) -> LanguageModel:
        """Load what `find` returned.

        Raises:
            InputError: a missing or damaged file.
        """
        ...


def find_file(path: Path, name: str) -> Path | None:
    """The file of that name that is at a path, or in the folder there."""
    path = path if path.name == name else path / name
    return path if path.is_file() else None


# Kinds are asked in this order whether a path is one of their models, and imported only then: those
# that recognise their files with certainty and need the fewest imports come first.
KINDS: Registry[ModelKind] = Registry(
    "kind of language model",
    {
        "ngram": "nlmt.ngram.kind:NGRAM",
        "class-ngram": "nlmt.ngram.class_kind:CLASS_NGRAM",
        "interpolation": "nlmt.lm.interpolation_kind:INTERPOLATION",
        "pretrained": "nlmt.pretrained.kind:PRETRAINED",
        "neural": "nlmt.neural.kind:NEURAL",
    },
)
