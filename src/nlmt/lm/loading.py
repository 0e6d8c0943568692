"""Any trained language model, by where it lies."""

from collections.abc import Mapping
from pathlib import Path

from nlmt.errors import InputError
from nlmt.lm.kinds import KINDS
from nlmt.lm.protocol import LanguageModel, SteppingModel


def load_language_model(path: Path | str, *, threads: int = 1) -> LanguageModel:
    """Load a model of any kind: its folder, or the file that stands for it.

    Raises:
        InputError: there is nothing, a folder without a model, or a file that no kind can read.
    """
    path = Path(path)
    for _, kind in KINDS.items():
        found = kind.find(path)
        if found is not None:
            return kind.load(found, threads=threads)
    raise InputError(
        "no language model" if path.exists() else "no such file or folder",
        path=path,
        hint="a folder with model.safetensors, or a file of KenLM, binary or ARPA",
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
