"""Folders of models in Hugging Face's format: their files, and the files that are refused.

Only weights as plain numbers (safetensors) are read, and no code: a folder with Python files,
pickled weights, or a configuration that names its own code is refused as a whole.
"""

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from nlmt.errors import InputError
from nlmt.io.json_files import read_json

CONFIG, TOKENISER, TOKENISER_CONFIG = "config.json", "tokenizer.json", "tokenizer_config.json"
SPECIAL_TOKENS = "special_tokens_map.json"
WEIGHTS = "*.safetensors"
SENTENCEPIECE = ("*.spm", "*.model")
# Suffixes of files that transformers reads.
_READ = (".json", ".txt", ".safetensors", ".spm", ".model")
CODE = (".py", ".pyc", ".so")
ADAPTER = "adapter_config.json"
PICKLES = (".bin", ".pt", ".pth", ".ckpt", ".pkl", ".pickle", ".joblib")


def model_files(folder: Path, *, translates: bool = False) -> list[Path]:
    """The files that may decide the scores of a model, also in folders within its own.

    An encoder-decoder model (`translates`) may have a tokeniser of SentencePiece.

    Raises:
        InputError: no such folder; a missing file; a file that could hold code; an adapter.
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
    if (folder / ADAPTER).exists():  # transformers with peft would load it and the model it names
        what = "an adapter, which changes another model"
        raise InputError(what, path=folder / ADAPTER, hint="merge it into the model, and save that")
    tokenisers = (TOKENISER, *SENTENCEPIECE) if translates else (TOKENISER,)
    for names in ((CONFIG,), tokenisers, (WEIGHTS,)):
        if not any(any(folder.glob(name)) for name in names):
            what = f"no {' or '.join(names)}"
            raise InputError(what, path=folder, hint="a folder in Hugging Face's format")
    for name in (CONFIG, TOKENISER_CONFIG):
        if (folder / name).is_file() and "auto_map" in read_json(folder / name):
            what = "auto_map: models with their own code are refused"
            raise InputError(what, path=folder / name, hint="remove the key if it is not needed")
    return read_files(folder)


def read_files(folder: Path) -> list[Path]:
    """The files that transformers may read, none of them in a hidden folder, such as .git."""

    def hidden(path: Path) -> bool:
        return any(part.startswith(".") for part in path.relative_to(folder).parts)

    read = (path for path in sorted(folder.rglob("*")) if path.suffix in _READ)
    return [path for path in read if path.is_file() and not hidden(path)]


def check_hashes(folder: Path, found: Mapping[str, str], known: Mapping[str, Any]) -> None:
    """Refuse a folder that has changed.

    Raises:
        InputError: names the first file that differs, is missing or is new.
    """
    for name in sorted(found.keys() | known.keys()):
        if found.get(name) != known.get(name):
            what = "the model has changed since it was made part of the experiment"
            raise InputError(what, path=folder / name, hint="train the model again")
