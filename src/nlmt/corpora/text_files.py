"""The files of a corpus, and the names of its parts."""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

# Parts of a corpus; `whole` is text from which all others are drawn.
WHOLE = "whole"
PARTS = ("train", "dev", "test", "dev2")


@dataclass(frozen=True, slots=True)
class TextFile:
    """A file, or a member of an archive.

    Attributes:
        member: name of the member, if one member of an archive is meant.
        column: number from 0, if one of several columns, separated by tabs, is meant.
    """

    path: Path
    member: str = ""
    column: int | None = None

    def __str__(self) -> str:
        return f"{self.path}/{self.member}" if self.member else str(self.path)


@dataclass(frozen=True, slots=True)
class PartFiles:
    """The files of one part of a corpus for a pair of languages.

    Attributes:
        source: the text to translate.
        references: its translation; for dev and test there may be several. A format with several
            languages in one file has the same file here as in `source`.
    """

    source: TextFile
    references: tuple[TextFile, ...]

    def paths(self) -> list[Path]:
        """The paths that must exist on disk."""
        return [file.path for file in (self.source, *self.references)]


def short_names(files: Sequence[TextFile]) -> list[str]:
    """The names of files on disk, or their paths if two have the same name."""
    names = [file.path.name for file in files]
    return names if len(set(names)) == len(names) else [str(file) for file in files]


ARCHIVE = re.compile(r"\.(tar|tgz|txz|tar\.(gz|xz|bz2)|zip|deb)$", re.IGNORECASE)


def in_archive(path: Path) -> TextFile:
    """The file of a path in which archives are like folders: `dev.tgz/dev/test.fr`."""
    for archive in reversed(path.parents):
        if ARCHIVE.search(archive.name):
            return TextFile(archive, str(path.relative_to(archive)))
    return TextFile(path)
