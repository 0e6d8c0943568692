"""The files of a corpus by part and language: the key `files` of several sources."""

import re
from collections.abc import Mapping
from pathlib import Path
from typing import Annotated, Any, TypeAlias

from pydantic import AfterValidator, Field, WithJsonSchema, model_validator
from typing_extensions import override

from nlmt.corpora.settings import CorpusError, CorpusSettings, Format
from nlmt.corpora.sources import RAW_FOLDER, Piece, Source
from nlmt.corpora.text_files import PARTS, WHOLE, PartFiles, TextFile, in_archive
from nlmt.registry import nearest
from nlmt.settings import REQUIRED, Settings, setting

_LANGUAGE = re.compile(r"[a-z]{2,3}")
PLACEHOLDER = re.compile(r"\{([^{}]*)\}")
_OF_PAIRS = ("pair", "first", "second")
_PLACEHOLDERS = ("language", *_OF_PAIRS, "role")


Pair: TypeAlias = Annotated[str, Field(pattern=r"^[a-z]{2,3}-[a-z]{2,3}$", examples=["fr-en"])]


def _check_paths(value: Any) -> Any:
    """A path for all languages, or by language one or several."""
    if isinstance(value, str) and value:
        _check_placeholders(value)
        return value
    if not isinstance(value, Mapping) or not value:
        raise ValueError("a path, or paths by language, such as {fr: text.fr, en: text.en}")
    for language, paths in value.items():
        if not _LANGUAGE.fullmatch(language):
            raise ValueError(f"{language!r} is no code of a language, such as fr")
        listed = paths if isinstance(paths, list) else [paths]
        if not listed or not all(isinstance(path, str) and path for path in listed):
            raise ValueError(f"{language}: a path, or a list of paths")
        for path in listed:
            _check_placeholders(path)
    return dict(value)


def _check_placeholders(path: str) -> None:
    for found in PLACEHOLDER.findall(path):
        if found not in _PLACEHOLDERS:
            raise ValueError(f"{path}: {{{found}}} is unknown ({nearest(found, _PLACEHOLDERS)})")


_PATH = {"type": "string", "minLength": 1}
_PATHS_SCHEMA = {
    "anyOf": [
        _PATH,
        {
            "type": "object",
            "minProperties": 1,
            "propertyNames": {"pattern": "^[a-z]{2,3}$"},
            "additionalProperties": {
                "anyOf": [_PATH, {"type": "array", "minItems": 1, "items": _PATH}]
            },
        },
    ]
}
Paths: TypeAlias = Annotated[Any, AfterValidator(_check_paths), WithJsonSchema(_PATHS_SCHEMA)]


class PartPaths(Settings):
    """Paths of the files of each part, for all languages or by language.

    For dev, test and dev2 a language may have a list of files: the first is the text to translate
    from this language, and all are references into it. An archive is written like a folder:
    `dev.tgz/dev/newstest2013.fr`.

    In a path `{language}` is the code of the file's language; `{pair}`, `{first}` and `{second}`
    are the pair as written in `pairs` and its two languages; `{role}` is `src` for the text to
    translate, `ref` for its translation.
    """

    train: Paths | None = setting(None, "Training text.")
    dev: Paths | None = setting(None, "Text to tune on.")
    test: Paths | None = setting(None, "Text to test on.")
    dev2: Paths | None = setting(None, "A second text to tune on, for reranking.")
    whole: Paths | None = setting(None, "Text from which the other parts are drawn.")

    @model_validator(mode="after")
    def _check(self) -> "PartPaths":
        parts = self.parts()
        if not parts:
            raise ValueError(f"one of {', '.join((*PARTS, WHOLE))} is needed")
        if WHOLE in parts and len(parts) > 1:
            raise ValueError(f"all other parts are drawn from {WHOLE}: leave them out")
        for part in ("train", WHOLE):
            paths = getattr(self, part)
            if isinstance(paths, Mapping) and any(isinstance(p, list) for p in paths.values()):
                raise ValueError(f"{part}: one path a language; only dev and test have references")
        return self

    def parts(self) -> tuple[str, ...]:
        """The given parts."""
        return tuple(part for part in (*PARTS, WHOLE) if getattr(self, part) is not None)

    def paths(self) -> tuple[str, ...]:
        """All paths, as written in the configuration."""
        found: list[str] = []
        for part in self.parts():
            paths = getattr(self, part)
            for one in [paths] if isinstance(paths, str) else paths.values():
                found += one if isinstance(one, list) else [one]
        return tuple(dict.fromkeys(found))


class LaidOutSettings(CorpusSettings):
    """Keys of sources whose entries list the files of each part."""

    format: Format = setting("plain", "Format of the files.", validate_default=True)
    pairs: tuple[Pair, ...] = setting(
        (),
        "Pairs of the text, each as in the names of its files, in one direction; "
        "empty: all pairs of its languages.",
    )
    files: PartPaths = setting(REQUIRED, "The files of each part.")

    @model_validator(mode="after")
    def _check_pairs(self) -> "LaidOutSettings":
        for pair in self.pairs:
            for language in pair.split("-"):
                if language not in self.languages:
                    raise ValueError(f"pairs: {pair}: {language!r} is not among languages")
        for path in self.files.paths():
            for found in PLACEHOLDER.findall(path):
                if found in _OF_PAIRS and not self.pairs:
                    what = f"files: {path}: {{{found}}} needs the key pairs"
                    raise ValueError(f"{what}, such as pairs: [fr-en]")
        return self


class LaidOutSource(Source):
    """A source whose entries have the keys of `LaidOutSettings`."""

    def folder(self, name: str, corpus: Any) -> Path:
        """The folder to which the paths of `files` are relative."""
        return RAW_FOLDER / name

    @override
    def parts(self, corpus: Any) -> tuple[str, ...]:
        found: tuple[str, ...] = corpus.files.parts()
        return found

    @override
    def pairs(
        self, name: str, corpus: Any, part: str, source: str, target: str
    ) -> list[Piece[PartFiles]]:
        names = _pair_names(name, corpus, source, target) if corpus.pairs else {}
        folder = self.folder(name, corpus)
        source_paths = _of_language(name, corpus, part, source)
        target_paths = _of_language(name, corpus, part, target)
        files = PartFiles(
            _file(source_paths[0], names | {"language": source, "role": "src"}, folder),
            tuple(
                _file(path, names | {"language": target, "role": "ref"}, folder)
                for path in target_paths
            ),
        )
        if corpus.format.kind == "plain" and files.source in files.references:
            raise CorpusError(
                f"corpus {name}: files.{part}: {files.source}: one file for both languages",
                corpus=name,
                hint="write {language} in its path, or a path for each language",
            )
        return [Piece(corpus.format, files)]

    @override
    def texts(self, name: str, corpus: Any, part: str, language: str) -> list[Piece[TextFile]]:
        path = _of_language(name, corpus, part, language)[0]
        if set(PLACEHOLDER.findall(path)) - {"language"}:
            raise CorpusError(
                f"corpus {name}: files.{part} has {path!r}, a file for each pair of languages",
                corpus=name,
                hint=f"name a corpus that has text of {language!r} alone",
            )
        file = _file(path, {"language": language}, self.folder(name, corpus))
        return [Piece(corpus.format, file)]


def _pair_names(name: str, corpus: LaidOutSettings, source: str, target: str) -> dict[str, str]:
    for pair in (f"{source}-{target}", f"{target}-{source}"):
        if pair in corpus.pairs:
            first, _, second = pair.partition("-")
            return {"pair": pair, "first": first, "second": second}
    raise CorpusError(
        f"corpus {name} has no pair {source}-{target}",
        corpus=name,
        hint=f"it has {', '.join(corpus.pairs)}",
    )


def _of_language(name: str, corpus: LaidOutSettings, part: str, language: str) -> list[str]:
    paths = getattr(corpus.files, part)
    if paths is None:
        given = ", ".join(corpus.files.parts())
        raise CorpusError(f"corpus {name} has no part {part}", corpus=name, hint=f"it has {given}")
    if isinstance(paths, str):
        return [paths]
    if language not in paths:
        raise CorpusError(
            f"corpus {name}: files.{part} names no file of language {language!r}",
            corpus=name,
            hint=f"it names {', '.join(paths)}",
        )
    found = paths[language]
    return list(found) if isinstance(found, list) else [found]


def _file(path: str, names: Mapping[str, str], folder: Path) -> TextFile:
    filled = PLACEHOLDER.sub(lambda match: names[match[1]], path)
    return in_archive(folder / filled)
