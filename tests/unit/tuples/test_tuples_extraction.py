"""Tuples of files: a bitext in blocks, the hypotheses of a list by their own alignments."""

from pathlib import Path

import pytest

from nlmt.cli import main
from nlmt.errors import InputError
from nlmt.io.files import read_lines, write_lines
from nlmt.io.nbest import read_nbest
from nlmt.tuples import encode, extract_tuples, extraction, tuples_of_nbest

SOURCE = ["la maison", "", "traducciones  perfectas", "la casa"]
TARGET = ["the house", "", "perfect translations", "the house"]
LINKS = ["0-0 1-1", "", "0-1 1-0", "0-0 1-1"]


def write(folder: Path, links: list[str]) -> list[Path]:
    paths = [folder / name for name in ("source.gz", "target.gz", "links.gz")]
    for path, lines in zip(paths, (SOURCE, TARGET, links), strict=True):
        write_lines(path, lines)
    return paths


@pytest.mark.parametrize("block", [1, 3, 100])
def test_a_bitext(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, block: int) -> None:
    monkeypatch.setattr(extraction, "BLOCK", block)
    out = tmp_path / "tuples.gz"
    counts = extract_tuples(*write(tmp_path, LINKS), out)
    assert list(read_lines(out)) == [
        "la=the maison=house",
        "",
        "perfectas=perfect traducciones=translations",
        "la=the casa=house",
    ]
    assert (counts.pairs, counts.tuples, counts.distinct, counts.once) == (4, 6, 5, 4)


@pytest.mark.parametrize("block", [1, 100])
def test_a_wrong_link_leaves_nothing(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, block: int
) -> None:
    monkeypatch.setattr(extraction, "BLOCK", block)
    paths = write(tmp_path, [*LINKS[:3], "0-2"])
    with pytest.raises(InputError, match=r"links\.gz:4: link 0-2 lies outside the pair of 2 and 2"):
        extract_tuples(*paths, tmp_path / "tuples")
    assert not (tmp_path / "tuples").exists()


def test_files_of_different_length(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="ends after 3 lines"):
        extract_tuples(*write(tmp_path, LINKS[:3]), tmp_path / "tuples")


def test_a_list_and_the_bitext_agree(tmp_path: Path) -> None:
    """The hypotheses are the translations of the bitext, each twice, with the same links."""
    out, path = tmp_path / "tuples", tmp_path / "list"
    extract_tuples(*write(tmp_path, LINKS), out)
    lines = [
        f"{i} ||| {target} ||| LM0= -1 ||| -1 ||| {links}"
        for i, (target, links) in enumerate(zip(TARGET, LINKS, strict=True))
    ]
    write_lines(path, [line for line in lines for _ in range(2)])
    nbest = read_nbest(path, keep_alignments=True)
    found = tuples_of_nbest(nbest, encode(SOURCE))
    assert [found.text(i) for i in range(0, 8, 2)] == list(read_lines(out))
    assert [found.text(i) for i in range(1, 8, 2)] == list(read_lines(out))
    assert found.totals.tolist() == nbest.totals.tolist()


def test_the_command(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    source, target, links = map(str, write(tmp_path, LINKS))
    out = tmp_path / "tuples"
    files = ["--source", source, "--target", target, "--alignment", links, "--out", str(out)]
    assert main(["tuples", *files]) == 0
    assert "6 tuples, 5 different, 4 of them seen once" in capsys.readouterr().out
    assert out.read_text().startswith("la=the maison=house\n\n")
