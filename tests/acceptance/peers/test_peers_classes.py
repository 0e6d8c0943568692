"""Class files as Liang's wcluster (WCLUSTER=program) and mkcls (MKCLS=program) write them."""

import os
import subprocess
from pathlib import Path

import pytest
from held import held
from samples import made_up, messages, seeded

from nlmt.classes.class_files import FORMATS, read_classes


@pytest.fixture
def text(tmp_path: Path) -> Path:
    """Words of several languages, and odd ones."""
    lines = [line for language in ("fr", "ru", "zh") for line in messages(language, 300)]
    path = tmp_path / "text"
    path.write_text("".join(f"{line}\n" for line in [*lines, *made_up(seeded("odd"), 300)]))
    return path


def program(name: str) -> str:
    if name not in os.environ:
        pytest.skip(f"{name}= names no program")
    return os.environ[name]


def fields(path: Path) -> list[list[str]]:
    return [line.decode().split("\t") for line in path.read_bytes().split(b"\n")[:-1]]


@pytest.mark.parametrize("classes", [1, 3, 20])
def test_classes_of_wcluster(tmp_path: Path, text: Path, classes: int) -> None:
    command = [
        program("WCLUSTER"),
        "--text",
        text,
        "--c",
        str(classes),
        "--output_dir",
        tmp_path / "wc",
    ]
    subprocess.run(command, check=True, capture_output=True)
    rows = sorted((word, bits, int(count)) for bits, word, count in fields(tmp_path / "wc/paths"))
    found = read_classes(tmp_path / "wc/paths")
    bits = [found.bits[number] for number in found.class_ids]
    ours = sorted(zip(found.words, bits, found.counts.tolist(), strict=True))
    with held("wcluster 1.3", "words, bit strings and counts") as case:
        case.compare(classes, rows, ours)
    FORMATS.get("paths").write(found, tmp_path / "again")
    again = sorted((word, bits, int(count)) for bits, word, count in fields(tmp_path / "again"))
    with held("wcluster 1.3", "words, bit strings and counts, written again") as case:
        case.compare(classes, rows, again)


@pytest.mark.parametrize("classes", [3, 20])
def test_classes_of_mkcls(tmp_path: Path, text: Path, classes: int) -> None:
    written = tmp_path / "classes"
    command = [program("MKCLS"), f"-c{classes}", "-n1", f"-p{text}", f"-V{written}", "opt"]
    subprocess.run(command, check=True, capture_output=True)
    rows = fields(written)
    found = read_classes(written, "mkcls")
    FORMATS.get("mkcls").write(found, tmp_path / "again")
    theirs, ours = (partition(some) for some in (rows, fields(tmp_path / "again")))
    with held("mkcls", "words by class") as case:
        case.compare(classes, theirs, ours)


def partition(rows: list[list[str]]) -> list[list[str]]:
    """The words of each class, in one order."""
    sets: dict[str, list[str]] = {}
    for word, number in rows:
        sets.setdefault(number, []).append(word)
    return sorted(map(sorted, sets.values()))
