"""The kinds of language models: their configuration, training, storage and loading.

A kind is one object that implements `ModelKind` and one line in `KINDS`; rules, scripts and the
rest of the library use the registry and know no kind by name.
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
    """Keys of language models of every kind."""

    kind: str = setting(REQUIRED, "The kind of model.")
    units: Literal["words", "tuples", "source"] = setting(
        "words",
        "Units of the model: words of the target, bilingual tuples (docs/tuples.md), or words of "
        "the source, for the key source_embeddings of other models.",
    )
    texts: tuple[str, ...] = setting(
        ("default",),
        "Training texts, entries of `texts`. A model that sees the source learns from a bitext.",
        min_length=1,
    )


@dataclass(frozen=True)
class TrainingData:
    """The files for training a model.

    Attributes:
        texts: training texts, in the form of `ModelKind.encoded`.
        dev: text for early stopping, one sentence per line.
        classes: word classes (Liang's paths); None if the kind needs none.
        sources: source text and, if needed, alignment of each training text; empty without source.
        dev_source: source text and alignment of the dev text.
        test: text whose perplexity is added to the learning curve; it influences nothing.
        test_source: source text and alignment of the test text.
        source_embeddings: folder of the model with embeddings of source words.
        start: folder of a model to start from.
        parts: folders of its component models.
        memory_mb: memory that the job may use; None: unknown.
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
    """The resources of a training job, and their growth with the size of its texts.

    Attributes:
        mem_mb: memory, in megabytes.
        mem_per_mb: further memory for each megabyte of input files.
        runtime: minutes.
        runtime_per_mb: further minutes for each megabyte of input files.
        threads: maximal number.
        gpus: number of GPUs.
        most_mb: memory that suffices for any text.
    """

    mem_mb: int
    mem_per_mb: float
    runtime: int
    runtime_per_mb: float
    threads: int = 1
    gpus: int = 0
    most_mb: float = inf

    def memory(self, input_mb: float) -> int:
        """Megabytes of memory for input files of this size."""
        return int(min(self.mem_mb + self.mem_per_mb * input_mb, self.most_mb))

    def minutes(self, input_mb: float) -> int:
        """Minutes for input files of this size."""
        return int(self.runtime + self.runtime_per_mb * input_mb)


class ModelKind(Protocol):
    """One kind of language model.

    The class of a kind inherits from this one. The defaults suit a model that is trained on texts
    of sentences, does not see the source, and scores n-best lists; `files`, `resources`, `train`,
    `find` and `load` have no defaults.

    `settings` of the methods are always checked ones of the class `self.settings`.

    Attributes:
        settings: keys of an entry under `language_models`.
        feature: beginning of the names of its features in n-best lists: LM0, NLM0 ...
        form: of a model of this kind on disk, for messages: "a folder with model.safetensors".
    """

    settings: type[Settings]
    feature: str
    form: str

    def files(self, settings: Any) -> tuple[str, ...]:
        """Names of the files of a trained model in its folder; the first represents the model."""
        ...

    def inputs(self, settings: Any) -> tuple[str, ...]:
        """Paths of files that the settings name, which training reads beside its texts."""
        return ()

    def curve(self, settings: Any) -> str | None:
        """Name of the file with its learning curve, if there is one."""
        return None

    def watches_test(self, settings: Any) -> bool:
        """Whether its learning curve includes the perplexity of the test text."""
        return False

    def encoded(self, settings: Any) -> int | None:
        """Least count of words in encoded training texts; None for texts as sentences."""
        return None

    def needs_all_words(self, settings: Any) -> bool:
        """Whether its training texts must keep rare words, instead of `<unk>`."""
        return False

    def classes(self, settings: Any) -> str | None:
        """Name of the method for its word classes; None if it needs none."""
        return None

    def source(self, settings: Any) -> str:
        """The source that it sees: `none`, `sentence` or `alignment` (sentence and links).

        Or `reference`, the reference translation instead.
        """
        return "none"

    def bitext(self, settings: Any) -> str | None:
        """The corpus from whose bitext it learns, if it sees the source; None: the task's."""
        return None

    def other_models(self, settings: Any) -> dict[str, str]:
        """Names of models that its training uses, by role: `start`, `source_embeddings`."""
        return {}

    def starting_from(self, settings: Any, start: Any) -> Any:
        """The settings, completed by those of the model to start from.

        Raises:
            InputError: training cannot start from such a model.
        """
        return settings

    def parts(self, settings: Any) -> tuple[str, ...]:
        """Names of its component models, which are loaded with it."""
        return ()

    def resources(self, settings: Any) -> TrainingResources:
        """The resources of its training."""
        ...

    def check(self, settings: Any) -> None:
        """Refuse settings that contradict each other.

        Raises:
            InputError: says which keys, and what to do.
        """
        return

    def unfit_for_decoder(self, settings: Any) -> str:
        """The reason why the decoder cannot take such a model; empty if it can."""
        return "the decoder takes n-gram and feed-forward neural models only"

    def decoder_feature(self, settings: Any, folder: str) -> dict[str, Any]:
        """Its entry in the decoder's moses.ini, for a model in this folder.

        Returns:
            `feature`, the class of the feature function; `path`; further settings by their names.
        """
        raise InputError(self.unfit_for_decoder(settings))

    def remembers(self, settings: Any) -> int | None:
        """Number of preceding words on which a probability depends; None: all of the sentence."""
        return None

    def train(self, settings: Any, data: TrainingData, folder: Path, *, threads: int) -> None:
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
        """Load the path that `find` returned.

        Raises:
            InputError: a missing or damaged file.
        """
        ...


def find_file(path: Path, name: str) -> Path | None:
    """The file of this name at a path, or in the folder there."""
    path = path if path.name == name else path / name
    return path if path.is_file() else None


# Kinds are asked in this order whether a path is one of their models, and only then imported: those
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
