"""Sources of corpora: one module per source, registered here by its name."""

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Generic, Protocol, TypeVar

from nlmt.corpora.network.settings import DownloadSettings
from nlmt.corpora.readers import FormatSettings
from nlmt.corpora.settings import CorpusSettings
from nlmt.corpora.text_files import PartFiles, TextFile
from nlmt.errors import InputError
from nlmt.registry import Registry

RAW_FOLDER = Path("data/raw")
Files = TypeVar("Files", PartFiles, TextFile)


@dataclass(frozen=True)
class Piece(Generic[Files]):
    """Files with their format."""

    format: FormatSettings
    files: Files


class Source(Protocol):
    """One way to obtain a corpus.

    `corpus` is always a checked one of the class `self.settings`; `name` is the corpus' name.

    Attributes:
        settings: keys of an entry under `corpora`.
        packages: whether its files are packages, which hold much beside the text.
    """

    settings: type[CorpusSettings]
    packages: bool = False

    def parts(self, corpus: Any) -> tuple[str, ...]:
        """The parts that it provides: `whole`, or some of train, dev, test and dev2."""
        ...

    def pairs(
        self, name: str, corpus: Any, part: str, source: str, target: str
    ) -> list[Piece[PartFiles]]:
        """The files of a part for a pair of the corpus' languages, in order.

        Raises:
            InputError: the part lacks these languages.
        """
        ...

    def texts(self, name: str, corpus: Any, part: str, language: str) -> list[Piece[TextFile]]:
        """The files of a part in one of the corpus' languages, in order.

        Raises:
            InputError: the part lacks this language.
        """
        ...

    def downloads(self, name: str, corpus: Any) -> dict[Path, dict[str, Any]]:
        """The request of every file that it obtains, by path; empty if all are on disk already.

        A request has the facts by which the source obtains the file, and nothing else of the
        corpus, so that it is obtained again only if these change; ready for JSON.
        """
        return {}

    def about_mb(self, name: str, corpus: Any) -> dict[Path, float]:
        """The stated or rounded size of files that it obtains, in 10^6 bytes, where it is known."""
        return {}

    def text_mb(self, name: str, corpus: Any) -> dict[Path, float]:
        """The size of a pair's text in these files, in 10^6 bytes, where it is stated."""
        return {}

    def download(
        self, request: Mapping[str, Any], destination: Path, settings: DownloadSettings
    ) -> dict[str, Any]:
        """Obtain a file of `downloads`, check it, put it in its place; return its facts for JSON.

        Raises:
            InputError: it cannot be obtained or is not as expected; then nothing is written.
        """
        raise InputError("corpora of this source have no downloads", path=destination)


SOURCES: Registry[Source] = Registry(
    "source of a corpus",
    {
        "apt": "nlmt.corpora.sources.apt:APT",
        "file": "nlmt.corpora.sources.files:FILES",
        "url": "nlmt.corpora.sources.url:URL",
        "sacrebleu": "nlmt.corpora.sources.sacrebleu:SACREBLEU",
        "mtdata": "nlmt.corpora.sources.mtdata:MTDATA",
        "joined": "nlmt.corpora.sources.joined:JOINED",
    },
)
