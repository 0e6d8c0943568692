"""Target words without links: the tuple of which they become part."""

from collections.abc import Sequence
from pathlib import Path

import pytest

from nlmt.errors import InputError
from nlmt.io.files import read_lines, write_lines
from nlmt.tuples import attach_unlinked, attachment

LEXICON = [
    "the la 0.4",
    "of of 0.1",
    "menu menu 0.9",
    "menu barre 0.2",
    "bar barre 0.5",
    "bar menu 0.1",
    "up haut 0.3",
    "up jeter 0.1",
    "the NULL 0.2",
]


def attached(
    folder: Path, source: str, target: str, links: str, lexicon: Sequence[str] = LEXICON
) -> str:
    paths = [folder / name for name in ("source.gz", "target.gz", "links.gz", "lexicon")]
    texts = ([text, text] for text in (source, target, links))  # two equal pairs
    for path, lines in zip(paths, (*texts, lexicon), strict=True):
        write_lines(path, lines)
    attach_unlinked(*paths, folder / "attached.gz")
    first, second = read_lines(folder / "attached.gz")
    assert first == second
    return first


@pytest.mark.parametrize("block", [1, 2])
@pytest.mark.parametrize(
    ("source", "target", "links", "expected"),
    [
        # The word is likelier after `jeter haut` than before `x`, and linked with `haut`.
        ("jeter haut x", "throw up y", "0-0 1-0 2-2", "0-0 1-0 2-2 1-1"),
        # As likely, or likelier, with the next word: no link.
        ("a haut", "x up y", "0-0 1-2", "0-0 1-2"),
        ("a b", "x up y", "0-0 1-2", "0-0 1-2"),
        # A run is divided: 0.2 * 0.1 < 0.9 * 0.1 if both words were left to the next tuple, but
        # 0.5 * 0.9 if the first is of the tuple before.
        ("barre menu", "x bar menu y", "0-0 1-3", "0-0 1-3 0-1"),
        # At the borders of the sentence there is no choice.
        ("la", "the x the", "0-1", "0-1"),
        ("la", "the", "", ""),
    ],
)
def test_the_likelier_neighbour(
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    block: int,
    source: str,
    target: str,
    links: str,
    expected: str,
) -> None:
    monkeypatch.setattr(attachment, "BLOCK", block)
    assert attached(tmp_path, source, target, links) == expected


def test_a_link_outside_the_sentences(tmp_path: Path) -> None:
    with pytest.raises(InputError, match=r"links\.gz:1: link 0-2 lies outside"):
        attached(tmp_path, "a b", "x y", "0-2")


def test_probabilities_that_are_rounded_to_nothing(tmp_path: Path) -> None:
    lexicon = [f"up {word} 0.0000000" for word in ("jeter", "haut", "x")]
    links = "0-0 1-0 2-2"
    assert attached(tmp_path, "jeter haut x", "throw up y", links, lexicon) == links


@pytest.mark.parametrize("line", ["the la", "the la nan", "the la inf", "the la -0.1", "the la 2"])
def test_a_damaged_lexicon(tmp_path: Path, line: str) -> None:
    with pytest.raises(InputError, match=f"lexicon:2: no probability at the end of '{line}'"):
        attached(tmp_path, "a b", "x y", "0-0", ["up haut 0.5", line])
