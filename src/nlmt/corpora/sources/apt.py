"""Debian packages, from apt-get or web servers: hashes are checked, and nothing is run."""

import logging
import os
import re
import shutil
import subprocess
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Annotated, Any, Literal, TypeAlias

from pydantic import Field, model_validator
from typing_extensions import override

from nlmt.corpora.archives import read_control
from nlmt.corpora.debian import version_key
from nlmt.corpora.network import DownloadSettings, UnavailableError, get_pinned
from nlmt.corpora.network.settings import Sha256
from nlmt.corpora.settings import CorpusSettings, Format, Language
from nlmt.corpora.sources import RAW_FOLDER, Piece, Source
from nlmt.corpora.text_files import WHOLE, PartFiles, TextFile
from nlmt.errors import InputError
from nlmt.io.files import atomic_path, copy_file, file_hash, scratch_folder
from nlmt.io.locks import locked
from nlmt.settings import REQUIRED, setting

_APT = ("apt-get", "-q", "-o", "Acquire::Retries=2", "-o", "Acquire::http::Timeout=30")

Package: TypeAlias = Annotated[
    str, Field(pattern="^[a-z0-9][a-z0-9+.-]+$", examples=["libreoffice-help-fr"])
]
Version: TypeAlias = Annotated[
    str, Field(pattern="^[0-9][A-Za-z0-9.+:~-]*$", examples=["4:7.4.7-1+deb12u13"])
]


class AptCorpus(CorpusSettings):
    """Text from Debian packages, from which the parts are drawn."""

    kind: Literal["apt"] = setting(
        REQUIRED, "Debian packages, from apt-get or from servers of `download.debian`."
    )
    format: Format = setting(REQUIRED, "Format of the packages.")
    packages: dict[Language, Package | Annotated[tuple[Package, ...], Field(min_length=1)]] = (
        setting(
            REQUIRED,
            "Package of each language; several languages may share one. Of a list, for releases "
            "of Debian that name it otherwise, the first that apt has.",
        )
    )
    source: Package | dict[Language, Package | tuple[Package, ...]] | None = setting(
        None,
        "Source package, or that of each language, or of each name in its list, in whose folder "
        "mirrors have the packages; left out: it has the package's name.",
    )
    about_mb: dict[Language, Annotated[int, Field(ge=1)]] = setting(
        {},
        "Rounded size of each language's package, for `nlmt resources` and for a warning where the "
        "disk has less.",
        unit="10^6 bytes",
    )
    text_mb: dict[Language, Annotated[float, Field(gt=0)]] = setting(
        {},
        "Size that the text read from a package would have by itself, where most of the package is "
        "something else, as pictures or other languages; for `nlmt resources`.",
        unit="10^6 bytes",
    )
    version: Version | None = setting(
        None,
        "Version of the packages; left out: apt's version or, without apt, the first of `pins` "
        "that a server of `download.debian` has.",
    )
    pins: dict[str, dict[Language, Sha256]] = setting(
        {},
        "SHA-256 of packages, by version and language. Other versions are accepted by apt's signed "
        "index. Servers of `download.debian` are asked only for pinned versions, in this order.",
    )

    @model_validator(mode="after")
    def _check_packages(self) -> "AptCorpus":
        for language in self.languages:
            if language not in self.packages:
                raise ValueError(f"packages names none for language {language!r}")
            if len(self.sources(language)) != len(self.names(language)):
                raise ValueError(f"source: {language} needs one for each name of its package")
        return self

    def names(self, language: str) -> tuple[str, ...]:
        """The names of a language's package, the first of which is also that of its file."""
        found = self.packages[language]
        return (found,) if isinstance(found, str) else found

    def sources(self, language: str) -> tuple[str, ...]:
        """The source packages of `names`."""
        names = self.names(language)
        given = self.source.get(language) if isinstance(self.source, dict) else self.source
        return (
            names if given is None else given if isinstance(given, tuple) else (given,) * len(names)
        )


class AptSource(Source):
    """Debian packages as files, under the packages' own names."""

    settings = AptCorpus
    packages = True

    @override
    def about_mb(self, name: str, corpus: AptCorpus) -> dict[Path, float]:
        return _by_place(name, corpus, corpus.about_mb)

    @override
    def text_mb(self, name: str, corpus: AptCorpus) -> dict[Path, float]:
        return _by_place(name, corpus, corpus.text_mb)

    @override
    def parts(self, corpus: AptCorpus) -> tuple[str, ...]:
        return (WHOLE,)

    @override
    def pairs(
        self, name: str, corpus: AptCorpus, part: str, source: str, target: str
    ) -> list[Piece[PartFiles]]:
        one, other = (TextFile(_place(name, corpus.names(code)[0])) for code in (source, target))
        return [Piece(corpus.format, PartFiles(one, (other,)))]

    @override
    def texts(
        self, name: str, corpus: AptCorpus, part: str, language: str
    ) -> list[Piece[TextFile]]:
        return [Piece(corpus.format, TextFile(_place(name, corpus.names(language)[0])))]

    @override
    def downloads(self, name: str, corpus: AptCorpus) -> dict[Path, dict[str, Any]]:
        found = {}
        for package, *others in dict.fromkeys(map(corpus.names, corpus.packages)):
            languages = [code for code in corpus.packages if corpus.names(code)[0] == package]
            pins = {
                version: hashes[language]
                for version, hashes in corpus.pins.items()
                for language in languages
                if language in hashes
            }
            source, *other_sources = corpus.sources(languages[0])
            request = {
                "package": package,
                "source": source,
                "version": corpus.version,
                "pins": pins,
                **({"others": dict(zip(others, other_sources, strict=True))} if others else {}),
            }
            found[_place(name, package)] = request
        return found

    @override
    def download(
        self, request: Mapping[str, Any], destination: Path, settings: DownloadSettings
    ) -> dict[str, Any]:
        """Download a package.

        A `.deb` of the package that was put by hand into the folder of `destination`, of several
        the newest, is taken instead of a download. A version that is pinned must have the pinned
        hash. Any other is taken on the strength of apt's signed index, and its hash is logged: a
        point release of Debian brings a new version with the same text. Where apt does not give the
        package, the servers of the configuration are asked for the pinned versions.
        """
        version = request["version"]
        names = [request["package"], *request.get("others", ())]
        folder = destination.parent
        folder.mkdir(parents=True, exist_ok=True)
        local = [Path(place) for place in settings.local]
        places = [folder, *(place / folder.name for place in local), *local]
        by_hand = sorted(
            path
            for name in names
            for place in places
            for path in place.glob(f"{name}_*.deb")
            if version is None or _version_in_name(path) == version.rpartition(":")[2]
        )
        if by_hand:
            newest = max(
                by_hand, key=lambda path: version_key(read_control(path).get("Version", ""))
            )
            logging.info("taking %s, put there by hand", newest)
            return _install(newest, request, destination)
        # apt fails where two processes update its lists at once.
        with (
            locked(folder / ".lock"),
            scratch_folder(folder / "download") as temporary,
        ):
            faults = []
            for name in names:
                wanted = name if version is None else f"{name}={version}"
                if fault := _apt_download(wanted, temporary):
                    faults.append(fault)
                else:
                    return _install(next(temporary.glob("*.deb")), request, destination)
        return _from_servers(request, destination, settings, "; ".join(dict.fromkeys(faults)))


def _place(name: str, package: str) -> Path:
    return RAW_FOLDER / name / f"{package}.deb"


def _by_place(name: str, corpus: AptCorpus, sizes: Mapping[str, float]) -> dict[Path, float]:
    """Sizes of packages, given by language, by the paths of their files."""
    return {_place(name, corpus.names(language)[0]): size for language, size in sizes.items()}


def _version_in_name(path: Path) -> str:
    """The version in a file's name, `<package>_<version>_<architecture>.deb`, without its epoch."""
    return re.split(":|%3a", path.name.split("_")[1])[-1]


def _install(found: Path, request: Mapping[str, Any], destination: Path) -> dict[str, Any]:
    """Check `found` and copy it to `destination`."""
    names = [request["package"], *request.get("others", ())]
    control = read_control(found)
    package = control.get("Package", "")
    if package not in names:
        raise InputError(
            f"holds the package {package or 'without a name'}, not {' or '.join(names)}",
            path=found,
            hint="remove it and run again",
        )
    version = control.get("Version", "")
    if request["version"] not in (None, version):
        raise InputError(
            f"is version {version} of {package}, not {request['version']}",
            path=found,
            hint="remove it and run again",
        )
    digest = file_hash(found)
    pinned = request["pins"].get(version)
    if pinned is None:
        logging.info("%s %s is not pinned; sha256 %s", package, version, digest)
    elif digest != pinned:
        raise InputError(
            f"{package} {version}: sha256 is {digest}, pinned is {pinned}",
            path=found,
            hint="the file is damaged or forged: remove it and run again",
        )
    else:
        logging.info("%s %s has the pinned sha256", package, version)
    with atomic_path(destination) as temporary:
        copy_file(found, temporary)
    return _facts(package, version, digest, pinned is not None)


def _facts(package: str, version: str, digest: str, pinned: bool) -> dict[str, Any]:
    return {"package": package, "version": version, "sha256": digest, "pinned": pinned}


def _from_servers(
    request: Mapping[str, Any], destination: Path, settings: DownloadSettings, fault: str
) -> dict[str, Any]:
    """Download a pinned version to `destination`; `fault` is the failure of apt."""
    package, wanted, pins = request["package"], request["version"], request["pins"]
    if wanted is not None:
        pins = {version: digest for version, digest in pins.items() if version == wanted}
    faults = [fault]
    if not settings.debian.servers():
        faults.append("download.debian names no server")
    elif not pins:
        faults.append(f"no hash of {wanted or 'it'} is pinned, so that no server is asked")
    else:
        logging.info("%s: %s; asking %s", package, fault, " and ".join(settings.debian.servers()))
        try:
            names = {package: request["source"], **request.get("others", {})}
            name, version = get_pinned(names, pins, destination, settings)
            return _facts(name, version, pins[version], pinned=True)
        except UnavailableError as error:
            faults.append(str(error))
    versions = [wanted] if wanted is not None else list(request["pins"])
    known = f" (version {' or '.join(versions)})" if versions else ""
    raise InputError(
        f"cannot download the Debian package {package}{known}: {'; '.join(faults)}",
        hint=f"check the network, and that apt knows the package (apt-get update, as "
        f"root); of a version that is no longer in the archive, name Debian's snapshot service in "
        f"download.debian.snapshot (data/README.md), put {package}_<version>_all.deb by hand into "
        f"{destination.parent}/, or set corpora.{destination.parent.name}.version to one that apt "
        f"has",
    )


def _apt_download(package: str, temporary: Path) -> str:
    """Download a package, `name` or `name=version`, into `temporary`; return the failure, if any.

    Apt's lists are updated if that may help.
    """
    if shutil.which("apt-get") is None:
        return "there is no apt-get"
    download = [*_APT, "download", package]
    fault = _run(download, temporary)
    if fault and os.geteuid() == 0:
        # A fresh machine has no package lists, and old ones name files that are gone.
        logging.info("apt-get download failed (%s): updating the package lists", fault)
        update_fault = _run([*_APT, "-o", "APT::Update::Error-Mode=any", "update"], temporary)
        # One source out of reach is no harm where the others have the package.
        if fault := _run(download, temporary):
            fault = update_fault or fault
    if not fault and not any(temporary.glob("*.deb")):
        fault = "apt-get download left no file"
    return fault


def _run(command: Sequence[str], folder: Path) -> str:
    """Run `command` in `folder`; return its failure in one line, or nothing."""
    environment = {**os.environ, "LC_ALL": "C", "DEBIAN_FRONTEND": "noninteractive"}
    try:
        result = subprocess.run(
            command,
            cwd=folder,
            env=environment,
            stdin=subprocess.DEVNULL,
            capture_output=True,
            text=True,
            errors="replace",
            check=False,
        )
    except OSError as error:
        return f"{command[0]}: {error.strerror}"
    faults = [line for line in result.stderr.splitlines() if line.startswith("E:")]
    return "" if result.returncode == 0 else (faults or [f"{command[0]} failed"])[0]


APT = AptSource()
