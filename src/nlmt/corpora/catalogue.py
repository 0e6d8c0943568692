"""The entries of config/corpora.yaml as typed values, one class a kind."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, TypeAlias

from nlmt.errors import InputError

RAW_FOLDER = Path("data/raw")
PARTS = ("train", "dev", "test", "dev2")


@dataclass(frozen=True)
class AptCorpus:
    """Help pages that a Debian package a language holds."""

    name: str
    languages: tuple[str, ...]
    packages: Mapping[str, str]  # language to package
    pins: Mapping[str, Mapping[str, str]] = field(default_factory=dict)  # version, language: sha256

    def inputs(self, language: str) -> list[Path]:
        """The downloaded package of `language`."""
        _check_language(self.name, self.languages, language)
        return [RAW_FOLDER / self.name / f"{language}.deb"]


@dataclass(frozen=True)
class FileCorpus:
    """A user's own bitext, line by line, in files that lie anywhere."""

    name: str
    languages: tuple[str, ...]
    files: Mapping[str, Mapping[str, str]]  # part, language: path

    @property
    def parts(self) -> tuple[str, ...]:
        """Those of `PARTS` that the user gives."""
        return tuple(part for part in PARTS if part in self.files)

    def inputs(self, language: str) -> list[Path]:
        """The files of `language`, in the order of `parts`."""
        _check_language(self.name, self.languages, language)
        paths = []
        for part in self.parts:
            if language not in self.files[part]:
                raise InputError(
                    f"corpus {self.name}: files.{part} names no file of language {language!r}",
                    hint=f"it names {', '.join(self.files[part])}",
                )
            paths.append(Path(self.files[part][language]))
        return paths


Corpus: TypeAlias = AptCorpus | FileCorpus


def read_corpus(name: str, entry: Mapping[str, Any]) -> Corpus:
    """One entry of the configuration.

    Raises:
        InputError: an unknown kind, or a key that its kind needs is missing.
    """
    kind = str(entry.get("kind"))
    if kind not in _READERS:
        raise InputError(
            f"corpus {name}: unknown kind {kind!r}", hint=f"allowed: {', '.join(_READERS)}"
        )
    try:
        return _READERS[kind](name, entry)
    except KeyError as error:
        raise InputError(
            f"corpus {name}: the key {error.args[0]!r} is missing", hint=f"kind {kind} needs it"
        ) from error


def _read_apt(name: str, entry: Mapping[str, Any]) -> AptCorpus:
    languages = tuple(entry["languages"])
    packages = entry["packages"]
    for language in languages:
        if language not in packages:
            raise InputError(f"corpus {name}: packages names none for language {language!r}")
    return AptCorpus(name, languages, packages, entry.get("pins", {}))


def _read_file(name: str, entry: Mapping[str, Any]) -> FileCorpus:
    files = entry["files"]
    if "train" not in files:
        raise InputError(f"corpus {name}: files.train is missing", hint="train is needed")
    if unknown := set(files) - set(PARTS):
        raise InputError(
            f"corpus {name}: unknown part {min(unknown)!r} in files",
            hint=f"allowed: {', '.join(PARTS)}",
        )
    return FileCorpus(name, tuple(entry["languages"]), files)


_READERS: dict[str, Callable[[str, Mapping[str, Any]], Corpus]] = {
    "apt": _read_apt,
    "file": _read_file,
}


def _check_language(name: str, languages: tuple[str, ...], language: str) -> None:
    if language not in languages:
        raise InputError(
            f"corpus {name} has no language {language!r}", hint=f"it has {', '.join(languages)}"
        )
