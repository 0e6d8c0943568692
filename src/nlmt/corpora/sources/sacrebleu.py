"""Test sets by their names in sacreBLEU: its addresses and hashes, our download and readers.

sacreBLEU itself would download them into the user's home folder, without resuming.
"""

from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Literal, TypeAlias

from pydantic import AfterValidator, model_validator
from typing_extensions import override

from nlmt.corpora.network import DownloadSettings, RemoteFile, get_file
from nlmt.corpora.readers import READERS
from nlmt.corpora.readers.wmt_xml import NAMELESS
from nlmt.corpora.settings import CorpusError, CorpusSettings
from nlmt.corpora.sources import RAW_FOLDER, Piece, Source
from nlmt.corpora.text_files import ARCHIVE, PartFiles, TextFile
from nlmt.registry import nearest
from nlmt.settings import REQUIRED, setting

if TYPE_CHECKING:
    from sacrebleu.dataset.base import Dataset

# Formats of sacreBLEU's kinds of sets, by the names of their classes.
_FORMATS = {
    "FakeSGMLDataset": "sgm",
    "IWSLTXMLDataset": "sgm",
    "WMTXMLDataset": "wmt-xml",
    "PlainTextDataset": "plain",
    "TSVDataset": "plain",
}


def _check_name(name: str) -> str:
    known = tuple(_sets())
    if name not in known:
        raise ValueError(f"unknown test set {name!r} ({nearest(name, known)})")
    if type(_sets()[name]).__name__ not in _FORMATS:
        raise ValueError(f"{name} has several formats, which is not supported")
    return name


SetName: TypeAlias = Annotated[str, AfterValidator(_check_name)]


class SacrebleuCorpus(CorpusSettings):
    """A test set of sacreBLEU."""

    kind: Literal["sacrebleu"] = setting(REQUIRED, "A test set of sacreBLEU.")
    test_set: SetName = setting(REQUIRED, "Its name in sacreBLEU.", examples=["wmt14/full"])
    part: Literal["dev", "test", "dev2"] = setting("test", "Its part.")

    @model_validator(mode="after")
    def _check_languages(self) -> "SacrebleuCorpus":
        pairs = _sets()[self.test_set].langpairs
        known = {language for pair in pairs for language in pair.split("-")}
        for language in self.languages:
            if language not in known:
                listed = ", ".join(sorted(known))
                raise ValueError(f"{self.test_set} has no language {language!r} (it has {listed})")
        return self


class SacrebleuSource(Source):
    """Obtains the files of each pair of languages."""

    settings = SacrebleuCorpus

    @override
    def parts(self, corpus: SacrebleuCorpus) -> tuple[str, ...]:
        return (corpus.part,)

    @override
    def pairs(
        self, name: str, corpus: SacrebleuCorpus, part: str, source: str, target: str
    ) -> list[Piece[PartFiles]]:
        found = _sets()[corpus.test_set]
        pair = f"{source}-{target}"
        if pair not in found.langpairs:
            raise CorpusError(
                f"corpus {name}: {corpus.test_set} has no pair {pair}",
                corpus=name,
                hint=f"it has {', '.join(found.langpairs)}",
            )
        paths = found.langpairs[pair]
        kind = _FORMATS[type(found).__name__]
        options: dict[str, Any] = {"kind": kind}
        if kind == "wmt-xml":
            refs = list(found.kwargs.get("refs", []))
            if isinstance(paths, dict):
                refs, paths = list(paths.get("refs", refs)), [paths["path"]]
            options["references"] = tuple(ref or NAMELESS for ref in refs)
            paths = [paths[0], paths[0]]
        files = [_file(name, found, path) for path in paths]
        settings = READERS.get(kind).settings.model_validate(options)
        return [Piece(settings, PartFiles(files[0], tuple(files[1:])))]

    @override
    def texts(
        self, name: str, corpus: SacrebleuCorpus, part: str, language: str
    ) -> list[Piece[TextFile]]:
        for pair in _sets()[corpus.test_set].langpairs:
            source, _, target = pair.partition("-")
            if source == language:
                (piece,) = self.pairs(name, corpus, part, source, target)
                return [Piece(piece.format, piece.files.source)]
        raise CorpusError(f"corpus {name}: nothing is translated from {language!r}", corpus=name)

    @override
    def downloads(self, name: str, corpus: SacrebleuCorpus) -> dict[Path, dict[str, Any]]:
        found = _sets()[corpus.test_set]
        return {
            _place(name, url): {"url": url, "md5": md5}
            for url, md5 in zip(found.data or (), found.md5 or (), strict=True)
        }

    @override
    def download(
        self, request: Mapping[str, Any], destination: Path, settings: DownloadSettings
    ) -> dict[str, Any]:
        remote = RemoteFile(request["url"], None, {"md5": request["md5"]})
        return get_file(remote, destination, settings)


def _sets() -> "dict[str, Dataset]":
    """The sets by name."""
    from sacrebleu.dataset import DATASETS  # imports libraries that only this source needs

    found: dict[str, Dataset] = DATASETS
    return found


def _place(name: str, url: str) -> Path:
    return RAW_FOLDER / name / url.rpartition("/")[2]


def _file(name: str, found: "Dataset", path: str) -> TextFile:
    """The file of sacreBLEU's path: a member of an archive, or a file of its own.

    `2:set.tsv` is the third column of a table; `<set>.file` is a file beside the archive.
    """
    column, _, rest = path.rpartition(":")
    urls = found.data or []
    own = rest.removeprefix(f"{found.name.replace('/', '_')}.")
    for url in urls:
        if url.endswith(f"/{own}"):
            return TextFile(_place(name, url))
    archives = [url for url in urls if ARCHIVE.search(url)]
    if len(archives) > 1:
        folder = rest.partition("/")[0]
        archives = [url for url in archives if ARCHIVE.sub("", url).endswith(f"/{folder}")]
    assert len(archives) == 1, f"sacreBLEU's {found.name}: {path} is in none of its files"
    return TextFile(_place(name, archives[0]), rest, int(column) if column else None)


SACREBLEU = SacrebleuSource()
