"""Folders of models in Hugging Face's format: their files, and the files that are refused.

Only weights as plain numbers (safetensors) are read, and no code: a folder with Python files,
pickled weights, or a configuration that names its own code is refused as a whole.
"""

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from nlmt.errors import InputError
from nlmt.io.files import file_hash
from nlmt.io.json_files import read_json

CONFIG, TOKENISER, TOKENISER_CONFIG = "config.json", "tokenizer.json", "tokenizer_config.json"
SPECIAL_TOKENS = "special_tokens_map.json"
WEIGHTS, INDEX = "*.safetensors", "model.safetensors.index.json"
SENTENCEPIECE = ("*.spm", "*.model")
OF_TRANSLATION = ("vocab.json", "target_vocab.json", "generation_config.json")
CODE = (".py", ".pyc", ".so")
PICKLES = (".bin", ".pt", ".pth", ".ckpt", ".pkl", ".pickle", ".joblib")


def model_files(folder: Path, *, translates: bool = False) -> list[Path]:
    """The files of a model.

    An encoder-decoder model (`translates`) may have a tokeniser of SentencePiece.

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
    tokenisers = (TOKENISER, *SENTENCEPIECE) if translates else (TOKENISER,)
    found = {name: sorted(folder.glob(name)) for name in (CONFIG, WEIGHTS, *tokenisers)}
    for names in ((CONFIG,), tokenisers, (WEIGHTS,)):
        if not any(found[name] for name in names):
            what = f"no {' or '.join(names)}"
            raise InputError(what, path=folder, hint="a folder in Hugging Face's format")
    others = (TOKENISER_CONFIG, SPECIAL_TOKENS, INDEX, *(OF_TRANSLATION if translates else ()))
    further = [folder / name for name in others if (folder / name).is_file()]
    files = [path for name in (CONFIG, *tokenisers) for path in found[name]]
    files += [*further, *found[WEIGHTS]]
    for name in (CONFIG, TOKENISER_CONFIG):
        if (folder / name).is_file() and "auto_map" in read_json(folder / name):
            what = "auto_map: models with their own code are refused"
            raise InputError(what, path=folder / name, hint="remove the key if it is not needed")
    return files


def hashes(files: list[Path]) -> dict[str, str]:
    """SHA-256 of each file, by its name."""
    return {path.name: file_hash(path) for path in files}


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
