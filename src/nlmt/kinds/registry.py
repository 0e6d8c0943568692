"""The kinds of language models by name, and models of any kind by their paths."""

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from nlmt.errors import InputError
from nlmt.lm import LanguageModel, ModelKind, SteppingModel
from nlmt.registry import PLUGINS, Registry, plugin_files

# Kinds are asked in this order whether a path is one of their models, and only then imported: those
# that recognise their files with certainty and need the fewest imports come first.
KINDS: Registry[ModelKind[Any]] = Registry(
    "kind of language model",
    {
        "ngram": "nlmt.ngram.kind:NGRAM",
        "class-ngram": "nlmt.ngram.class_kind:CLASS_NGRAM",
        "interpolation": "nlmt.kinds.interpolation:INTERPOLATION",
        "pretrained": "nlmt.pretrained.kind:PRETRAINED",
        "neural": "nlmt.neural.kind:NEURAL",
    },
)


def find_language_model(path: Path | str) -> tuple[ModelKind[Any], Path]:
    """Return the kind of the model in a folder, or of the file that represents it, and its path.

    The packages of kinds are imported in turn until one recognises the path.

    Raises:
        InputError: a path that is missing or that no kind recognises.
    """
    path = Path(path)
    if not path.exists():
        raise InputError("no such file or folder", path=path)
    for _, kind in KINDS.items():
        found = kind.find(path)
        if found is not None:
            return kind, found
    hint = "a model is " + "; ".join(kind.form for _, kind in KINDS.items())
    if not plugin_files():
        hint += f"; one of a plugin needs {PLUGINS}"
    if (path / "run1").is_dir():
        hint = f"its runs have models of their own: give {path / 'run1'}"
    raise InputError("no language model", path=path, hint=hint)


def load_language_model(path: Path | str, *, threads: int = 1) -> LanguageModel:
    """Load a model of any kind from its folder, or the file that represents it.

    Raises:
        InputError: as in `find_language_model`; a damaged model.
    """
    kind, found = find_language_model(path)
    return kind.load(found, threads=threads)


def load_stepping_models(
    paths: Mapping[str, Path | str], *, threads: int = 1
) -> dict[str, SteppingModel]:
    """Load models for rescoring lattices, by the labels of their features.

    Raises:
        InputError: as in `load_language_model`; a model that cannot score word by word.
    """
    models = {}
    for label, path in paths.items():
        model = load_language_model(path, threads=threads)
        if not isinstance(model, SteppingModel):
            raise InputError("a model that scores whole sentences only, not lattices", path=path)
        models[label] = model
    return models
