"""Pretrained models as a kind of language model, each represented by a description.

Nothing is trained: `train` writes pretrained.json, with the settings and the hashes of the model's
files, which are not copied. A user's own YAML or JSON file with the same keys works, too.
"""

from pathlib import Path
from typing import Any

from typing_extensions import override

from nlmt.errors import InputError
from nlmt.io.files import check_file, file_hash
from nlmt.io.json_files import read_json, write_json
from nlmt.io.yaml_files import parse_yaml
from nlmt.lm.kinds import ModelKind, TrainingData, find_file
from nlmt.lm.plan import ModelPlan, TrainingResources
from nlmt.lm.protocol import LanguageModel
from nlmt.pretrained.folder import CONFIG, check_hashes, model_files, read_files
from nlmt.pretrained.model import PretrainedModel
from nlmt.pretrained.settings import PretrainedSettings
from nlmt.pretrained.translation_model import PretrainedTranslationModel
from nlmt.settings import to_plain
from nlmt.settings_check import read_settings
from nlmt.text import check_language

DESCRIPTION = "pretrained.json"
HASHES = "sha256"  # of the files of the model, in the description
SUFFIXES = (".json", ".yaml", ".yml")
_LARGEST = 1 << 20  # bytes of a description


class PretrainedKind(ModelKind[PretrainedSettings]):
    """Causal and encoder-decoder models in Hugging Face's format."""

    settings = PretrainedSettings
    feature = "PLM"
    form = f"a folder with {DESCRIPTION}, or a YAML file with kind: pretrained"

    @override
    def plan(self, settings: PretrainedSettings) -> ModelPlan:
        _check(settings)
        folder = Path(settings.path)
        return ModelPlan(
            files=(DESCRIPTION,),
            inputs=tuple(map(str, read_files(folder))) or (str(folder / CONFIG),),
            resources=TrainingResources(mem_mb=500, mem_per_mb=0, runtime=10, runtime_per_mb=0.001),
            source="none" if settings.source_language is None else "sentence",
            cost="pretrained",
            unfit="pretrained models rescore, they do not decode",
        )

    @override
    def train(
        self, settings: PretrainedSettings, data: TrainingData, folder: Path, *, threads: int
    ) -> None:
        described = to_plain(settings) | {HASHES: _hashes(settings)}
        write_json(folder / DESCRIPTION, described)

    @override
    def find(self, path: Path) -> Path | None:
        if (described := find_file(path, DESCRIPTION)) is not None:
            return described
        if path.suffix in SUFFIXES and path.is_file():
            return path if _read_leniently(path).get("kind") == "pretrained" else None
        # A folder in Hugging Face's format, which does not name the language.
        return path if "model_type" in _read_leniently(path / CONFIG) else None

    @override
    def load(self, path: Path, *, threads: int = 1) -> LanguageModel:
        if path.is_dir():
            what = "the folder does not say which language to score"
            hint = f"give a YAML file: {{kind: pretrained, path: {path}, language: en}}"
            raise InputError(what, path=path, hint=hint)
        values = _read(path)
        known = _pop_hashes(values, path)
        settings = read_settings(PretrainedSettings, values, files=[path])
        _check(settings)
        if known is not None:
            check_hashes(Path(settings.path), _hashes(settings), known)
        if settings.source_language is None:
            return PretrainedModel(settings, threads=threads)
        return PretrainedTranslationModel(settings, threads=threads)


def _hashes(settings: PretrainedSettings) -> dict[str, str]:
    """SHA-256 of each of the `model_files`, by its path in the folder."""
    folder = Path(settings.path)
    files = model_files(folder, translates=settings.source_language is not None)
    return {path.relative_to(folder).as_posix(): file_hash(path) for path in files}


def _check(settings: PretrainedSettings) -> None:
    for language in (settings.language, settings.source_language):
        if language is not None:
            check_language(language)
    if settings.source_language is None:
        for key in ("source_code", "target_code", "prefix"):
            if getattr(settings, key):
                what = f"{key} has no effect without source_language"
                raise InputError(what, hint=f"leave {key} out, or set source_language")
    if "texts" in settings.model_fields_set:
        raise InputError("texts has no effect: nothing is trained", hint="leave texts out")
    if settings.units != "words":
        what = f"units: {settings.units} have no running text"
        raise InputError(what, hint="a pretrained model needs units: words")


def _pop_hashes(values: dict[str, Any], path: Path) -> dict[str, Any] | None:
    """Take the hashes out of a description; None if a file of the user has none.

    Raises:
        InputError: hashes that are missing in a file that `train` wrote, or no mapping.
    """
    if HASHES not in values and path.name != DESCRIPTION:
        return None
    known = values.pop(HASHES, None)
    if not isinstance(known, dict):
        what = f"{HASHES} is not a mapping from the files of the model to their hashes"
        hint = "train the model again; in a file of your own, leave the key out"
        raise InputError(what, path=path, hint=hint)
    return {str(name): value for name, value in known.items()}


def _read(path: Path) -> dict[str, Any]:
    """The mapping in a small JSON or YAML file.

    Raises:
        InputError: no such file, one that is too large, or one that has no mapping.
    """
    if check_file(path).stat().st_size > _LARGEST:
        what = "too large for the description of a model"
        raise InputError(what, path=path, hint="is it the right file?")
    if path.suffix == ".json":
        return read_json(path)
    try:
        values = parse_yaml(path.read_text(encoding="utf-8"), path)
    except UnicodeDecodeError as error:
        raise InputError("not UTF-8", path=path, hint="is it the right file?") from error
    if not isinstance(values, dict):
        what = "not a mapping of keys to values"
        raise InputError(what, path=path, hint="write: kind: pretrained")
    return values


def _read_leniently(path: Path) -> dict[str, Any]:
    """The mapping in a small JSON or YAML file; empty if there is none."""
    try:
        return _read(path) if path.is_file() else {}
    except InputError:
        return {}


PRETRAINED = PretrainedKind()
