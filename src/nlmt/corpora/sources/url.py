"""Files from web servers, by their addresses."""

import re
from collections.abc import Mapping
from pathlib import Path
from typing import Annotated, Any, Literal, TypeAlias

from pydantic import Field, model_validator
from typing_extensions import override

from nlmt.corpora.network import DownloadSettings, RemoteFile, get_file
from nlmt.corpora.network.settings import Address, Md5, Sha1, Sha256
from nlmt.corpora.sources import RAW_FOLDER
from nlmt.corpora.sources.layout import PLACEHOLDER, LaidOutSettings, LaidOutSource
from nlmt.registry import nearest
from nlmt.settings import REQUIRED, Settings, setting, to_plain

FileName: TypeAlias = Annotated[
    str, Field(pattern=r"^[A-Za-z0-9_][A-Za-z0-9_.+-]*$", examples=["dev.tgz"])
]

_HASHES = ("sha256", "sha1", "md5")


class RemoteSettings(Settings):
    """A file with its published size and hash, which are checked before it is read."""

    url: Address = setting(REQUIRED, "Official address.")
    size: int | None = setting(None, "Size.", ge=1, unit="bytes")
    about_mb: int | None = setting(
        None,
        "Rounded size, if the exact one is not published, only for `nlmt resources`.",
        ge=1,
        unit="10^6 bytes",
    )
    sha256: Sha256 | None = setting(None, "SHA-256, where published.")
    sha1: Sha1 | None = setting(None, "SHA-1, where published.")
    md5: Md5 | None = setting(None, "MD5, where published.")


class UrlCorpus(LaidOutSettings):
    """Files from web servers: archives, or plain text."""

    kind: Literal["url"] = setting(REQUIRED, "Files from web servers.")
    folder: FileName | None = setting(
        None,
        "Folder below data/raw for the files; corpora with common files can share one. Left "
        "out: the name of the corpus.",
    )
    downloads: dict[FileName, RemoteSettings] = setting(
        REQUIRED, "The files by name; the paths in `files` begin with these names.", min_length=1
    )

    @model_validator(mode="after")
    def _check_names(self) -> "UrlCorpus":
        for path in self.files.paths():
            name = path.partition("/")[0]
            literal = [re.escape(piece) for piece in PLACEHOLDER.split(name)[::2]]
            if not any(re.fullmatch("[a-z-]+".join(literal), known) for known in self.downloads):
                known = nearest(name, tuple(self.downloads))
                raise ValueError(f"files: {path}: no such download ({known})")
        return self


class UrlSource(LaidOutSource):
    """Downloads each file once, for all corpora that share its folder."""

    settings = UrlCorpus

    @override
    def folder(self, name: str, corpus: UrlCorpus) -> Path:
        return RAW_FOLDER / (corpus.folder or name)

    @override
    def downloads(self, name: str, corpus: UrlCorpus) -> dict[Path, dict[str, Any]]:
        folder = self.folder(name, corpus)
        return {folder / file: _request(remote) for file, remote in corpus.downloads.items()}

    @override
    def about_mb(self, name: str, corpus: UrlCorpus) -> dict[Path, float]:
        return {
            self.folder(name, corpus) / file: (remote.size or 0) / 1e6 or remote.about_mb or 0
            for file, remote in corpus.downloads.items()
        }

    @override
    def download(
        self, request: Mapping[str, Any], destination: Path, settings: DownloadSettings
    ) -> dict[str, Any]:
        hashes = {method: request[method] for method in _HASHES if request.get(method)}
        remote = RemoteFile(request["url"], request.get("size"), hashes)
        return get_file(remote, destination, settings)


def _request(remote: RemoteSettings) -> dict[str, Any]:
    """A file's published facts, without its rounded size, whose change needs no new download."""
    return {key: value for key, value in to_plain(remote).items() if key != "about_mb"}


URL = UrlSource()
