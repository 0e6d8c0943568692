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
    """Servers of Debian packages, asked where apt is missing or does not have a package."""

    mirrors: tuple[Address, ...] = setting(
        (),
        "Mirrors of Debian's archive (https://MIRROR/debian), tried in this order; they have the "
        "versions of the present releases.",
        examples=[["https://mirror.example.org/debian"]],
    )
    snapshot: Address | None = setting(
        None,
        "Debian's snapshot service, which keeps every version; of each it is tried after the "
        "mirrors.",
        examples=["https://snapshot.example.org"],
    )

    def servers(self) -> tuple[Address, ...]:
        """All servers, in the order in which they are asked."""
        return self.mirrors if self.snapshot is None else (*self.mirrors, self.snapshot)


class DownloadSettings(Settings):
    """Downloads from web servers. No change of these keys downloads a file again."""

    mirrors: dict[Address, tuple[Address, ...]] = setting(
        {},
        "Other servers of the same files, by the start of the official address that theirs "
        "replaces; tried in this order, before the official one.",
        examples=[{"https://www.statmt.org/": ["https://mirror.example.org/wmt/"]}],
    )
    debian: DebianSettings = setting(
        DebianSettings(), "Servers of Debian packages, where apt does not have them."
    )
    local: tuple[str, ...] = setting(
        ("data/local",),
        "Folders that are searched before any server: for <folder>/<file> as below data/raw, then "
        "for <file>. What is found is checked like a download.",
    )
    lock: PathBelow = setting(
        "config/downloads.lock",
        "File with the size and the SHA-256 of files for which none is published, from their "
        "first download on: every further one must agree.",
    )
    connections: int = setting(
        2, "Simultaneous downloads from one server, over all jobs on a machine.", ge=1, le=16
    )
    retries: int = setting(6, "Failed attempts in a row after which a server is given up.", ge=0)
    first_pause: float = setting(
        1.0, "Pause after the first failed attempt; each further one is twice as long.", ge=0,
        unit="s",
    )  # fmt: skip
    longest_pause: float = setting(60.0, "Longest pause between two attempts.", ge=0, unit="s")
    timeout: float = setting(
        30.0, "Time without an answer after which a server has failed.", gt=0, unit="s"
    )
    slowest: float = setting(
        1000.0,
        "A connection that is slower than this over `slow_after` seconds is closed and opened "
        "again.",
        ge=0,
        unit="bytes/s",
    )
    slow_after: float = setting(60.0, "Time over which the rate is taken.", gt=0, unit="s")
    hosts: tuple[str, ...] = setting(
        (),
        "Hosts that servers may send to with a redirect, beside their own; where a hash is "
        "published, any host may be.",
    )
