"""Folders of models in Hugging Face's format: their files, and the files that are refused.

Only weights as plain numbers (safetensors) are read, and no code: a folder with Python files,
pickled weights, or a configuration that names its own code is refused as a whole.
"""

import hashlib
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from nlmt.errors import InputError
from nlmt.io.json_files import read_json

CONFIG, TOKENISER, TOKENISER_CONFIG = "config.json", "tokenizer.json", "tokenizer_config.json"
SPECIAL_TOKENS = "special_tokens_map.json"
WEIGHTS, INDEX = "*.safetensors", "model.safetensors.index.json"
CODE = (".py", ".pyc", ".so")
PICKLES = (".bin", ".pt", ".pth", ".ckpt", ".pkl", ".pickle", ".joblib")
_BLOCK = 1 << 20


def model_files(folder: Path) -> list[Path]:
    """The files of a model.

    Raises:
        InputError: no such folder; a missing file; a file that could hold code.
    """
    if not folder.is_dir():
        raise InputError("no such folder", path=folder, hint="a folder in Hugging Face's format")
    for path in sorted(folder.rglob("*")):
        if path.suffix in CODE:
            what = "models with their own code are refused"
            raise InputError(what, path=path, hint="use a model that transformers itself supports")
        if path.suffix in PICKLES:
            what = "a pickle may contain code"
            hint = "convert weights to safetensors with save_pretrained, and remove this file"
            raise InputError(what, path=path, hint=hint)
    weights = sorted(folder.glob(WEIGHTS))
    for name, there in (
        (CONFIG, (folder / CONFIG).is_file()),
        (TOKENISER, (folder / TOKENISER).is_file()),
        (WEIGHTS, bool(weights)),
    ):
        if not there:
            raise InputError(f"no {name}", path=folder, hint="a folder in Hugging Face's format")
    others = [folder / name for name in (TOKENISER_CONFIG, SPECIAL_TOKENS, INDEX)]
    files = [folder / CONFIG, folder / TOKENISER, *(p for p in others if p.is_file()), *weights]
    for name in (CONFIG, TOKENISER_CONFIG):
        if (folder / name).is_file() and "auto_map" in read_json(folder / name):
            what = "auto_map: models with their own code are refused"
            raise InputError(what, path=folder / name, hint="remove the key if it is not needed")
    return files


def hashes(files: list[Path]) -> dict[str, str]:
    """SHA-256 of each file, by its name."""
    return {path.name: _hash(path) for path in files}


def check_hashes(files: list[Path], known: Mapping[str, Any]) -> None:
    """Refuse a folder that has changed.

    Raises:
        InputError: names the first file that differs, is missing or is new.
    """
    found = hashes(files)
    for name in sorted(found.keys() | known.keys()):
        if found.get(name) != known.get(name):
            what = "the model has changed since it was made part of the experiment"
            raise InputError(what, path=files[0].parent / name, hint="train the model again")


def _hash(path: Path) -> str:
    digest = hashlib.sha256()
    with path.open("rb") as file:
        while block := file.read(_BLOCK):
            digest.update(block)
    return digest.hexdigest()
