"""Download of one file from one web server, into a part file from which a later call resumes.

`requests` does the talking: it is the most widely kept client, honours proxies and certificates of
the environment, and Snakemake needs it already. Resuming, retries and all checks are ours.
"""

import json
import logging
import re
import shutil
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from urllib.parse import urljoin, urlsplit

import requests
from urllib3.exceptions import HTTPError

from nlmt import __version__
from nlmt.corpora.network.settings import DownloadSettings
from nlmt.errors import SPACE_HINT, InputError
from nlmt.io.fields import is_whole_number
from nlmt.io.files import atomic_path, copy_file, file_hash, write_text
from nlmt.io.locks import check_held
from nlmt.steps import step

_BLOCK = 1 << 16
_REDIRECTS = 10
_MARGIN = 64 << 20  # bytes of the disk that a download leaves free
_RETRIED = frozenset({408, 425, 429, 500, 502, 503, 504})
_MISSING = frozenset({404, 410})
_CONTENT_RANGE = re.compile(r"bytes ([0-9]{1,18})-([0-9]{1,18})/([0-9]{1,18}|\*)")
_WEB_PAGE = re.compile(rb"\s*(<!doctype\s+html|<html|<\?xml[^>]*>\s*<!doctype\s+html)", re.I)


class UnavailableError(Exception):
    """This server lacks the file, or has another one: no further attempt helps."""


class MissingError(UnavailableError):
    """This server says that it does not have the file."""


class _FailedAttemptError(Exception):
    """The attempt failed, but the next one may succeed.

    Attributes:
        pause: seconds that the server asks for, or None.
    """

    def __init__(self, what: str, pause: float | None = None) -> None:
        super().__init__(what)
        self.pause = pause


@dataclass(frozen=True)
class Wanted:
    """Facts about a file that are known before its download.

    Attributes:
        name: of the file, for messages.
        size: in bytes, or None.
        verified: whether a hash will be compared, so that its origin does not matter.
        html: whether a web page is what is wanted.
    """

    name: str
    size: int | None = None
    verified: bool = False
    html: bool = False


@dataclass
class _State:
    """The part file, and the server's facts about the whole file from the start of its download."""

    part: Path
    address: str = ""
    validator: str = ""  # strong ETag, or date of the last change
    sha256: str = ""  # of the part, if the process that wrote it recorded one when it stopped

    @property
    def _facts(self) -> Path:
        return self.part.with_name(f"{self.part.name}.json")

    def read(self) -> None:
        """Read the facts that an earlier call left."""
        try:
            facts = json.loads(self._facts.read_text(encoding="utf-8"))
            self.address, self.validator = str(facts["address"]), str(facts["validator"])
            self.sha256 = str(facts["sha256"])
        except (OSError, ValueError, KeyError, TypeError):
            self.address = self.validator = self.sha256 = ""

    def write(self, address: str, validator: str, sha256: str = "") -> None:
        """Record the file to which the part file belongs."""
        self.address, self.validator, self.sha256 = address, validator, sha256
        facts = {"address": address, "validator": validator, "sha256": sha256}
        write_text(self._facts, json.dumps(facts) + "\n")

    def make_own(self) -> None:
        """Copy the part file of an earlier process, which may be suspended with it open."""
        if self.part.exists():
            with atomic_path(self.part) as copy:
                copy_file(self.part, copy)

    def is_whole_so_far(self) -> bool:
        """Whether the bytes are those that an earlier process had when it stopped."""
        return self.part.exists() and self.sha256 == file_hash(self.part)

    def length(self) -> int:
        return self.part.stat().st_size if self.part.exists() else 0

    def discard(self) -> None:
        self.part.unlink(missing_ok=True)
        self._facts.unlink(missing_ok=True)
        self.address = self.validator = self.sha256 = ""


def discard_part(part: Path) -> None:
    """Remove a part file and the facts about it."""
    _State(part).discard()


def get_part(address: str, part: Path, wanted: Wanted, settings: DownloadSettings) -> bool:
    """Download a file to `part`, resuming where an earlier call stopped.

    `part` stays for the next call if the download fails. Without a hash it is resumed only if the
    server tells when the file has changed.

    Returns:
        Whether the file is known to be whole; if not, a lost connection may have cut it off.

    Raises:
        UnavailableError: the server does not have it, has another file, or failed too often.
        InputError: the disk is too small.
    """
    state = _State(part)
    state.read()
    state.make_own()
    # Without a hash, bytes lost to a killed process or a power failure would go unnoticed.
    if not wanted.verified and not (state.address == address and state.is_whole_so_far()):
        state.discard()
    try:
        return _get_part(address, state, wanted, settings)
    except BaseException:
        if not wanted.verified and state.length():
            state.write(state.address, state.validator, file_hash(part))
        raise


def _get_part(address: str, state: _State, wanted: Wanted, settings: DownloadSettings) -> bool:
    """Repeat attempts until one succeeds, or no further one helps; return what it returns."""
    failures, pause = 0, settings.first_pause
    while True:
        before = state.length()
        try:
            return _attempt(address, state, wanted, settings)
        except (_FailedAttemptError, requests.RequestException) as error:
            what = _one_line(error)
            asked = error.pause if isinstance(error, _FailedAttemptError) else None
        if state.length() > before:
            failures, pause = 0, settings.first_pause
        failures += 1
        if failures > settings.retries:
            raise UnavailableError(f"{address}: {what}, after {failures} attempts") from None
        wait = min(pause if asked is None else max(asked, pause), settings.longest_pause)
        logging.info("%s: %s; again in %.0f s", address, what, wait)
        time.sleep(wait)
        pause = min(2 * pause, settings.longest_pause)


def _attempt(address: str, state: _State, wanted: Wanted, settings: DownloadSettings) -> bool:
    """Make one request, append its answer to the part file; return whether it must be whole."""
    # Otherwise nothing would tell that the rest is of another version of the file.
    have = state.length() if wanted.verified or state.validator else 0
    if wanted.size is not None and have > wanted.size:
        state.discard()
        have = 0
    if wanted.size is not None and have == wanted.size > 0:
        return True
    headers = {"Accept-Encoding": "identity", "User-Agent": f"nlmt/{__version__}"}
    if have:
        headers["Range"] = f"bytes={have}-"
        if state.validator and state.address == address:
            headers["If-Range"] = state.validator
    with _opened(address, headers, wanted, settings) as response:
        if have and _is_whole(response, address, state, wanted):
            return True
        total = _check_answer(response, address, state, have, wanted)
        if response.status_code == 200 and have:
            logging.info("%s: the server starts from the beginning", address)
            have = 0
        _check_space(state.part, wanted, total, have)
        if have == 0:
            state.write(address, _validator(response))
        _write(response, state.part, have, total, wanted, settings)
    if total is not None and state.length() < total:
        raise _FailedAttemptError(f"ended after {in_units(state.length())} of {in_units(total)}")
    # The last chunk says that it is the last. Otherwise the end of the connection is all there is.
    chunks = response.headers.get("Transfer-Encoding", "").lower().endswith("chunked")
    return total is not None or (response.status_code == 200 and chunks)


@contextmanager
def _opened(
    address: str, headers: dict[str, str], wanted: Wanted, settings: DownloadSettings
) -> Iterator[requests.Response]:
    """Yield the answer of the server that has the file, after redirects."""
    with requests.Session() as session:
        place = address
        for _ in range(_REDIRECTS):
            with session.get(
                place,
                headers=headers,
                stream=True,
                timeout=settings.timeout,
                allow_redirects=False,
            ) as response:
                if not response.is_redirect:
                    yield response
                    return
                next_place = urljoin(place, response.headers["Location"])
            _check_redirect(address, place, next_place, wanted, settings)
            place = next_place
    raise UnavailableError(f"{address}: more than {_REDIRECTS} redirects")


def _check_redirect(
    address: str, place: str, next_place: str, wanted: Wanted, settings: DownloadSettings
) -> None:
    """Refuse a redirect to a host that is not trusted."""
    old, new = urlsplit(place), urlsplit(next_place)
    if new.scheme not in ("http", "https"):
        raise UnavailableError(f"{address}: redirects to {next_place!r}")
    if wanted.verified:
        return
    if old.scheme == "https" and new.scheme == "http":
        raise UnavailableError(f"{address}: redirects from https to http ({next_place})")
    if new.hostname != old.hostname and new.hostname not in settings.hosts:
        raise UnavailableError(
            f"{address}: redirects to another host, {new.hostname}, and no hash is published (if "
            f"it may, add the host to download.hosts)"
        )


def _is_whole(response: requests.Response, address: str, state: _State, wanted: Wanted) -> bool:
    """Whether the server says that the part file is complete."""
    same = wanted.verified or (state.validator and state.address == address)
    whole = f"bytes */{state.length()}"
    return bool(
        same and response.status_code == 416 and response.headers.get("Content-Range") == whole
    )


def _check_answer(
    response: requests.Response, address: str, state: _State, have: int, wanted: Wanted
) -> int | None:
    """Return the size of the file according to the answer, after checking that it fits."""
    status = response.status_code
    if status == 416:
        # The part is as long as the file, or longer: it belongs to another file.
        state.discard()
        raise _FailedAttemptError("the server has no such range: its file is another one")
    if status in _RETRIED:
        after = response.headers.get("Retry-After", "")
        pause = float(after) if is_whole_number(after) else None
        raise _FailedAttemptError(f"answers {status} {response.reason}", pause)
    if status not in (200, 206):
        error = MissingError if status in _MISSING else UnavailableError
        raise error(f"{address}: answers {status} {response.reason}")
    kind = response.headers.get("Content-Type", "").partition(";")[0].strip().lower()
    if kind in ("text/html", "application/xhtml+xml") and not wanted.html:
        raise UnavailableError(f"{address}: a web page in place of the file")
    total: int | None = None
    if status == 206:
        found = _CONTENT_RANGE.fullmatch(response.headers.get("Content-Range", ""))
        if found is None or int(found[1]) != have:
            state.discard()
            raise _FailedAttemptError("answers with another range than was asked for")
        total = int(found[3]) if found[3] != "*" else None
    elif is_whole_number(response.headers.get("Content-Length", "")):
        total = int(response.headers["Content-Length"])
    if total is not None and wanted.size is not None and total != wanted.size:
        raise UnavailableError(f"{address}: has {total} bytes, {wanted.size} are expected")
    return wanted.size if total is None else total


def _validator(response: requests.Response) -> str:
    """Return the ETag or date that changes whenever the file does; empty if there is none."""
    tag = response.headers.get("ETag", "")
    if tag and not tag.startswith("W/"):
        return str(tag)
    return str(response.headers.get("Last-Modified", ""))


def _check_space(part: Path, wanted: Wanted, total: int | None, have: int) -> None:
    free = shutil.disk_usage(part.parent).free
    if total is not None and total - have + _MARGIN > free:
        raise InputError(
            f"{wanted.name} needs {in_units(total - have)}, and {in_units(free)} are free",
            path=part.parent,
            hint=SPACE_HINT,
        )


def _write(
    response: requests.Response,
    part: Path,
    have: int,
    total: int | None,
    wanted: Wanted,
    settings: DownloadSettings,
) -> None:
    """Write the answer to the part file, after the bytes that it has."""
    begin, at_begin = time.monotonic(), have
    part.touch()
    with (
        step(f"download {wanted.name}", (total or 0) // 1000, "kB", have // 1000) as progress,
        part.open("r+b") as out,
    ):
        # After opening it, as a process that took over the work has a file of its own.
        check_held()
        out.seek(have)
        out.truncate()
        for block in _blocks(response):
            if have == 0 and not wanted.html and _WEB_PAGE.match(block):
                raise UnavailableError(f"{response.url}: a web page in place of the file")
            have += len(block)
            if total is not None and have > total:
                out.truncate(0)
                raise UnavailableError(f"{response.url}: more than the {total} bytes expected")
            out.write(block)
            progress.done = have // 1000
            now = time.monotonic()
            if now - begin >= settings.slow_after:
                rate = (have - at_begin) / (now - begin)
                if rate < settings.slowest:
                    raise _FailedAttemptError(f"too slow, {in_units(rate)}/s")
                begin, at_begin = now, have


def _blocks(response: requests.Response) -> Iterator[bytes]:
    """Yield the bytes of an answer as they arrive, not decompressed."""
    raw: Any = response.raw
    try:
        # read1 returns the bytes that have arrived, so a slow server is noticed early.
        while block := raw.read1(_BLOCK, decode_content=False):
            yield block
    except HTTPError as error:
        raise _FailedAttemptError(f"the connection broke: {_one_line(error)}") from error


def _one_line(error: BaseException) -> str:
    """Return the message of an exception, without the objects that clients put into it."""
    text = " ".join(str(error).split())
    if isinstance(error, requests.ConnectTimeout | requests.ReadTimeout):
        return "the server does not answer"
    if isinstance(error, requests.ConnectionError):
        cause = re.search(r"\[Errno -?\d+\] ([^'\")]+)|(RemoteDisconnected|IncompleteRead)", text)
        return f"no connection ({cause[1] or cause[2]})" if cause else "no connection"
    return text or type(error).__name__


def in_units(size: float) -> str:
    """A number of bytes as people write it."""
    for unit in ("bytes", "kB", "MB"):
        if size < 1000:
            return f"{size:.0f} {unit}" if unit == "bytes" else f"{size:.1f} {unit}"
        size /= 1000
    return f"{size:.2f} GB"
