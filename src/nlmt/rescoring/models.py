"""Any trained language model, by where it lies."""

from collections.abc import Mapping
from pathlib import Path

from nlmt.errors import InputError
from nlmt.language_model import LanguageModel, SteppingModel
from nlmt.neural import NeuralLM
from nlmt.ngram import NgramModel


def load_language_model(path: Path | str, *, threads: int = 1) -> LanguageModel:
    """Load a model: the folder (or `model.safetensors`) of a neural one, or a file of KenLM.

    Raises:
        InputError: there is nothing, a folder without a model, or a file that KenLM cannot load.
    """
    path = Path(path)
    if path.name == "model.safetensors" and path.is_file():
        path = path.parent
    if (path / "model.safetensors").is_file():
        return NeuralLM.load(path, threads=threads)
    if (path / "model.binary").is_file():
        path = path / "model.binary"
    if path.is_file():
        return NgramModel(path)
    raise InputError(
        "no language model" if path.exists() else "no such file or folder",
        path=path,
        mend="a folder with model.safetensors, or a file of KenLM, binary or ARPA",
    )


def load_stepping_models(
    paths: Mapping[str, Path | str], *, threads: int = 1
) -> dict[str, SteppingModel]:
    """Load models that lattices can be rescored with, by the labels of their features.

    Raises:
        InputError: as `load_language_model`; a model that cannot step.
    """
    models = {}
    for label, path in paths.items():
        model = load_language_model(path, threads=threads)
        if not isinstance(model, SteppingModel):
            raise InputError("a model that scores whole sentences only, not lattices", path=path)
        models[label] = model
    return models
