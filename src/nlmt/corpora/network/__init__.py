"""Files from web servers: downloads that resume, retry, and are checked before use."""

from nlmt.corpora.network.client import UnavailableError
from nlmt.corpora.network.debian_servers import get_pinned
from nlmt.corpora.network.files import RemoteFile, get_file
from nlmt.corpora.network.settings import DownloadSettings

__all__ = [
    "DownloadSettings",
    "RemoteFile",
    "UnavailableError",
    "get_file",
    "get_pinned",
]
