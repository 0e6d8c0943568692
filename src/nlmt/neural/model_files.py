"""The files of a trained model."""

import hashlib
import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from typing import Any

from nlmt import __version__
from nlmt.errors import InputError, in_file
from nlmt.io.files import write_lines
from nlmt.io.json_files import read_json, write_json
from nlmt.neural.outputs.layout import CLASSES, OutputLayout
from nlmt.neural.parameters import check, shapes
from nlmt.neural.parts import OUTPUTS
from nlmt.neural.settings.neural import NeuralConfig
from nlmt.neural.source.transform import TransformEncoder
from nlmt.neural.source.vectors import SourceEncoder, TableEncoder
from nlmt.neural.tensors import Parameters, Tensors, read_tensors, write_tensors
from nlmt.vocabulary import Vocabulary

MODEL, CONFIG, VOCABULARY = "model.safetensors", "config.json", "vocabulary.txt"
SOURCE_VOCABULARY = "source-vocabulary.txt"
WORDS, SOURCE_WORDS = "words", "source words"  # how many there are, in `CONFIG`
# By the key `source`: what makes the vectors of the source beside the words.
ENCODERS: dict[str, type[SourceEncoder]] = {
    "lsa": TableEncoder,
    "averaged": TableEncoder,
    "concatenated": TableEncoder,
    "transform": TransformEncoder,
}
PARTS = "parts"  # in the metadata of `MODEL`: the fingerprint of the files it belongs to
MIXED = "the folder holds parts of different models: train it again"


@dataclass(eq=False)
class ModelParts:
    """A model without its parameters.

    Attributes:
        config: its parts and how it is trained.
        vocabulary: V words.
        layout: of the output layer.
        source_vocabulary: S words of a model that is conditioned on the source, else None.
        source_arrays: from which vectors of the source beside the words are made (`ENCODERS`).
    """

    config: NeuralConfig
    vocabulary: Vocabulary
    layout: OutputLayout
    source_vocabulary: Vocabulary | None = field(default=None, kw_only=True)
    source_arrays: Tensors = field(default_factory=dict, kw_only=True)

    @cached_property
    def encoder(self) -> SourceEncoder | None:
        """The encoder of the source's vectors beside the words; None where the model has none."""
        kind = ENCODERS.get(self.config.source)
        if kind is None:
            return None
        return kind.from_arrays(self.config, self.source_arrays)

    @property
    def source_words(self) -> int:
        """S, number of source words; 0 without a source."""
        return 0 if self.source_vocabulary is None else len(self.source_vocabulary)


def read_config(path: Path) -> NeuralConfig:
    """Read the configuration of a trained model, its config.json."""
    return _config(read_json(path), path)


@dataclass(eq=False)
class StoredModel(ModelParts):
    """The contents of a model's folder.

    Attributes:
        parameters: arrays under the names of `nlmt.neural.parameters`.
    """

    parameters: Parameters

    @classmethod
    def read(cls, folder: Path) -> "StoredModel":
        """Read a model's folder.

        Raises:
            InputError: a file is missing, damaged, or does not fit the others; numbers that are not
                finite.
        """
        if not (folder / CONFIG).is_file():
            raise InputError(f"no model: there is no {CONFIG}", path=folder)
        settings = read_json(folder / CONFIG)
        config = _config(settings, folder / CONFIG)
        vocabulary = _load_words(folder / VOCABULARY, settings.get(WORDS))
        source = None
        if config.source != "none":
            source = _load_words(folder / SOURCE_VOCABULARY, settings.get(SOURCE_WORDS))
        parameters, notes = read_tensors(folder / MODEL)
        part = OUTPUTS.get(config.output)
        layout = part.load(folder / CLASSES, vocabulary, parameters)
        source_words = 0 if source is None else len(source)
        expected = shapes(config, layout, source_words)
        path = folder / MODEL
        encoder = ENCODERS.get(config.source)
        arrays: dict[str, tuple[int, ...]] = {}
        if encoder is not None:
            with in_file(path):
                arrays = encoder.shapes(config, len(vocabulary), source_words, parameters)
        check(parameters, expected | arrays, path, MIXED)
        model = StoredModel(
            config,
            vocabulary,
            layout,
            {name: parameters[name] for name in expected},
            source_vocabulary=source,
            source_arrays={name: parameters[name] for name in encoder.names} if encoder else {},
        )
        parts = model.fingerprint(settings["model"])
        if notes.get(PARTS, parts) != parts:
            what = "saved with other words, classes or settings than the folder's other files have"
            raise InputError(what, path=path, hint=MIXED)
        return model

    def save(self, folder: Path | str) -> None:
        """Write the model, its configuration, vocabulary and classes, each file atomically."""
        folder = Path(folder)
        self.vocabulary.save(folder / VOCABULARY)
        if self.source_vocabulary is not None:
            self.source_vocabulary.save(folder / SOURCE_VOCABULARY)
        write_lines(folder / CLASSES, self.layout.rows(self.vocabulary))
        source = self.source_vocabulary
        description = {
            "nlmt": __version__,
            WORDS: len(self.vocabulary),
            **({} if source is None else {SOURCE_WORDS: len(source)}),
            self.layout.name: self.layout.count,
            "parameters": self.parameter_count,
            "model": self.config.to_dict(),
        }
        write_json(folder / CONFIG, description)
        write_tensors(
            folder / MODEL,
            self.parameters | self.layout.arrays() | self.source_arrays,
            {PARTS: self.fingerprint(description["model"])},
        )

    def fingerprint(self, settings: object) -> str:
        """SHA-256 of the configuration, as config.json has it, of the words and the layout."""
        source = () if self.source_vocabulary is None else self.source_vocabulary.words
        described = [settings, self.vocabulary.words, source]
        digest = hashlib.sha256(json.dumps(described, sort_keys=True).encode())
        digest.update(self.layout.fingerprint(self.vocabulary).encode())
        return digest.hexdigest()

    @property
    def parameter_count(self) -> int:
        """Number of trainable parameters."""
        return sum(values.size for values in self.parameters.values())


def _config(settings: Mapping[str, Any], path: Path) -> NeuralConfig:
    """The configuration in the content of a config.json."""
    if not isinstance(settings.get("model"), dict):
        raise InputError("not the configuration of a model", path=path)
    with in_file(path):
        return NeuralConfig.from_dict(settings["model"])


def _load_words(path: Path, wanted: object) -> Vocabulary:
    """A vocabulary, which must have the number of words in `CONFIG`, if that has one."""
    vocabulary = Vocabulary.load(path)
    if wanted not in (None, len(vocabulary)):
        what = f"{len(vocabulary)} words, but the model has {wanted}"
        raise InputError(what, path=path, hint=MIXED)
    return vocabulary
