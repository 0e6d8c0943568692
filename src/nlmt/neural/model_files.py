"""The files of a trained model."""

import hashlib
import json
from dataclasses import dataclass, field
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path

from nlmt.errors import InputError
from nlmt.io.files import write_text
from nlmt.io.json_files import read_json
from nlmt.neural.config import NeuralConfig
from nlmt.neural.data.source_kinds import array_shapes, own_arrays
from nlmt.neural.data.tensors import Parameters, Tensors, read_tensors, write_tensors
from nlmt.neural.outputs.registry import CLASSES, OUTPUTS, OutputLayout
from nlmt.neural.parameters import check, shapes
from nlmt.vocabulary import Vocabulary

MODEL, CONFIG, VOCABULARY = "model.safetensors", "config.json", "vocabulary.txt"
SOURCE_VOCABULARY = "source-vocabulary.txt"
WORDS, SOURCE_WORDS = "words", "source words"  # how many there are, in `CONFIG`
PARTS = "parts"  # in the metadata of `MODEL`: the fingerprint of the files it belongs to
MIXED = "the folder holds parts of different models: train it again"


@dataclass(eq=False)
class StoredModel:
    """The contents of a model's folder.

    Attributes:
        config: its parts and how it was trained.
        vocabulary: V words.
        layout: of the output layer.
        parameters: arrays under the names of `nlmt.neural.parameters`.
        source_vocabulary: S words of a model that is conditioned on the source, else None.
        source_arrays: from which vectors of the source beside the words are made
            (`nlmt.neural.data.source_kinds`).
    """

    config: NeuralConfig
    vocabulary: Vocabulary
    layout: OutputLayout
    parameters: Parameters
    source_vocabulary: Vocabulary | None = None
    source_arrays: Tensors = field(default_factory=dict)

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
        if not isinstance(settings.get("model"), dict):
            raise InputError("not the configuration of a model", path=folder / CONFIG)
        try:
            config = NeuralConfig.from_dict(settings["model"])
        except InputError as error:
            raise InputError(error.what, path=folder / CONFIG, hint=error.hint) from error
        vocabulary = _load_words(folder / VOCABULARY, settings.get(WORDS))
        source = None
        architecture = config.architecture
        if architecture.source != "none":
            source = _load_words(folder / SOURCE_VOCABULARY, settings.get(SOURCE_WORDS))
        parameters, notes = read_tensors(folder / MODEL)
        part = OUTPUTS.get(architecture.output)
        layout = part.load(folder / CLASSES, vocabulary, parameters)
        source_words = 0 if source is None else len(source)
        expected = shapes(architecture, layout, source_words)
        path = folder / MODEL
        arrays = array_shapes(architecture, len(vocabulary), source_words, parameters, path)
        check(parameters, expected | arrays, path, MIXED)
        model = StoredModel(
            config,
            vocabulary,
            layout,
            {name: parameters[name] for name in expected},
            source_vocabulary=source,
            source_arrays=own_arrays(architecture, parameters),
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
        arrays = self.layout.save(folder, self.vocabulary)
        source = self.source_vocabulary
        description = {
            "nlmt": _version(),
            WORDS: len(self.vocabulary),
            **({} if source is None else {SOURCE_WORDS: len(source)}),
            self.layout.name: self.layout.count,
            "parameters": self.parameter_count,
            "model": self.config.to_dict(),
        }
        write_text(folder / CONFIG, json.dumps(description, indent=2) + "\n")
        write_tensors(
            folder / MODEL,
            self.parameters | arrays | self.source_arrays,
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
        """Number of trained numbers."""
        return sum(values.size for values in self.parameters.values())


def _load_words(path: Path, wanted: object) -> Vocabulary:
    """A vocabulary with the number of words in `CONFIG`; None where that has no number."""
    vocabulary = Vocabulary.load(path)
    if wanted not in (None, len(vocabulary)):
        what = f"{len(vocabulary)} words, but the model has {wanted}"
        raise InputError(what, path=path, hint=MIXED)
    return vocabulary


def _version() -> str:
    """The installed version of nlmt."""
    try:
        return version("nlmt")
    except PackageNotFoundError:
        return "not installed"
