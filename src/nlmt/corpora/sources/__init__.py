"""Where corpora are got from: one module a source, registered here by its name."""

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, Generic, Protocol, TypeVar

from nlmt.corpora.network.settings import DownloadSettings
from nlmt.corpora.text_files import PartFiles, TextFile
from nlmt.registry import Registry

if TYPE_CHECKING:
    from nlmt.corpora.readers import FormatSettings
    from nlmt.corpora.settings import CorpusSettings

RAW_FOLDER = Path("data/raw")
Files = TypeVar("Files", PartFiles, TextFile)


@dataclass(frozen=True)
class Download:
    """One file that a source gets.

    Attributes:
        source: name of the source.
        request: what the source needs to know to get it, and nothing else of the corpus, so that
            it is got again only where this changes; ready for JSON.
    """

    source: str
    request: Mapping[str, Any]


@dataclass(frozen=True)
class Piece(Generic[Files]):
    """Files, and how they are read."""

    format: "FormatSettings"
    files: Files


class Source(Protocol):
    """One way to get a corpus.

    `corpus` below is always of the class `self.settings`, checked; `name` is the corpus' name.

    Attributes:
        settings: keys of an entry under `corpora`.
    """

    settings: type["CorpusSettings"]

    def parts(self, corpus: Any) -> tuple[str, ...]:
        """Which parts it gives: `whole`, or some of train, dev, test and dev2."""
        ...

    def pairs(
        self, name: str, corpus: Any, part: str, source: str, target: str
    ) -> list["Piece[PartFiles]"]:
        """The files of a part for a pair of languages that the corpus has, in order.

        Raises:
            InputError: the part does not have these languages.
        """
        ...

    def texts(self, name: str, corpus: Any, part: str, language: str) -> list["Piece[TextFile]"]:
        """The files of a part in one language that the corpus has, in order.

        Raises:
            InputError: the part does not have this language.
        """
        ...

    def downloads(self, name: str, corpus: Any) -> dict[Path, Download]:
        """Every file that it gets, with its place; empty where all is on disk already."""
        ...

    def download(
        self, request: Mapping[str, Any], destination: Path, settings: DownloadSettings
    ) -> dict[str, Any]:
        """Get a file, check it and put it to its place.

        Args:
            request: of `downloads`.
            destination: the file's place.
            settings: mirrors, retries and limits.

        Returns:
            What is known of it (version, hash ...), ready for JSON.

        Raises:
            InputError: it cannot be got or is not what was expected; nothing is written then.
        """
        ...


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
