"""The inputs of a task: files, and models from which it takes parts."""

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Protocol

from nlmt.neural.config import NeuralConfig
from nlmt.neural.data.tensors import Parameters, Tensors
from nlmt.neural.data.text_files import SourceFiles
from nlmt.neural.outputs.registry import OutputLayout
from nlmt.vocabulary import Vocabulary


@dataclass(frozen=True)
class TaskFiles:
    """The files of a task.

    Attributes:
        texts: for training, encoded or as sentences, which are held in memory; the key `resampling`
            has a share for each.
        dev: for early stopping.
        classes: word classes, where the output needs them.
        backoff: ARPA file for a short-list; None for a Kneser-Ney model of the texts.
        sources: the source side of each training text, for a model conditioned on it.
        dev_source: the source side of the dev text.
        test: text whose perplexity is added to the learning curve; it influences nothing.
        test_source: the source side of the test text.
    """

    texts: Sequence[Path | str]
    dev: Path | str
    classes: Path | str | None = None
    backoff: Path | str | None = None
    sources: Sequence[SourceFiles] = ()
    dev_source: SourceFiles | None = None
    test: Path | str | None = None
    test_source: SourceFiles | None = None


class TrainedModel(Protocol):
    """A model that training starts from, or takes embeddings from (`NeuralLM`)."""

    @property
    def config(self) -> NeuralConfig:
        """Parts and training."""
        ...

    @property
    def vocabulary(self) -> Vocabulary:
        """Its words."""
        ...

    @property
    def layout(self) -> OutputLayout:
        """Layout of its output layer."""
        ...

    @property
    def parameters(self) -> Parameters:
        """Parameters by name."""
        ...

    @property
    def source_vocabulary(self) -> Vocabulary | None:
        """Words of the source, if the model is conditioned on it."""
        ...

    @property
    def source_arrays(self) -> Tensors:
        """Arrays from which the source's vectors beside the words are made, if any."""
        ...
