"""A source of corpora: files of a shared folder, copied on request."""

import shutil
from collections.abc import Mapping
from pathlib import Path
from typing import Any, Literal

from nlmt.corpora import SOURCES, DownloadSettings, LaidOutSettings, LaidOutSource
from nlmt.errors import InputError
from nlmt.io.files import atomic_path
from nlmt.settings import REQUIRED, setting


class ShareCorpus(LaidOutSettings):
    """Files of a shared folder; `format` and `files` come with the class."""

    kind: Literal["share"] = setting(REQUIRED, "A folder that several machines share.")
    origin: str = setting(REQUIRED, "The folder.", examples=["/mnt/corpora/letters"])


class ShareSource(LaidOutSource):
    """Copies requested files to data/raw/<corpus>/, where `files` is looked up."""

    settings = ShareCorpus

    def downloads(self, name: str, corpus: ShareCorpus) -> dict[Path, dict[str, Any]]:
        folder = self.folder(name, corpus)
        return {folder / path: {"from": f"{corpus.origin}/{path}"} for path in corpus.files.paths()}

    def download(
        self, request: Mapping[str, Any], destination: Path, settings: DownloadSettings
    ) -> dict[str, Any]:
        origin = Path(request["from"])
        if not origin.is_file():
            raise InputError("not in the shared folder", path=origin)
        with atomic_path(destination) as temporary:
            shutil.copyfile(origin, temporary)
        return {"from": str(origin), "bytes": origin.stat().st_size}


SOURCES.register("share", ShareSource())
