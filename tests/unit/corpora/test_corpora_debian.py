import io
import tarfile

import pytest

from nlmt.corpora.debian import read_control, read_deb
from nlmt.errors import InputError


@pytest.mark.parametrize("compression", ["xz", "gz"])
def test_files_come_in_order_with_names_from_the_root(make_deb, compression):
    path = make_deb(
        {"./b.html": b"two", "./a/x.html": b"1", "./c.png": b"3"}, compression=compression
    )
    assert list(read_deb(path, ".html")) == [("b.html", b"two"), ("a/x.html", b"1")]
    assert len(list(read_deb(path))) == 3


def test_control_fields(make_deb):
    control = read_control(make_deb({}, package="libreoffice-help-de", version="4:1-2+deb12u3"))
    assert control["Package"] == "libreoffice-help-de"
    assert control["Version"] == "4:1-2+deb12u3"


@pytest.mark.parametrize("name", ["../escape.html", "./usr/../../escape.html", "/etc/escape.html"])
def test_a_member_that_would_leave_the_folder_is_refused(make_deb, tmp_path, name):
    path = make_deb({"./good.html": b"1", name: b"evil"})
    with pytest.raises(InputError, match="unsafe member name"):
        list(read_deb(path))
    assert {file.name for file in tmp_path.rglob("*")} == {"fr.deb"}


def test_links_are_not_followed(make_deb, tmp_path):
    secret = tmp_path / "secret.html"
    secret.write_text("secret")
    path = make_deb({"./a.html": b"1"})
    buffer = io.BytesIO()
    with tarfile.open(fileobj=buffer, mode="w:gz") as archive:
        link = tarfile.TarInfo("./link.html")
        link.type, link.linkname = tarfile.SYMTYPE, str(secret)
        archive.addfile(link)
    data = buffer.getvalue()
    header = f"{'data.tar.gz':<16}{0:<12}{0:<6}{0:<6}{'100644':<8}{len(data):<10}`\n".encode()
    path.write_bytes(b"!<arch>\n" + header + data)
    assert list(read_deb(path)) == []


def test_damaged_packages_are_named(make_deb, tmp_path):
    good = make_deb({"./a.html": bytes(range(256)) * 50}).read_bytes()
    for name, content in {
        "cut": good[:-60],
        "half": good[: len(good) // 2],
        "text": b"<html>not found</html>",
        "empty": b"",
        "flipped": good[:-200] + b"\xff" * 150 + good[-50:],
        "zstd": good.replace(b"data.tar.xz ", b"data.tar.zst"),
    }.items():
        path = tmp_path / f"{name}.deb"
        path.write_bytes(content)
        with pytest.raises(InputError, match=name):
            list(read_deb(path))
    with pytest.raises(InputError, match="no such file"):
        list(read_deb(tmp_path / "none.deb"))
