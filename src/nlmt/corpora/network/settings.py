"""The key `download` of the configuration."""

from typing import Annotated, TypeAlias

from pydantic import Field

from nlmt.settings import PathBelow, Settings, setting

# Published hashes of files.
Sha256: TypeAlias = Annotated[str, Field(pattern="^[0-9a-f]{64}$")]
Sha1: TypeAlias = Annotated[str, Field(pattern="^[0-9a-f]{40}$")]
Md5: TypeAlias = Annotated[str, Field(pattern="^[0-9a-f]{32}$")]
Address: TypeAlias = Annotated[
    str, Field(pattern=r"^https?://[^\s]+$", examples=["https://www.statmt.org/wmt14/dev.tgz"])
]


class DebianSettings(Settings):
    """Servers of Debian packages, used if apt is missing or does not have a package."""

    mirrors: tuple[Address, ...] = setting(
        (),
        "Mirrors of Debian's archive (https://MIRROR/debian), tried in this order; they have the "
        "packages of current releases.",
        examples=[["https://mirror.example.org/debian"]],
    )
    snapshot: Address | None = setting(
        None,
        "Debian's snapshot service, which keeps every version; tried after the mirrors.",
        examples=["https://snapshot.example.org"],
    )

    def servers(self) -> tuple[Address, ...]:
        """All servers, in the order in which they are asked."""
        return self.mirrors if self.snapshot is None else (*self.mirrors, self.snapshot)


class DownloadSettings(Settings):
    """Downloads from web servers. Changes of these keys do not download files again."""

    mirrors: dict[Address, tuple[Address, ...]] = setting(
        {},
        "Mirrors of files: for the beginning of an official address, the addresses that replace "
        "it, tried in this order before the official one.",
        examples=[{"https://www.statmt.org/": ["https://mirror.example.org/wmt/"]}],
    )
    debian: DebianSettings = setting(
        DebianSettings(), "Servers of Debian packages that apt does not have."
    )
    local: tuple[str, ...] = setting(
        ("data/local",),
        "Folders that are searched before any server: for <folder>/<file> as below data/raw, then "
        "for <file>. Files are checked like downloads.",
    )
    lock: PathBelow = setting(
        "config/downloads.lock",
        "File that keeps size and SHA-256 of the first download of files without a published hash; "
        "later downloads must agree.",
    )
    connections: int = setting(
        2,
        "Simultaneous downloads from one server, over all jobs that share the folder data/raw.",
        ge=1,
        le=16,
    )
    retries: int = setting(
        6,
        "Number of further attempts after a failed one before a server is given up; the count "
        "begins again once a part of the file has come.",
        ge=0,
    )
    first_pause: float = setting(
        1.0, "Pause after the first failed attempt; each further pause is twice as long.", ge=0,
        unit="s",
    )  # fmt: skip
    longest_pause: float = setting(60.0, "Longest pause between two attempts.", ge=0, unit="s")
    timeout: float = setting(
        30.0, "Time without an answer after which an attempt has failed.", gt=0, unit="s"
    )
    slowest: float = setting(
        1000.0,
        "Lowest rate: a connection that is slower over `slow_after` seconds is closed and opened "
        "again.",
        ge=0,
        unit="bytes/s",
    )
    slow_after: float = setting(60.0, "Time over which the rate is measured.", gt=0, unit="s")
    hosts: tuple[str, ...] = setting(
        (),
        "Hosts to which servers may redirect, besides their own; for files with a published hash "
        "any host is allowed.",
    )
