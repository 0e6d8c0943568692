"""The user's own text, in files at any path."""

from collections.abc import Iterable
from pathlib import Path
from typing import Literal

from typing_extensions import override

from nlmt.corpora.sources import Piece
from nlmt.corpora.sources.layout import LaidOutSettings, LaidOutSource
from nlmt.corpora.text_files import PartFiles, TextFile
from nlmt.errors import InputError
from nlmt.settings import REQUIRED, setting


class FileCorpus(LaidOutSettings):
    """Text that the user has: the files of `files` exist already."""

    kind: Literal["file"] = setting(REQUIRED, "Files of your own.")
    obtain: str = setting(
        "",
        "For text that cannot be shipped or downloaded: where to obtain it, with its catalogue "
        "numbers. The message about a missing file then says so.",
    )


class FilesSource(LaidOutSource):
    """Obtains nothing: the files exist, or the missing ones are reported."""

    settings = FileCorpus

    @override
    def folder(self, name: str, corpus: FileCorpus) -> Path:
        return Path()  # paths are the user's own

    @override
    def pairs(
        self, name: str, corpus: FileCorpus, part: str, source: str, target: str
    ) -> list[Piece[PartFiles]]:
        pieces = super().pairs(name, corpus, part, source, target)
        _check_obtained(name, corpus, [path for piece in pieces for path in piece.files.paths()])
        return pieces

    @override
    def texts(
        self, name: str, corpus: FileCorpus, part: str, language: str
    ) -> list[Piece[TextFile]]:
        pieces = super().texts(name, corpus, part, language)
        _check_obtained(name, corpus, [piece.files.path for piece in pieces])
        return pieces


def _check_obtained(name: str, corpus: FileCorpus, paths: Iterable[Path]) -> None:
    """Raise InputError with the missing files of text that the user has to obtain."""
    missing = [str(path) for path in dict.fromkeys(paths) if not path.exists()]
    if corpus.obtain and missing:
        raise InputError(
            f"corpus {name} ({corpus.description}) is not here: {', '.join(missing)} missing",
            hint=f"obtain it from {corpus.obtain}, and put it at these paths",
        )


FILES = FilesSource()
