"""The plan of a language model: all that an experiment needs to know before it is trained."""

from dataclasses import dataclass
from math import inf
from typing import Literal

from nlmt.io.moses_ini import Feature

# Cost classes of a score, the cheapest first; needs of jobs differ by them (docs/needs.md).
Cost = Literal["n-gram", "feed-forward", "recurrent", "transformer", "pretrained"]


@dataclass(frozen=True)
class TrainingResources:
    """The resources of a training job, and their growth with the size of its texts.

    Attributes:
        mem_mb: memory, in megabytes.
        mem_per_mb: further memory for each megabyte of input files.
        runtime: minutes.
        runtime_per_mb: further minutes for each megabyte of input files, on one thread or a GPU.
        time_margin: factor of `runtime_per_mb` in what is requested.
        speed_up_power: of the number of threads: training is at least so many times as fast as on
            one.
        threads: maximum number.
        gpus: number of GPUs.
        most_mb: memory that suffices for any text, but for what is held of it.
        held_per_mb: memory for what is held of each megabyte of input files.
        counts_operations: whether `runtime_per_mb` is computed from the operations of the model,
            and so holds for models that are larger than all that have been measured; it is for
            each megabyte of training text, then, and not of all input files.
        scratch_per_mb: temporary files beside the model for each megabyte of input files, at most.
    """

    mem_mb: int
    mem_per_mb: float
    runtime: int
    runtime_per_mb: float
    threads: int = 1
    time_margin: float = 1.0
    speed_up_power: float = 0.0
    gpus: int = 0
    most_mb: float = inf
    held_per_mb: float = 0
    counts_operations: bool = False
    scratch_per_mb: float = 0

    def memory(self, input_mb: float) -> int:
        """Megabytes of memory for input files of this size."""
        most = min(self.mem_mb + self.mem_per_mb * input_mb, self.most_mb)
        return int(most + self.held_per_mb * input_mb)

    def minutes(self, input_mb: float, threads: int) -> int:
        """Minutes to request for input files of this size, on so many threads."""
        speed = threads**self.speed_up_power / self.time_margin
        return int(self.runtime + self.runtime_per_mb * input_mb / speed)

    def scratch(self, input_mb: float) -> int:
        """Megabytes of temporary files for input files of this size."""
        return int(self.scratch_per_mb * input_mb)


@dataclass(frozen=True)
class SettingsSearch:
    """A choice among settings, which the first run makes for all.

    Attributes:
        file: of the model's folder, by which other runs know what was chosen.
        resources: of training with the chosen settings alone.
    """

    file: str
    resources: TrainingResources


@dataclass(frozen=True, kw_only=True)
class ModelPlan:
    """The plan of a language model.

    The defaults suit a model that is trained on sentences, does not see the source, and scores
    n-best lists.

    Attributes:
        files: names of the files of the trained model in its folder; the first represents it.
        resources: of its training.
        search: of its settings, if its training tries several.
        inputs: paths of files that its settings name, which training reads beside its texts.
        curve: name of the file with its learning curve, if there is one.
        watches_test: whether its learning curve includes the perplexity of the test text.
        min_count: least count of words in encoded training texts; None: texts are sentences.
        source_min_count: the same of their encoded source sides.
        all_words: whether its training texts must keep rare words, instead of `<unk>`.
        classes: method of its word classes; None if it needs none.
        class_count: number of its word classes; None: that of `classes` in the configuration.
        source: the source that it sees: the sentence, or the sentence and the alignment; or the
            reference translation instead.
        bitext: corpus from whose bitext it learns; None: the task's, if it learns from bitext.
        start: name of the model from which its training starts.
        source_embeddings: name of the model whose embeddings of source words it uses.
        source_dim: length of the embeddings that it uses.
        dim: length of its own embeddings, if other models can use them.
        shares: of each of its training texts that an epoch draws, in their order; empty: all.
        parts: names of its component models, which are loaded with it.
        cost: of a score.
        score_seconds: processor time of a score, by the operations of the model; 0: unknown.
        decoder: its feature in a moses.ini, the path relative to its folder; None if it only
            rescores.
        unfit: the reason why the decoder cannot take it, where `decoder` is None.
        remembers: number of preceding words on which a probability depends; None: all of the
            sentence.
    """

    files: tuple[str, ...]
    resources: TrainingResources
    search: SettingsSearch | None = None
    inputs: tuple[str, ...] = ()
    curve: str | None = None
    watches_test: bool = False
    min_count: int | None = None
    source_min_count: int | None = None
    all_words: bool = False
    classes: str | None = None
    class_count: int | None = None
    source: Literal["none", "sentence", "alignment", "reference"] = "none"
    bitext: str | None = None
    start: str | None = None
    source_embeddings: str | None = None
    source_dim: int | None = None
    dim: int | None = None
    shares: tuple[float, ...] = ()
    parts: tuple[str, ...] = ()
    cost: Cost = "n-gram"
    score_seconds: float = 0.0
    decoder: Feature | None = None
    unfit: str = "models of this kind rescore, they do not decode"
    remembers: int | None = None

    @property
    def sees_source(self) -> bool:
        """Whether it is conditioned on the source sentence, or on the reference."""
        return self.source != "none"
