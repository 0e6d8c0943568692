"""Alignment with eflomal: repeatable, right on easy text, and clear on bad input."""

from pathlib import Path

import pytest

from nlmt.alignment import AlignedText, align
from nlmt.alignment.priors import write_priors
from nlmt.errors import InputError

GOLDEN = Path(__file__).parents[2] / "golden"


def aligned(folder: Path, *, seed: int, threads: int) -> tuple[bytes, bytes]:
    forward, reverse = folder / "forward", folder / "reverse"
    align(GOLDEN / "train.fr", GOLDEN / "train.en", forward, reverse, seed=seed, threads=threads)
    return forward.read_bytes(), reverse.read_bytes()


@pytest.fixture(scope="module")
def links(tmp_path_factory: pytest.TempPathFactory) -> tuple[bytes, bytes]:
    """Both directions by seed 1 and two threads."""
    return aligned(tmp_path_factory.mktemp("links"), seed=1, threads=2)


def test_seed_determines_the_bytes_for_any_number_of_threads(
    links: tuple[bytes, bytes], tmp_path: Path
) -> None:
    assert aligned(tmp_path, seed=1, threads=1) == links
    assert aligned(tmp_path, seed=2, threads=2) != links


def test_links_are_source_target_and_directed(links: tuple[bytes, bytes]) -> None:
    source = (GOLDEN / "train.fr").read_text(encoding="utf-8").splitlines()
    target = (GOLDEN / "train.en").read_text(encoding="utf-8").splitlines()
    stops = 0
    for many, direction in enumerate(links):
        for number, text in enumerate(direction.decode().splitlines()):
            found = [tuple(map(int, link.split("-"))) for link in text.split()]
            words = source[number].split(), target[number].split()
            assert all(i < len(words[0]) and j < len(words[1]) for i, j in found)
            assert len({link[1 - many] for link in found}) == len(found)
            stops += (len(words[0]) - 1, len(words[1]) - 1) in found
    assert stops == 2 * len(source)  # the full stop ends each side and translates itself


def test_one_seed_finds_most_links_of_the_reference(links: tuple[bytes, bytes]) -> None:
    found = links[0].decode().splitlines()
    reference = (GOLDEN / "fwd.align").read_text().splitlines()
    common = sum(
        len(set(a.split()) & set(b.split())) for a, b in zip(found, reference, strict=True)
    )
    assert common > 0.9 * sum(len(line.split()) for line in reference)


def test_only_spaces_and_tabs_part_words(tmp_path: Path) -> None:
    source, target = tmp_path / "s", tmp_path / "t"
    source.write_text("le\u00a0prix monte\n\nun\n" * 20, encoding="utf-8")
    target.write_text("the\u00a0price rises\n\n\n" * 20, encoding="utf-8")
    align(source, target, tmp_path / "f", tmp_path / "r", seed=1)
    lines = (tmp_path / "f").read_text().splitlines()
    assert len(lines) == 60
    assert all(link in ("0-0", "0-1", "1-0", "1-1") for line in lines for link in line.split())
    assert not any(lines[1::3] + lines[2::3])


def test_bad_texts_are_named_and_nothing_is_written(tmp_path: Path) -> None:
    source, target = tmp_path / "s", tmp_path / "t"
    source.write_text("un\ndeux\n")
    target.write_text("one\n")
    with pytest.raises(InputError, match=r"t: ends after 1 lines"):
        align(source, target, tmp_path / "f", tmp_path / "r", seed=1)
    source.write_text("")
    target.write_text("")
    with pytest.raises(InputError, match="no sentence pair"):
        align(source, target, tmp_path / "f", tmp_path / "r", seed=1)
    assert sorted(path.name for path in tmp_path.iterdir()) == ["s", "t"]


def test_an_aligned_text_helps_a_few_sentences(links: tuple[bytes, bytes], tmp_path: Path) -> None:
    """Aligned by the links of all others, ten sentences are aligned as they were among them."""
    sides = ((GOLDEN / f"train.{side}").read_bytes() for side in ("fr", "en"))
    parts = {}
    for name, content in zip("stfr", (*sides, *links), strict=True):
        lines = content.splitlines(keepends=True)
        for part, chosen in (("few", lines[:10]), ("rest", lines[10:])):
            parts[part, name] = tmp_path / f"{part}.{name}"
            parts[part, name].write_bytes(b"".join(chosen))
    like = AlignedText(*(parts["rest", name] for name in "stfr"))
    common = []
    for known in (like, None):
        out = tmp_path / "f", tmp_path / "r"
        align(parts["few", "s"], parts["few", "t"], *out, like=known, seed=1)
        pairs = zip(out[0].open(), parts["few", "f"].open(), strict=True)
        common.append(sum(len(set(a.split()) & set(b.split())) for a, b in pairs))
    total = len(parts["few", "f"].read_text().split())
    assert common[1] < common[0]
    assert common[0] > 0.85 * total


def test_priors_by_hand(tmp_path: Path) -> None:
    lines = {"s": "Le chat\nle chien\n", "t": "the cat\nthe big dog\n"}
    lines |= {"f": "0-0 1-1\n0-0 1-1 1-2\n", "r": "0-0 1-1\n0-0 1-2\n"}
    for name, text in lines.items():
        (tmp_path / name).write_text(text)
    like = AlignedText(*(tmp_path / name for name in "stfr"))
    write_priors(like, {"chien": 0, "le": 1}, {"the": 0, "dog": 1}, tmp_path / "priors")
    assert (tmp_path / "priors").read_text().splitlines() == [
        "3 3 2 2 2 2 2",
        *("1 2 1", "2 1 2"),  # chien-dog, le-the twice
        *("0 1", "1 6"),  # forward jumps: big to dog; the others and those to the ends
        *("1 5", "2 1"),  # reverse
        *("1 2 1", "2 1 2"),  # chien is linked twice, le once in both pairs
        *("1 1 2", "2 1 1"),
    ]


def test_links_that_do_not_fit_the_aligned_text(tmp_path: Path) -> None:
    for name, text in {"s": "a\n", "t": "b\n", "f": "0-0\n", "r": "0-1\n"}.items():
        (tmp_path / name).write_text(text)
    like = AlignedText(*(tmp_path / name for name in "stfr"))
    with pytest.raises(InputError, match="r:1: '0-1' is not a link between the words"):
        align(tmp_path / "s", tmp_path / "t", tmp_path / "x", tmp_path / "y", like=like, seed=1)


@pytest.mark.parametrize(
    ("script", "message"),
    [
        ("kill -9 $$", r"eflomal failed \(killed, possibly for lack of memory\): .*run fewer jobs"),
        ("echo wrong >&2; exit 3", r"eflomal failed \(status 3\): wrong"),
        # As on a full disk, where it ends with status 0.
        (
            """
            while getopts qm:n:N:1:2:3:s:t:f:r: option; do
                case $option in [fr]) printf '0-0\\n1-' > "$OPTARG";; esac
            done
            """,
            r"forward: eflomal wrote the links of only 1 of 600 pairs: .*free some space",
        ),
        ("true", "forward: eflomal wrote the links of only 0 of 600 pairs"),
    ],
    ids=["killed", "error", "full disk", "nothing"],
)
def test_eflomal_fails(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, script: str, message: str
) -> None:
    program = tmp_path / "eflomal"
    program.write_text(f"#!/bin/sh\n{script}\n")
    program.chmod(0o755)
    monkeypatch.setattr("nlmt.alignment.eflomal_engine.find_eflomal", lambda: program)
    with pytest.raises(InputError, match=message):
        aligned(tmp_path, seed=1, threads=1)
    assert [path.name for path in tmp_path.iterdir()] == ["eflomal"]


def test_pairs_beyond_the_limit_of_eflomal_are_told(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    source, target = tmp_path / "s", tmp_path / "t"
    source.write_text("a\nb\n" * 1000 + f"{'a ' * 1023}\n{'a ' * 40}\n{'a ' * 1024}\nb a\nc\n")
    target.write_text("x\ny\n" * 1000 + f"{'x ' * 40}\n{'x ' * 1023}\nx\ny x\n{'z ' * 1024}\n")
    align(source, target, tmp_path / "forward", tmp_path / "reverse", seed=1)
    assert caplog.messages == [
        f"{source}:2003: no links for 2 of 2,005 pairs, from this one on: eflomal takes sentences "
        "of up to 1,023 words"
    ]
    # Of a pair of very different lengths, each word of the shorter side has a link.
    forward, reverse = (
        (tmp_path / name).read_text().splitlines()[2000:] for name in ("forward", "reverse")
    )
    linked = [bool(one or other) for one, other in zip(forward, reverse, strict=True)]
    assert linked == [True, True, False, True, False]
