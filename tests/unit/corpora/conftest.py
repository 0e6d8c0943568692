"""A maker of tiny Debian packages, byte by byte as deb(5) describes them."""

import io
import tarfile
from collections.abc import Callable, Mapping
from pathlib import Path

import pytest

MakeDeb = Callable[..., Path]


def tar_bytes(files: Mapping[str, bytes], mode: str) -> bytes:
    buffer = io.BytesIO()
    with tarfile.open(fileobj=buffer, mode=mode) as archive:
        for name, content in files.items():
            member = tarfile.TarInfo(name)
            member.size = len(content)
            archive.addfile(member, io.BytesIO(content))
    return buffer.getvalue()


def ar_bytes(members: Mapping[str, bytes]) -> bytes:
    parts = [b"!<arch>\n"]
    for name, content in members.items():
        parts.append(f"{name:<16}{0:<12}{0:<6}{0:<6}{'100644':<8}{len(content):<10}`\n".encode())
        parts.append(content + b"\n" * (len(content) % 2))
    return b"".join(parts)


@pytest.fixture
def make_deb(tmp_path: Path) -> MakeDeb:
    def make(
        files: Mapping[str, bytes],
        *,
        package: str = "libreoffice-help-fr",
        version: str = "4:7.4.7-1",
        name: str = "fr.deb",
        compression: str = "xz",
    ) -> Path:
        control = f"Package: {package}\nVersion: {version}\nDescription: help\n more\n".encode()
        path = tmp_path / name
        path.write_bytes(
            ar_bytes(
                {
                    "debian-binary": b"2.0\n",
                    "control.tar.xz": tar_bytes({"./control": control}, "w:xz"),
                    f"data.tar.{compression}": tar_bytes(files, f"w:{compression}"),
                }
            )
        )
        return path

    return make


@pytest.fixture
def make_help(make_deb: MakeDeb) -> MakeDeb:
    def make(language: str, pages: Mapping[str, str], **options: str) -> Path:
        folder = f"./usr/share/libreoffice/help/{language}/text"
        files = {f"{folder}/{page}.html": html.encode() for page, html in pages.items()}
        return make_deb(files, **options)

    return make
